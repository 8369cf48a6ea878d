"""Which tables the sources are."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Foreign, delta
from ..harness import Dbt

NAME = "spark_catalog.shop.orders"


def source(version: int | None, at: int | None, **more: Any) -> dict[str, Any]:
    return {"relation": NAME, "table_id": None, "version": version, "commit_time": at, **more}


READ = source(1, 10, table_id="t-read")


@pytest.mark.parametrize(
    ("was", "now", "method", "table_id"),
    [
        (None, source(1, 10), "complete", "t-asked"),
        (READ, source(1, 10), "complete", "t-read"),
        (READ, source(1, 11), "complete", "t-read"),
        (READ, source(1, 10011), "complete", "t-asked"),
        ({**READ, "version": None, "commit_time": None}, source(1, 10), "complete", "t-asked"),
        (READ, source(2, 11), "complete", "t-asked"),
        (READ, source(2, 11), "fast", "t-read"),
        (source(1, 10), source(2, 11), "fast", "t-asked"),
        (READ, source(None, None), "fast", "t-asked"),
        (READ, source(1, 10, table_id="t-known"), "complete", "t-known"),
    ],
)
def test_asked_only_where_it_may_be_another(was: Any, now: Any, method: str, table_id: str) -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(10, 11, id="t-asked")
    job = {
        "state": {"sources": [dict(was)] if was else None},
        "method": method,
        "sources": [dict(now)],
    }
    dbt("_note_table_ids", job)
    assert job["sources"] == [{**now, "table_id": table_id}]
    assert dbt.engine.steps == (["read_describe_detail"] if table_id == "t-asked" else [])


def test_without_a_state_and_of_another_format() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    job = {"state": None, "method": "complete", "sources": [source(None, None)]}
    dbt("_note_table_ids", job)
    assert job["sources"] == [source(None, None)]
