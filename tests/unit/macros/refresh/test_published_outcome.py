"""The end of a refresh that was published."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

SPEC = {"mview_id": "v", "definition": "select 1", "stored": {"a": 1}, "schedule": None}
JOB = {
    "id": "j", "owner": "o", "token": 4, "method": "complete", "reason": "r", "started": 5,
    "ended": 2_500_005, "sources": [1], "read_time": 6, "definition_hash": "h", "deferred": False,
    "state": None, "fast": None, "changes": [], "scheduled": False, "skip": None,
}  # fmt: skip


def outcome(**changes: Any) -> Any:
    commit = {"version": 7, "rows": 8}
    return Dbt()("_published_outcome", SPEC, {**JOB, **changes}, commit, failed_reason="no grants")


def test_all_that_the_refresh_knows() -> None:
    took = {"last": [["complete", 0, 2.5]], "complete": 2.5, "first": None}
    expected = {
        "mview_id": "v", "job_id": "j", "owner": "o", "token": 4, "result": "success",
        "type": "complete", "method": "complete", "reason": "r", "started": 5, "rows": 8,
        "sources": [1], "read_time": 6, "target_version": 7, "definition": "select 1",
        "definition_hash": "h", "spec": {"a": 1, "took": took, "unfinished": True},
        "failed_reason": "no grants", "release": True,
    }  # fmt: skip
    found = outcome()
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("key", ["type", "read_time"])
def test_a_deferred_build_has_read_nothing(key: str) -> None:
    assert outcome(deferred=True)[key] is None


@pytest.mark.parametrize(
    ("record_now", "publish", "unfinished"),
    [
        (True, "create", True),
        (True, "replace", True),
        (True, "swap", True),
        (True, "insert", False),
        (False, "create", False),
    ],
)
def test_an_operation_has_no_grants_for_a_new_table(
    record_now: bool, publish: str, unfinished: bool
) -> None:
    job = {**JOB, "record_now": record_now, "publish": publish}
    found = Dbt()("_published_outcome", SPEC, job, {"version": 7, "rows": 8})
    assert found["spec"].get("unfinished", False) is unfinished
