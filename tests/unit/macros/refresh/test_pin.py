"""Step pin."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import micros
from ..harness import Dbt
from ..scenes import MEMBER_IDS, SOURCE, group, refreshes


def source(name: str, at: int | None, off: int = 0) -> dict[str, Any]:
    """One version each second. off: microseconds by which its time is told otherwise."""
    time = None if at is None else at * 1_000_000 + off
    return {"relation": name, "version": at, "commit_time": time}


@pytest.mark.parametrize(
    ("read", "now", "back"),
    [
        (None, [source("a", 1)], False),
        ([source("a", 1)], [source("a", 1)], False),
        ([source("a", 1)], [source("a", 2)], False),
        ([source("a", 3)], [source("a", 2)], True),
        ([source("a", None)], [source("a", 2)], False),
        ([source("a", 3)], [source("a", None)], False),
        ([source("a", 1, 1000)], [source("a", 1)], False),
        ([{**source("a", 2, 1000), "version": 1}], [source("a", 2)], False),
        ([source("a", 2, -999_000)], [source("a", 1)], True),
        ([{**source("a", 9), "version": 1}], [source("a", 2)], True),
        ([{**source("a", 2), "version": 9}], [source("a", 3)], False),
        ([source("gone", 9)], [source("a", 2)], False),
        ([source("b", 1), source("a", 3)], [source("a", 2), source("b", 5)], True),
    ],
)
def test_would_go_back(read: Any, now: Any, back: bool) -> None:
    state = None if read is None else {"sources": read}
    assert Dbt()("_would_go_back", {"state": state, "sources": now}) is back


def test_pin_binds_the_query() -> None:
    dbt = Dbt()
    name = "spark_catalog.shop.a"
    job = {
        "state": None,
        "sources": [source(name, 4)],
        "bindings": {name: {"kind": "table", "version": None}},
    }
    spec = {
        "read_consistency": "run",
        "definition": "select * from shop.a",
        "namespace": "spark_catalog.x",
    }
    dbt("_pin", spec, job)
    assert job["query"] == "select * from shop.a version as of 4"
    assert job["read_time"] == dbt("_clock")["now"]


def test_latest_is_told_by_the_clock_of_the_engine() -> None:
    """The client's says how long ago that was read, whatever time it has."""
    dbt = Dbt()
    clock = dbt("_clock")
    clock["client"] -= 90_000_000
    job: dict[str, Any] = {"state": None, "sources": [], "bindings": {}, "reads": {"tables": []}}
    job["unbound"] = []
    spec = {"read_consistency": "latest", "definition": "select 1", "namespace": "c.s"}
    dbt("_pin", spec, job)
    assert 90_000_000 <= job["read_time"] - clock["now"] < 150_000_000


def test_a_member_that_was_refreshed_further_stops_its_group() -> None:
    """Another run read newer data than this run's snapshot: no mixture of the two."""
    dbt = group()
    source = dbt.engine.tables[SOURCE]
    source.commits[-1].minute = 715
    source.commit(725, "WRITE", 10, parameters={"mode": "Append"})
    state = dbt.engine.states[MEMBER_IDS[1]]
    state["sources"][0].update(version=4, commit_time=micros(725))
    state.update(last_refresh_result="failed")
    _, second = dbt.run()
    assert "from newer data than there was when this run began" in second.message
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]
