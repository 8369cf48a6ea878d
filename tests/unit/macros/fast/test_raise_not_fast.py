"""The error of `refresh: fast`."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.scenes import VIEW, changed, small

TOLD = "this refresh cannot be: PARTITION_VALUE_NOT_KEPT: customer."


def refused_after_staging() -> Dbt:
    dbt = small(changed(partition_by="customer", refresh="fast"))
    dbt.engine.bounds = ["a", "z", 1]
    return dbt


def test_the_error() -> None:
    with pytest.raises(DbtError) as error:
        Dbt()("_raise_not_fast", {"mview_id": "c.s.v"}, {"token": None}, "X: y")
    assert str(error.value) == (
        "dbt_mview: c.s.v: refresh is 'fast' and this refresh cannot be: X: y. Set refresh to"
        " 'auto', or run once with --full-refresh."
    )


def test_an_operation_leaves_nothing_behind() -> None:
    """It has no end hook."""
    dbt = refused_after_staging()
    with pytest.raises(DbtError, match=TOLD):
        dbt.operation("mview_refresh", view="totals")
    row = dbt.engine.states[VIEW]
    assert (row["lock_owner"], row["intent"], row["last_refresh_result"]) == (None, None, "failed")
    assert TOLD in row["last_refresh_failed_reason"]
    assert not [name for name in dbt.engine.tables if "mview_stage_" in name]
    assert dbt.engine.steps[-3:] == ["sweep", "record", "record"]


def test_a_run_leaves_it_to_its_end() -> None:
    dbt = refused_after_staging()
    (result,) = dbt.run()
    assert TOLD in result.message
    assert dbt.engine.states[VIEW]["lock_owner"] is None
    assert dbt.engine.steps.count("record") == 2


@pytest.mark.parametrize("job", [{"token": None, "dry_run": False}, {"token": 3, "dry_run": True}])
def test_what_holds_no_lock_writes_nothing(job: dict[str, Any]) -> None:
    dbt = Dbt()
    with pytest.raises(DbtError, match=r"cannot be: WHY\. Set refresh to 'auto'"):
        dbt("_raise_not_fast", {"mview_id": VIEW}, {"record_now": True, **job}, "WHY")
    assert dbt.engine.log == []
