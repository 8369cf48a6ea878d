"""How many rows a source has."""

from __future__ import annotations

from typing import Any

from ...kit.engine import delta
from ...kit.harness import Dbt

NAME = "spark_catalog.shop.orders"


def test_rows_are_counted_once_for_all_views() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = 7
    assert [dbt("_rows_at", NAME, 3), dbt("_rows_at", NAME, 3)] == [7, 7]
    assert dbt.engine.steps.count("read_count") == 1
    dbt("_rows_at", NAME, 4)
    assert dbt.engine.steps.count("read_count") == 2


def test_rows_are_counted_only_where_the_last_commit_does_not_say_that_they_are_many() -> None:
    assert rows(recorded(4, 1000), changed=90) == (910, 0)
    assert rows(recorded(4, 1000), changed=91) == (7, 1), "1000 less 91 are not ten times as many"
    assert rows(recorded(4, 1000), changed=333, part=2) == (667, 0)
    assert rows(recorded(4, 1000), changed=334, part=2) == (7, 1), "nor 1000 less 334 twice as many"
    assert rows(recorded(4, None), changed=1) == (7, 1)
    assert rows(recorded(5, 1000), changed=1) == (7, 1), "of another version"
    assert rows(dict(recorded(4, 1000), relation="c.s.other"), changed=1) == (7, 1)


def test_rows_that_nobody_recorded() -> None:
    assert rows(changed=1) == (7, 1)
    assert rows(history=[{"meta": {"method": "complete"}}], changed=1) == (7, 1)


def recorded(version: int, rows: int | None) -> dict[str, Any]:
    return {"relation": NAME, "version": version} | ({} if rows is None else {"rows": rows})


def rows(*sources: Any, changed: int, part: int = 10, history: Any = None) -> tuple[int, int]:
    """What is told and noted of a source with seven rows, and how often it was counted."""
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(1)
    dbt.engine.tables[NAME].size = 7
    older = {"meta": {"sources": [recorded(4, 9)]}}
    newest = history or [{"meta": None}, *([{"meta": {"sources": [*sources]}}] if sources else [])]
    commits = [*newest, older] if sources else newest
    job = {"sources": [recorded(6, None)], "target": {"history": commits}}
    change = {"relation": NAME, "start": 4, "end": 6, "rows": changed}
    found = dbt("_rows_of", job, change, part)
    assert job["sources"] == [recorded(6, found)]
    return found, dbt.engine.steps.count("read_count")
