"""Sources of which nothing was read yet."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_named() -> None:
    found = Dbt()("_named_sources", ["c.s.a"])
    assert found == [{"relation": "c.s.a", "table_id": None, "version": None, "commit_time": None}]
    assert Dbt()("_named_sources", []) is None and Dbt()("_named_sources", None) is None
