"""How long a lock holds, and its renewal."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest

from ..kit import harness
from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import VIEW, again, built, change_source, lock

AUDITED = Model(config={"audit": ["total > 0"]})


def lease(
    *last: tuple[str, int, float], method: str | None = None, most: int = 3600, **changes: Any
) -> Any:
    """Of a view of which state knows these refreshes."""
    took = {"last": last, "complete": None, "first": None, **changes.pop("took", {})}
    spec = {"refresh_group": changes.pop("group", None), "stored": {"took": took if last else None}}
    job = {
        "state": {"last_refresh_result": changes.pop("result", "success")},
        "holder": changes.pop("holder", None),
        "preplanned": {"method": method} if method else None,
    }
    return Dbt(variables={"dbt_mview:lease_seconds": most})("_lease_of", spec, job)


@pytest.mark.parametrize(
    ("seconds", "most", "expected"),
    [(10, 3600, 300), (100, 3600, 300), (100.34, 3600, 302), (2000, 3600, 3600), (10, 60, 60)],
)
def test_three_times_the_longest(seconds: float, most: int, expected: int) -> None:
    assert lease(("complete", 0, 1.5), ("complete", 0, seconds), most=most) == expected


def test_of_the_method_that_may_come() -> None:
    known = (("fast", 5, 110.0), ("complete", 0, 400.0))
    assert lease(*known) == 1200
    assert lease(*known, method="fast") == 330
    assert lease(*known, method="complete") == 1200
    assert lease(("fast", 5, 110.0), took={"first": 500.0}) == 3600, "it may have grown since"
    assert lease(("fast", 5, 110.0), ("first", 0, 500.0)) == 1500
    assert lease(("fast", 5, 700.0), ("difference", 5, 110.0)) == 2100


def test_the_whole_var_where_too_little_is_known() -> None:
    assert lease() == 3600
    assert lease(("fast", 5, 110.0)) == 3600, "it may be COMPLETE"
    assert lease(("complete", 0, 110.0), method="fast") == 330
    assert lease(("complete", 0, 1.0), group="g") == 3600, "it waits for others"
    assert lease(("complete", 0, 1.0), holder={"job_id": "j"}) == 3600
    assert lease(("complete", 0, 1.0), result="failed") == 3600, "it may be slower than before"
    assert Dbt()("_lease_of", {"refresh_group": None, "stored": None}, {"state": None}) == 3600


def test_a_refresh_after_the_first_build() -> None:
    dbt = built()
    assert dbt.engine.states[VIEW]["spec"]["took"]["first"] is not None
    change_source(dbt)
    dbt.run()
    assert "make_interval(0, 0, 0, 0, 0, 0, 300)" in dbt.engine.sql("acquire")
    assert "renew" not in dbt.engine.steps
    dbt = again(dbt)
    lock(dbt, lease_until=micros(1))
    dbt.run()
    assert "make_interval(0, 0, 0, 0, 0, 0, 3600)" in dbt.engine.sql("acquire"), "taken over"


def slow(monkeypatch: pytest.MonkeyPatch, seconds: int, step: str = "acquire") -> Dbt:
    """A run whose clock moves on after it sent a step."""
    dbt = built(AUDITED)
    dbt.engine.audit = [0]
    change_source(dbt)
    begun = harness.NOW

    def later(_: str) -> None:
        monkeypatch.setattr(harness, "NOW", begun + datetime.timedelta(seconds=seconds))

    dbt.engine.on[step] = later
    return dbt


@pytest.mark.parametrize(
    ("step", "seconds", "before"),
    [("acquire", 150, "stage"), ("stage", 290, "publish"), ("acquire", 149, None)],
)
def test_renewed_once_less_than_half_is_left(
    monkeypatch: pytest.MonkeyPatch, step: str, seconds: int, before: str | None
) -> None:
    dbt = slow(monkeypatch, seconds, step)
    assert [result.status for result in dbt.run()] == ["success"]
    writes = [one.step for one in dbt.engine.writes]
    assert writes.count("renew") == (before is not None)
    if before:
        assert writes[writes.index("renew") + 1] == before
        sql = dbt.engine.sql("renew")
        assert re.search(r"make_interval\(0, 0, 0, 0, 0, 0, 300\) where mview_id = '.*'", sql)
        assert " and lock_token = 2 and refresh_job_id = '" in sql


def test_what_another_run_took_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    dbt = slow(monkeypatch, 200, "stage")
    dbt.engine.on["renew"] = lambda _: lock(dbt, lease_until=micros(9999)) and None
    (result,) = dbt.run()
    assert "lock lost: another run took over the refresh" in result.message
    assert dbt.engine.states[VIEW]["lease_until"] == micros(9999)
    assert "publish" not in dbt.engine.steps


def test_a_lock_of_an_operation_has_the_whole_var() -> None:
    dbt = built()
    dbt.operation("mview_drop", view="totals")
    assert "make_interval(0, 0, 0, 0, 0, 0, 3600)" in dbt.engine.sql("acquire")


def test_a_lease_that_is_none() -> None:
    with pytest.raises(DbtError, match="dbt_mview:lease_seconds"):
        lease(("complete", 0, 1.0), most=0)
