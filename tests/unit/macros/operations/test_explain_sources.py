"""Each source, what was read of it, where it is now, what changed."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt


def lines(state: Any, **job: Any) -> list[list[str]]:
    dbt = Dbt()
    sources = [
        {"relation": "c.s.a", "version": 4},
        {"relation": "c.s.b", "version": 7},
        {"relation": "c.s.c", "version": None},
    ]
    dbt("_explain_sources", {"state": state, "sources": sources, **job})
    return [line.split() for line in dbt.printed]


def test_sources() -> None:
    read = [{"relation": "c.s.a", "version": 2}, {"relation": "c.s.b", "version": 7}]
    changes = [{"relation": "c.s.a", "rows": 12}]
    assert lines({"sources": read}, changes=changes) == [
        ["source", "read", "now", "behind", "changed", "rows"],
        ["s.a", "v2", "v4", "2", "12"],
        ["s.b", "v7", "v7", "0", "-"],
        ["s.c", "-", "-", "-", "-"],
    ]


def test_before_the_first_refresh() -> None:
    assert lines({"sources": None})[1] == ["s.a", "-", "v4", "-", "-"]
