"""When FAST publishes without a stage."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import delta
from ...kit.harness import Dbt
from ...kit.scenes import VIEW

SPEC: dict[str, Any] = {
    "name": "`shop`.`totals`",
    "unique_key": [],
    "layout": {"partition_by": []},
}
SMALL = 64 * 1024 * 1024


def at_once(
    values: list[str],
    size: int = SMALL,
    *,
    strategy: str = "aggregate",
    lost: bool = True,
    told: int | None = None,
    **other: Any,
) -> Any:
    """The answer, and whether the view was described for it."""
    dbt = Dbt()
    view = dbt.engine.tables[VIEW] = delta(1)
    view.bytes = size
    shape = {
        "strategy": strategy,
        "values": dict(enumerate(values)),
        "changes": [{"deletes": False}, {"deletes": lost}],
    }
    target: dict[str, Any] = {"history": []}
    if told is not None:
        commit = {"operation": "WRITE", "metrics": {"numOutputBytes": told}}
        target["history"].append({**commit, "meta": {"method": "complete"}})
    columns = [{"name": "k", "type": "string"}]
    job = {"waits": other.pop("waits", False), "target": target, "columns": columns}
    found = dbt("_merges_at_once", {**SPEC, **other}, job, shape)
    return found, bool(dbt.engine.steps)


@pytest.mark.parametrize("values", [[], ["count_all"], ["sum", "count", "count_all"], ["wide_sum"]])
def test_what_is_added_up(values: list[str]) -> None:
    assert at_once(values) == (True, True)


def test_a_big_view_is_read_between_bounds() -> None:
    assert at_once(["sum"], SMALL + 1) == (False, True)


def test_a_view_whose_commits_tell_its_size_is_not_described() -> None:
    assert at_once(["sum"], SMALL + 1, told=SMALL) == (True, False)
    assert at_once(["sum"], 0, told=SMALL + 1) == (False, False)


@pytest.mark.parametrize("kind", ["min", "max"])
def test_what_may_be_in_doubt(kind: str) -> None:
    """An extreme that went; where rows only came there is none."""
    assert at_once(["sum", kind]) == (False, False)
    assert at_once(["sum", kind], lost=False) == (True, True)
    assert at_once([kind, "other"], lost=False) == (False, False)


@pytest.mark.parametrize("strategy", ["keyed", "append"])
def test_other_strategies(strategy: str) -> None:
    assert at_once([], strategy=strategy) == (False, False)


@pytest.mark.parametrize(
    "other", [{"unique_key": ["k"]}, {"waits": True}, {"layout": {"partition_by": ["K"]}}]
)
def test_what_looks_at_the_stage(other: Any) -> None:
    assert at_once(["sum"], **other) == (False, False)
