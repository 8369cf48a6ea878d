"""Which tables the sources are: asked only where that may have changed."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Foreign, delta, micros
from ...kit.harness import Dbt

NAME = "spark_catalog.shop.orders"


def source(version: int | None, at: int | None, **more: Any) -> dict[str, Any]:
    return {"relation": NAME, "table_id": None, "version": version, "commit_time": at, **more}


READ = source(1, micros(1), table_id="t-read")


@pytest.mark.parametrize(
    ("was", "now", "table_id"),
    [
        (None, source(1, micros(1)), "t-asked"),
        (READ, source(1, micros(1)), "t-read"),
        (READ, source(1, micros(1) + 1), "t-read"),
        (READ, source(1, micros(1) + 10011), "t-asked"),
        ({**READ, "version": None, "commit_time": None}, source(1, micros(1)), "t-asked"),
        (READ, source(2, micros(2)), "t-read"),
        (source(1, micros(1)), source(2, micros(2)), "t-asked"),
        (READ, source(None, None), None),
        (READ, source(1, micros(1), table_id="t-known"), "t-known"),
    ],
)
def test_asked_only_where_it_may_be_another(was: Any, now: Any, table_id: str) -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(0, 1, 2, id="t-asked")
    job = {"state": {"sources": [dict(was)] if was else None}, "sources": [dict(now)]}
    dbt("_note_table_ids", job)
    assert job["sources"] == [{**now, "table_id": table_id}]
    assert ("read_describe_detail" in dbt.engine.steps) == (table_id == "t-asked")


def test_without_a_state_and_of_another_format() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    job = {"state": None, "sources": [source(None, None)]}
    dbt("_note_table_ids", job)
    assert job["sources"] == [source(None, None)] and not dbt.engine.steps
