"""What a view has read of a table."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

BASE = "c.s.base"
NOTHING = {"version": 0, "commit_time": 0}


def source(version: int | None, relation: str = BASE) -> dict[str, Any]:
    return {"relation": relation, "version": version, "commit_time": version and 9}


@pytest.mark.parametrize(
    ("sources", "owner", "intent", "found"),
    [
        ([source(5)], None, None, {"version": 5, "commit_time": 9}),
        ([source(1, "c.s.other"), source(5)], None, None, {"version": 5, "commit_time": 9}),
        ([source(5)], "run", {"reads": [BASE]}, {"version": 5, "commit_time": 9}),
        ([source(None)], None, None, NOTHING),
        ([source(1, "c.s.other")], None, None, None),
        ([source(1, "c.s.other")], "run", {"reads": [BASE]}, NOTHING),
        (None, "run", {"reads": ["c.s.other", BASE]}, NOTHING),
        (None, "run", {"reads": ["c.s.other"]}, None),
        (None, "run", {"definition": "of an older release"}, NOTHING),
        ([source(1, "c.s.other")], "run", {"definition": "of an older release"}, None),
        (None, None, {"reads": [BASE]}, None),
        (None, "run", None, None),
        (None, None, None, None),
    ],
)
def test_read(sources: Any, owner: Any, intent: Any, found: Any) -> None:
    never = {"last_successful_refresh_read_time": None}
    state = {"sources": sources, "lock_owner": owner, "intent": intent, **never}
    assert Dbt()("_read_of", state, BASE) == found


@pytest.mark.parametrize(("owner", "found"), [(None, None), ("run", NOTHING)])
def test_a_view_that_was_built_without_a_version(owner: str | None, found: Any) -> None:
    """It reads the table through a view that is not bound, and is always refreshed in full."""
    state = {"sources": [source(None)], "lock_owner": owner, "intent": {"reads": [BASE]}}
    state["last_successful_refresh_read_time"] = 7
    assert Dbt()("_read_of", state, BASE) == found
