"""Why a log begins anew."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt
from ...kit.log_scenes import COLUMNS, LOG, base, change, later, pin, started, vacuum
from ...kit.scenes import SOURCE

CHANGED = [("_change_type", "string"), ("_commit_version", "bigint")]
CHANGED += [("_commit_timestamp", "timestamp")]


def gap(dbt: Dbt, **more: Any) -> tuple[Any, dict[str, Any]]:
    """The gap, and the job, of a log that captured up to v2."""
    known = {"base": SOURCE, "changed": None, **more.pop("coverage", {})}
    if "captured" not in known:
        known["captured"] = pin(dbt, 2)
    spec = {"base": SOURCE, "name": "`shop`.`orders_log`", "full_refresh": False, **more}
    job = {
        "feed_is_on": spec.pop("feed_is_on", True),
        "now": spec.pop("now", None) or pin(dbt, base(dbt).commits[-1].version),
        "columns": [{"name": name, "type": type_} for name, type_ in spec.pop("columns", COLUMNS)],
        "base": "`spark_catalog`.`shop`.`orders`",
    }
    return dbt("_gap", spec, job, known), job


def test_none() -> None:
    dbt = started()
    reason, job = gap(dbt)
    assert reason is None and job["added"] == []
    assert job["change"] == {"reason": None, "inserts": False, "deletes": False}
    assert dbt.engine.steps == ["read_describe_query"], "nothing was committed"
    change(dbt)
    reason, job = gap(dbt)
    assert reason is None
    assert (job["change"]["start"], job["change"]["end"], job["change"]["rows"]) == (2, 5, 6)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"full_refresh": True}, "full refresh"),
        ({"coverage": {"base": "a.b.c"}}, "SOURCE_REPLACED: the log was one of a.b.c"),
        ({"coverage": {"changed": "DELETE by ann"}}, "LOG_CHANGED: DELETE by ann"),
        ({"feed_is_on": False}, "CHANGE_DATA_UNAVAILABLE: the base's change data feed was off"),
        ({"now": {"version": 2, "commit_time": 5}}, "SOURCE_REPLACED"),
        ({"now": {"version": 1, "commit_time": 5}}, "SOURCE_REPLACED"),
        (
            {"now": {"version": 3, "commit_time": 5}, "coverage": {"captured": {
                "version": 2, "commit_time": 4}}},
            "SOURCE_REPLACED",
        ),
    ],
)  # fmt: skip
def test_reasons(more: Any, reason: str) -> None:
    assert gap(started(), **more)[0] == reason


def test_a_base_that_was_laid_out_anew() -> None:
    dbt = started()
    given = {"partitionBy": '["id"]', "properties": '{"delta.enableChangeDataFeed":"true"}'}
    base(dbt).commit(60, "CREATE OR REPLACE TABLE AS SELECT", 3, parameters=given)
    told = "CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other"
    assert gap(dbt)[0] == f"{told} partitions"
    dbt.engine.feed_is_there = False
    assert gap(dbt)[0] == f"{told} columns"


def test_changes_that_are_gone() -> None:
    dbt = started()
    change(dbt)
    vacuum(base(dbt), 60)
    assert gap(dbt)[0] == "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"
    was = pin(dbt, 2)
    del base(dbt).commits[:4]
    assert gap(later(dbt), coverage={"captured": was})[0] == "CHANGE_DATA_UNAVAILABLE"


NOTE = ("Note", "string")


@pytest.mark.parametrize(
    ("logged", "wanted", "came", "expected"),
    [
        (COLUMNS, COLUMNS, [], (None, [])),
        (COLUMNS, COLUMNS[::-1], [], (None, [])),
        ([("CUSTOMER", "string"), COLUMNS[1]], COLUMNS, [], (None, [])),
        (COLUMNS, [*COLUMNS, NOTE], ["more", "note"], (None, ["Note"])),
        (COLUMNS, [*COLUMNS, NOTE], ["more"], ("SCHEMA_CHANGED: Note", ["Note"])),
        (COLUMNS, COLUMNS, ["note"], (None, [])),
        (COLUMNS, COLUMNS[:1], [], ("SCHEMA_CHANGED: amount", [])),
        (COLUMNS, [COLUMNS[0], ("amount", "int")], [], ("SCHEMA_CHANGED: amount", [])),
        (COLUMNS, [COLUMNS[0], NOTE], ["note"], ("SCHEMA_CHANGED: amount", ["Note"])),
    ],
    ids=[
        "same", "another order", "case", "new in the base", "new in the body",
        "new in the base alone", "left out", "another type", "renamed",
    ],
)  # fmt: skip
def test_columns(logged: Any, wanted: Any, came: list[str], expected: Any) -> None:
    """The log's columns, those of the body, and those that came to the base meanwhile."""
    dbt = started()
    dbt.engine.tables[LOG].columns = [*logged, *CHANGED]
    columns = [{"name": name, "type": type_} for name, type_ in wanted]
    job = {"columns": columns, "change": {"new_columns": came}}
    reason = dbt("_columns_gap", {"name": "`shop`.`orders_log`"}, job)
    assert (reason, [column["name"] for column in job["added"]]) == expected


def test_columns_are_looked_at_where_nothing_was_committed() -> None:
    """The body may be another one."""
    reason, _ = gap(started(), columns=[*COLUMNS, NOTE])
    assert reason == "SCHEMA_CHANGED: Note"


def test_times_of_one_second_are_told_out_of_order() -> None:
    dbt = started()
    known = {"captured": {"version": 2, "commit_time": micros(30) + 1000}}
    reason, job = gap(dbt, coverage=known)
    assert reason is None and not job["change"]["inserts"]


def test_times_count_too() -> None:
    """Two lives of a table that both have a v2."""
    dbt = started()
    known = {"captured": {"version": 2, "commit_time": micros(29)}}
    assert gap(dbt, coverage=known)[0] == "SOURCE_REPLACED"
