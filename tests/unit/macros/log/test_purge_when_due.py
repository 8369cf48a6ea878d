"""The purge that a log's config plans."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt
from ...kit.log_scenes import LOG, beside, later, log_engine, log_model, logged, reads, run_log

HOURLY = {"purge": {"every": "1 hour"}}


def row(dbt: Dbt) -> dict[str, Any]:
    return log_engine(dbt).log_rows[LOG]


def planned(**config: Any) -> Dbt:
    """The next invocation of a log whose purge has a plan."""
    dbt = logged(2, log_model(**(config or HOURLY)))
    run_log(dbt)
    return later(dbt)


def purges(dbt: Dbt) -> list[str]:
    return [one["purge_method"] for one in log_engine(dbt).purges.values()]


def test_the_first_run_plans_and_purges_nothing() -> None:
    dbt = planned()
    assert row(dbt)["schedule"] == {"every": 3600} and row(dbt)["next_time"] > micros(0)
    assert purges(dbt) == []
    before = row(dbt)["next_time"]
    run_log(dbt)
    assert purges(dbt) == [] and row(dbt)["next_time"] == before


@pytest.mark.parametrize("read", [3, 0])
def test_when_its_time_has_come_a_run_purges_and_moves_it(read: int) -> None:
    """Also where views hold everything back."""
    dbt = planned()
    reads(dbt, "reader", read)
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    run_log(dbt)
    assert purges(dbt) == ["automatic"]
    assert row(dbt)["next_time"] == last + 3_600_000_000
    assert row(dbt).get("lock_owner") is None


def test_a_manual_purge_does_not_move_it() -> None:
    dbt = planned()
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    dbt.operation("mlog_purge", log="orders_log")
    assert purges(dbt) == ["manual"] and row(dbt)["next_time"] == last


def test_where_another_run_purges_this_one_does_not() -> None:
    dbt = planned()
    row(dbt).update(next_time=1, lock_owner="other", lock_token=3, lease_until=10**18)
    run_log(dbt)
    assert purges(dbt) == [] and "another run is purging it" in dbt.warned[-1]


def test_a_failure_is_counted_and_the_plan_stays() -> None:
    dbt = planned()
    last = row(dbt)["next_time"] = micros(dbt.engine.minute) - 1
    log_engine(dbt).broken = True
    assert dbt.run()[0].status == "error"
    assert (row(dbt)["failures"], row(dbt)["next_time"]) == (1, last)
    row(dbt)["retry_time"] = 10**18
    dbt = beside(dbt)
    run_log(dbt)
    assert row(dbt)["next_time"] == last, "not before its retry"


def test_a_plan_that_is_taken_out_of_the_model_ends() -> None:
    dbt = planned()
    dbt = later(dbt, log_model())
    run_log(dbt)
    assert (row(dbt)["schedule"], row(dbt)["next_time"]) == (None, None)
