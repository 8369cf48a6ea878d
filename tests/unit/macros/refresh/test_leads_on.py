"""Whether a table is still the one that was read."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Delta, Foreign, micros
from ...kit.harness import Dbt

NAME = "spark_catalog.shop.orders"


def pin(version: int | None, minute: float = 0) -> dict[str, Any]:
    at = None if version is None else micros(minute or version)
    return {"relation": NAME, "version": version, "commit_time": at}


def leads_on(operations: list[str], was: Any, now: Any) -> Any:
    dbt = Dbt()
    table = dbt.engine.tables[NAME] = Delta([])
    for minute, operation in enumerate(["CREATE TABLE AS SELECT", *operations]):
        table.commit(minute, operation)
    return dbt("_leads_on", was, now)


@pytest.mark.parametrize("operation", ["WRITE", "MERGE", "OPTIMIZE", "SET TBLPROPERTIES"])
def test_rows_and_properties_leave_the_table(operation: str) -> None:
    assert leads_on(["WRITE", operation], pin(1), pin(2)) is True


@pytest.mark.parametrize(
    "operation", ["CREATE OR REPLACE TABLE AS SELECT", "REPLACE TABLE", "CLONE", "RESTORE"]
)
def test_what_may_give_it_another_id(operation: str) -> None:
    assert leads_on(["WRITE", operation], pin(1), pin(2)) is False
    assert leads_on([operation, "WRITE"], pin(1), pin(2)) is True, "before it was read"
    assert leads_on(["WRITE", "WRITE", operation], pin(1), pin(2)) is True, "after it is read"


def test_versions_that_are_not_of_this_history() -> None:
    writes = ["WRITE"] * 3
    assert leads_on(writes, pin(1), pin(1)) is True
    assert leads_on(writes, pin(1, minute=2.5), pin(3)) is False, "dropped and created"
    assert leads_on(writes, pin(3), pin(1)) is False
    assert leads_on(writes, pin(None), pin(1)) is False
    assert leads_on(writes, pin(1), pin(None)) is False


def test_commits_that_are_gone() -> None:
    dbt = Dbt()
    table = dbt.engine.tables[NAME] = Delta([])
    for minute in range(4):
        table.commit(minute, "WRITE")
    del table.commits[:2]
    assert dbt("_leads_on", pin(1), pin(3)) is False


def test_no_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    assert dbt("_leads_on", pin(1), pin(2)) is False
