"""The end of a refresh that was published."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt

SPEC = {"mview_id": "v", "definition": "select 1", "stored": {"a": 1}, "schedule": None}
JOB = {
    "id": "j", "owner": "o", "token": 4, "method": "complete", "reason": "r", "started": 5,
    "sources": [1], "read_time": 6, "definition_hash": "h", "deferred": False,
    "state": None, "scheduled": False, "skip": None,
}  # fmt: skip


def outcome(**changes: Any) -> Any:
    commit = {"version": 7, "rows": 8}
    return Dbt()("_published_outcome", SPEC, {**JOB, **changes}, commit, failed_reason="no grants")


def test_all_that_the_refresh_knows() -> None:
    expected = {
        "mview_id": "v", "job_id": "j", "owner": "o", "token": 4, "result": "success",
        "type": "complete", "method": "complete", "reason": "r", "started": 5, "rows": 8,
        "sources": [1], "read_time": 6, "target_version": 7, "definition": "select 1",
        "definition_hash": "h", "spec": {"a": 1}, "failed_reason": "no grants", "release": True,
    }  # fmt: skip
    found = outcome()
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("key", ["type", "read_time"])
def test_a_deferred_build_has_read_nothing(key: str) -> None:
    assert outcome(deferred=True)[key] is None
