"""What somebody else did to the view."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

VIEW = "spark_catalog.shop.v"
OURS = {"mview_id": VIEW, "refresh_job_id": "job1"}


def commit(version: int, operation: str = "WRITE", meta: Any = None) -> dict[str, Any]:
    at = {"version": version, "commit_time": version * 10}
    return {**at, "operation": operation, "meta": meta}


def change(
    *history: dict[str, Any],
    last: int = 3,
    holder: Any = None,
    kind: str = "delta",
    **state: Any,
) -> Any:
    target = {"kind": kind, "name": "`shop`.`v`", "history": list(history)}
    known = {"target_version": last, "last_refresh_result": "success", "last_refresh_time": 0}
    job = {"target": target, "state": {**known, **state}, "holder": holder}
    return Dbt()("_target_change", {"mview_id": VIEW}, job)


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ([commit(3, meta=OURS)], None),
        ([commit(5, "OPTIMIZE"), commit(4, "SET TBLPROPERTIES"), commit(3, meta=OURS)], None),
        (
            [commit(5, "OPTIMIZE"), commit(4, "DELETE"), commit(3, meta=OURS)],
            "DELETE by somebody else in version 4",
        ),
        (
            [commit(4, meta={"mview_id": VIEW, "refresh_job_id": "x"}), commit(3, meta=OURS)],
            "WRITE by somebody else in version 4",
        ),
        ([commit(3, meta={"mview_id": "another"})], "it was dropped or recreated by somebody else"),
        ([commit(3)], "it was dropped or recreated by somebody else"),
        ([commit(1, meta=OURS)], "it was dropped or recreated by somebody else"),
    ],
)
def test_changes(history: list[dict[str, Any]], found: str | None) -> None:
    assert change(*history) == found


def test_it_is_no_table_any_more() -> None:
    assert change(kind="parquet") == "it is now a parquet"


def test_the_publish_of_the_holder_is_no_change_by_somebody_else() -> None:
    later = commit(4, meta={"mview_id": VIEW, "refresh_job_id": "held"})
    assert change(later, commit(3, meta=OURS), holder={"job_id": "held"}) is None


@pytest.mark.parametrize(
    ("state", "ours"),
    [
        ({"last_refresh_time": micros(2)}, True),
        ({"last_refresh_time": str(micros(2) - 1)}, False),
        ({"last_refresh_time": None}, False),
        ({"last_refresh_time": micros(2), "last_refresh_result": "failed"}, False),
    ],
)
def test_commits_that_delta_cleaned_were_seen_before(state: dict[str, Any], ours: bool) -> None:
    """Where its log is cleaned of the last refresh; of a dropped table all commits are there."""
    kept = [{**commit(3, "VACUUM END"), "commit_time": micros(3)}]
    kept += [{**commit(2, "VACUUM START"), "commit_time": micros(2)}]
    told = change(*kept, last=1, **state)
    assert told == (None if ours else "it was dropped or recreated by somebody else")
