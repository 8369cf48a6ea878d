"""A table as it is now, and whether it is still the one that was read."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FEED, Delta, Foreign, delta, micros
from ..kit.harness import Dbt
from ..kit.records import as_job

# How a table is looked at: once for all that a refresh asks of its history.


NAME = "spark_catalog.shop.a"


class Overwritten(dict[str, Any]):
    """A look that another thread puts back as it was, whatever is written to it."""

    def update(self, *values: Any, **more: Any) -> None:
        """Is lost."""


def looking(*minutes: float) -> Dbt:
    dbt = Dbt()
    dbt.engine.tables[NAME] = delta(*minutes)
    dbt.engine.tables[NAME].properties.update(FEED)
    return dbt


def since(dbt: Dbt, was: int, now: int) -> list[Any]:
    found = dbt("_commits_since", NAME, {"version": was}, {"version": now})
    return [commit["version"] for commit in found]


def test_properties_and_the_newest_commits() -> None:
    dbt = looking(*range(30))
    seen = dbt("_inspect_table", NAME)
    assert seen["properties"].items() >= FEED.items()
    assert [commit["version"] for commit in seen["commits"]] == list(range(29, 19, -1))


def test_what_is_no_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[NAME] = Foreign()
    assert dbt("_inspect_table", NAME) is None
    assert since(dbt, 0, 1) == []


def test_who_asks_next_reads_nothing() -> None:
    dbt = looking(*range(12))
    assert dbt("_pin_table", NAME, None)["commit_time"] == micros(11)
    steps = list(dbt.engine.steps)
    assert since(dbt, 9, 11) == [11, 10, 9]
    assert since(dbt, 10, 10) == [11, 10], "those after it as well: they may hide older changes"
    assert dbt.engine.steps == steps


def test_an_older_version_takes_as_many_commits_as_it_needs_and_once() -> None:
    dbt = looking(*range(20))
    dbt("_inspect_table", NAME)
    assert since(dbt, 5, 19) == list(range(19, 4, -1))
    assert dbt.engine.sql("read_describe_history", 1).endswith(" limit 17")
    steps = list(dbt.engine.steps)
    assert since(dbt, 4, 19)[-1] == 4 and dbt.engine.steps == steps


def test_commits_that_came_meanwhile_take_the_whole_history() -> None:
    dbt = looking(*range(20))
    dbt("_inspect_table", NAME)
    for minute in range(20, 30):
        dbt.engine.tables[NAME].commit(minute, "WRITE")
    assert since(dbt, 5, 19)[-1] == 5
    assert dbt.engine.sql("read_describe_history", 2).endswith("`a`")


def test_a_look_of_long_ago_is_none() -> None:
    dbt = looking(*range(5))
    dbt("_inspect_table", NAME)["at"] -= 61_000_000
    dbt.engine.tables[NAME].commit(5, "VACUUM START")
    assert since(dbt, 3, 4) == [5, 4, 3]
    steps = list(dbt.engine.steps)
    assert since(dbt, 3, 4) == [5, 4, 3] and dbt.engine.steps == steps


def test_another_thread_that_needs_less() -> None:
    """It puts what it read in the place of what this one read, before this one looks at it."""
    dbt = looking(*range(20))
    seen = dbt("_inspect_table", NAME)
    dbt("_memory")["tables"][NAME] = Overwritten(seen, commits=seen["commits"])
    assert since(dbt, 5, 19)[-1] == 5


def test_a_look_that_is_held_stays_as_it_was() -> None:
    """Whoever pins by it must not see what another thread reads meanwhile."""
    dbt = looking(*range(20))
    seen = dbt("_inspect_table", NAME)
    held = list(seen["commits"])
    assert since(dbt, 5, 19)[-1] == 5 and seen["commits"] == held
    further = dbt("_memory")["tables"][NAME]
    assert len(further["commits"]) > len(held)
    assert dbt("_pin_as_seen", NAME, seen, micros(2))["version"] == 2
    assert seen["commits"] == held


def test_a_look_from_before_the_version_is_none() -> None:
    dbt = looking(0, 1)
    dbt("_inspect_table", NAME)
    dbt.engine.tables[NAME].commit(2, "WRITE")
    assert since(dbt, 1, 2) == [2, 1]


def test_a_commit_that_is_gone() -> None:
    dbt = looking(*range(5))
    del dbt.engine.tables[NAME].commits[:2]
    assert since(dbt, 1, 4) == []


# Which tables the sources are: asked only where that may have changed.


SOURCE_NAME = "spark_catalog.shop.orders"


def source(version: int | None, at: int | None, **more: Any) -> dict[str, Any]:
    return {
        "relation": SOURCE_NAME,
        "table_id": None,
        "version": version,
        "commit_time": at,
        **more,
    }


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
    dbt.engine.tables[SOURCE_NAME] = delta(0, 1, 2, id="t-asked")
    job = as_job({"state": {"sources": [dict(was)] if was else None}, "sources": [dict(now)]})
    dbt("_note_table_ids", job)
    assert job["sources"] == [{**now, "table_id": table_id}]
    assert ("read_describe_detail" in dbt.engine.steps) == (table_id == "t-asked")


def test_without_a_state_and_of_another_format() -> None:
    dbt = Dbt()
    dbt.engine.tables[SOURCE_NAME] = Foreign()
    job = as_job({"state": None, "sources": [source(None, None)]})
    dbt("_note_table_ids", job)
    assert job["sources"] == [source(None, None)] and not dbt.engine.steps


# Whether a table is still the one that was read.


READ_NAME = "spark_catalog.shop.orders"


def pin(version: int | None, minute: float = 0) -> dict[str, Any]:
    at = None if version is None else micros(minute or version)
    return {"relation": READ_NAME, "version": version, "commit_time": at}


def leads_on(operations: list[str], was: Any, now: Any) -> Any:
    dbt = Dbt()
    table = dbt.engine.tables[READ_NAME] = Delta([])
    for minute, operation in enumerate(["CREATE TABLE AS SELECT", *operations]):
        table.commit(minute, operation)
    return dbt("_same_table_lineage", was, now)


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
    table = dbt.engine.tables[READ_NAME] = Delta([])
    for minute in range(4):
        table.commit(minute, "WRITE")
    del table.commits[:2]
    assert dbt("_same_table_lineage", pin(1), pin(3)) is False


def test_no_delta_table() -> None:
    dbt = Dbt()
    dbt.engine.tables[READ_NAME] = Foreign()
    assert dbt("_same_table_lineage", pin(1), pin(2)) is False
