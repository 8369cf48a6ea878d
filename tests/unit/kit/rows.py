"""Outcomes as the macro `_outcome` makes them."""

from __future__ import annotations

from typing import Any

from .harness import Dbt

SOURCES = [{"relation": "c.s.t", "table_id": "id", "version": 4, "commit_time": 5}]


def outcome(dbt: Dbt, text: str = "plain", **changes: Any) -> dict[str, Any]:
    """A success with that text wherever there can be text."""
    given = {
        "reason": text,
        "failed_reason": text,
        "started": 7,
        "rows": 8,
        "sources": [{**SOURCES[0], "relation": text}],
        "read_time": 9,
        "target_version": 10,
        "definition": text,
        "definition_hash": text,
        "spec": {"schema": text},
        **changes,
    }
    found: dict[str, Any] = dbt("_outcome", text, text, text, 3, "success", "complete", **given)
    return found
