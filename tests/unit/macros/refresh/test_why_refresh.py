"""Why a view needs a refresh: the first reason that holds."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

VIEW = "c.s.v"
COMMIT = {
    "version": 3,
    "commit_time": 1,
    "operation": "WRITE",
    "rows": 1,
    "meta": {"mview_id": VIEW},
}
SOURCE = {"relation": "c.s.a", "table_id": "x", "version": 1, "commit_time": 1}
LAYOUT = {"partition_by": []}


def why(spec: Any = None, state: Any = None, **job: Any) -> str | None:
    given_spec = {"mview_id": VIEW, "full_refresh": False, "asked": False, "layout": LAYOUT}
    given_spec |= {"audit": [], "unique_key": []}
    given_state = {
        "target_version": 3,
        "last_successful_refresh_read_time": 1,
        "definition": "select 1",
        "definition_hash": "h",
        "spec": {"layout": LAYOUT, "audit": [], "unique_key": []},
        "last_refresh_result": "success",
        "sources": [SOURCE],
        **(state or {}),
    }
    given_job = {
        "target": {"kind": "delta", "name": "`s`.`v`", "history": [COMMIT]},
        "state": None if state is False else given_state,
        "definition_hash": "h",
        "holder": None,
        "reads": {"unstable": []},
        "sources": [SOURCE],
        "unbound": [],
        "ahead": [],
        **job,
    }
    found: str | None = Dbt()("_why_refresh", {**given_spec, **(spec or {})}, given_job)
    return found


def test_nothing() -> None:
    assert why() is None


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"spec": {"full_refresh": True}}, "full refresh asked for"),
        ({"spec": {"asked": True}}, "complete refresh asked for"),
        ({"spec": {"asked": True}, "target": {"kind": "view"}}, "TARGET_CHANGED: it is now a view"),
        ({"target": {"kind": "missing"}}, "first build"),
        ({"state": {"definition": None}}, "state has no definition of it"),
        ({"state": False}, "first build in place of a delta"),
        ({"state": {"target_version": None}}, "first build in place of a delta"),
        ({"target": {"kind": "view"}}, "TARGET_CHANGED: it is now a view"),
        (
            {"state": {"last_successful_refresh_read_time": None}},
            "first refresh of a deferred view",
        ),
        ({"definition_hash": "other"}, "DEFINITION_CHANGED"),
        (
            {"state": {"spec": {"layout": LAYOUT, "time_zone": "Europe/Berlin"}}},
            "TIME_ZONE_CHANGED: Europe/Berlin -> UTC",
        ),
        ({"spec": {"layout": {"partition_by": ["a"]}}}, "configuration changed: partition_by"),
        ({"holder": {"job_id": "j"}}, "a refresh before did not finish"),
        ({"state": {"last_refresh_result": "failed"}}, "the last refresh failed"),
        (
            {"reads": {"unstable": ["now", "rand"]}},
            "EXPRESSION_NOT_DETERMINISTIC: now, rand",
        ),
        ({"spec": {"audit": ["n > 0"]}}, "configuration changed: audit"),
        ({"spec": {"unique_key": ["n"]}}, "configuration changed: unique_key"),
        ({"sources": [{**SOURCE, "version": 2}]}, "s.a v1 -> v2"),
        ({"unbound": ["c.s.a"]}, "SOURCE_NOT_BOUND: c.s.a cannot be pinned in the query"),
    ],
)
def test_reasons(given: Any, reason: str) -> None:
    assert why(**given) == reason
