"""One capture, and why a log is rebuilt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import TRIED, Delta, Foreign, Table, View, delta, micros
from ..kit.harness import Dbt, DbtError
from ..kit.lexer import skeleton, strings
from ..kit.log_engine import Change, LogEngine
from ..kit.log_scenes import (
    BODY,
    COLUMNS,
    LOG,
    base,
    change,
    held,
    later,
    log_engine,
    log_model,
    pin,
    started,
    truth,
    unlogged,
    vacuum,
)
from ..kit.nasty import NASTY
from ..kit.parsing import parse, statements
from ..kit.records import as_capture
from ..kit.scenes import SOURCE

# One capture.


def capture(dbt: Dbt, feed: bool = True, **more: Any) -> dict[str, Any]:
    """One capture. feed: whether its files are still there when it reads them."""
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE}
    job = {
        **dbt("_log_job", spec),
        "now": pin(dbt, base(dbt).commits[-1].version),
        "columns": dbt("_describe_query", BODY),
        "base": "`shop`.`orders`",
        "feed_is_on": True,
    }
    dbt("_inspect_log", spec, job)
    assert job["gap"] is None
    job.update(more)
    dbt.engine.forget()
    dbt.engine.feed_is_there = feed
    dbt("_capture", spec, job)
    return job


def test_rows() -> None:
    dbt = started()
    change(dbt)
    job = capture(dbt)
    assert (job["rows"], job["was"]["version"], job["coverage"]["captured"]["version"]) == (6, 2, 5)
    assert held(dbt) == truth(dbt, 2, 5)
    assert dbt.engine.steps == ["capture", "read_describe_history"]
    found = dbt("_coverage", "`shop`.`orders_log`")
    assert {key: job["coverage"][key] for key in found} == found


def test_the_statement_is_tried_again_on_a_conflict() -> None:
    dbt = started()
    change(dbt)
    capture(dbt)
    assert "declare exit handler for sqlstate '2D521'" in dbt.engine.sql("capture")


def test_nothing_committed() -> None:
    dbt = started()
    job = capture(dbt)
    assert dbt.engine.log == [] and job["rows"] == 0
    assert job["was"] == {key: job["coverage"]["captured"][key] for key in job["was"]}


def test_commits_without_rows_are_not_looked_into() -> None:
    dbt = started()
    base(dbt).commit(40, "OPTIMIZE")
    job = capture(dbt)
    assert dbt.engine.steps == ["note_capture"] and job["rows"] == 0
    assert job["coverage"]["captured"]["version"] == 3
    assert dbt("_coverage", "`shop`.`orders_log`")["captured"]["version"] == 3


def test_a_new_column_comes_first() -> None:
    dbt = started()
    change(dbt)
    note = {"name": "note", "type": "string"}
    job = capture(dbt, added=[note], columns=[*dbt("_describe_query", BODY), note])
    assert [one.step for one in dbt.engine.writes] == ["add_columns", "capture"]
    assert dbt.engine.sql("add_columns").endswith("add columns (`note` string)")
    assert "(`customer`, `amount`, `note`, _change_type" in dbt.engine.sql("capture")
    assert job["rows"] == 6


def test_a_note_after_a_new_column() -> None:
    """Its commit is this run's own."""
    dbt = started()
    base(dbt).commit(40, "UPDATE", numUpdatedRows=0)
    capture(dbt, added=[{"name": "note", "type": "string"}])
    assert [one.step for one in dbt.engine.writes] == ["add_columns", "capture", "note_capture"]
    assert dbt("_coverage", "`shop`.`orders_log`")["captured"]["version"] == 3


@pytest.mark.parametrize("step", ["capture", "read_describe_history"])
def test_nothing_is_noted_where_somebody_else_wrote(step: str) -> None:
    """Whatever it was: the next capture looks again."""
    dbt = started()
    base(dbt).commit(40, "UPDATE", numUpdatedRows=0)
    log = dbt.engine.tables["spark_catalog.shop.orders_log"]

    def somebody(sql: str) -> None:
        if "`orders_log`" in sql and "capture" in dbt.engine.steps:
            dbt.engine.on.clear()
            log.commit(50, "OPTIMIZE")

    dbt.engine.on[step] = somebody
    job = capture(dbt)
    assert "note_capture" not in dbt.engine.steps
    assert job["coverage"]["captured"]["version"] == 2


def test_rows_that_nobody_told_of_are_not_passed_over() -> None:
    """To note more would hide what is missing between."""
    dbt = started()
    change(dbt)
    engine = log_engine(dbt)
    strangers = tuple(truth(dbt, 3, 4))
    engine.held[LOG][engine.tables[LOG].commits[-1].version] = strangers
    with pytest.raises(DbtError, match=r"holds rows of v4 of its base, and was captured up to v2"):
        capture(dbt)
    assert "note_capture" not in dbt.engine.steps and held(dbt) == list(strangers)


def test_when_the_clock_has_gone_back() -> None:
    """A capture whose commits are older than the log's beginning is one all the same."""
    dbt = started()
    base(dbt).commit(25, "UPDATE", numUpdatedRows=2)
    assert capture(dbt)["coverage"]["captured"]["version"] == 3
    base(dbt).commit(27, "WRITE", 1, parameters={"mode": "Append"})
    job = capture(later(dbt))
    assert (job["was"]["version"], job["rows"]) == (3, 1)
    assert held(dbt) == truth(dbt, 2, 4)


def test_empty() -> None:
    dbt = started(empty=True)
    change(dbt)
    job = capture(dbt)
    assert dbt.engine.log == [] and job["coverage"]["captured"]["version"] == 2


def test_a_feed_that_is_gone_is_a_gap() -> None:
    """Its files are gone without a trace, as they may be once they are old."""
    dbt = started()
    change(dbt)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 second"
    job = capture(dbt, feed=False)
    assert dbt.engine.steps == ["capture", "read_feed", "start_log"]
    assert job["gap"] == "CHANGE_DATA_UNAVAILABLE: the feed cannot be read"
    assert job["coverage"]["start"]["version"] == 5 and held(dbt) == []
    asked = dbt.engine.sql("read_feed")
    assert "cast(struct(*) as string))) from (select `customer`, `amount` from" in asked


def test_a_feed_that_may_come_back_is_no_gap() -> None:
    """A store that is away, or rights that are: what is held stays, and the error is shown."""
    dbt = started()
    change(dbt)
    with pytest.raises(RuntimeError, match="FILE_NOT_EXIST"):
        capture(dbt, feed=False)
    assert dbt.engine.steps == ["capture", "capture"]


def test_a_base_that_was_quiet_for_long() -> None:
    """It is the changes that a VACUUM may have taken, not what was captured before them."""
    dbt = started()
    change(dbt, 700)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 hour"
    with pytest.raises(RuntimeError, match="FILE_NOT_EXIST"):
        capture(dbt, feed=False)


def test_any_other_error_is_the_users() -> None:
    dbt = started()
    change(dbt)

    def full(sql: str) -> Table:
        if TRIED.fullmatch(sql):
            return Table([["failed"]])
        raise RuntimeError("disk full")

    log_engine(dbt)._do_capture = full  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        capture(dbt)
    assert dbt.engine.steps == ["capture", "capture"] and held(dbt) == []
    dbt = started()
    change(dbt)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 second"
    log_engine(dbt)._do_capture = full  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        capture(dbt)
    assert dbt.engine.steps == ["capture", "read_feed", "capture"] and held(dbt) == []


# Whether a capture can go on.


def look(dbt: Dbt, meanwhile: Any = None, **given: Any) -> dict[str, Any]:
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE, **given}
    job = {
        "now": dbt("_pin_table", SOURCE, None),
        "feed_is_on": True,
        "columns": [{"name": name, "type": type_} for name, type_ in COLUMNS],
        "base": "`shop`.`orders`",
    }
    job = as_capture(job)
    if meanwhile:
        base(dbt).commits = meanwhile
    dbt("_inspect_log", spec, job)
    return job


def test_no_log_yet() -> None:
    dbt = unlogged()
    job = look(dbt)
    assert (job["gap"], job["coverage"]) == ("first capture", None)
    assert dbt.engine.steps[-1] == "read_catalog"


def test_a_log() -> None:
    dbt = started()
    dbt.engine.tables[LOG].comment = "about"
    change(dbt)
    job = look(dbt)
    assert job["gap"] is None and job["added"] == []
    assert job["coverage"]["captured"]["version"] == 2 and job["change"]["end"] == 5
    assert job["comment"] is None
    assert "read_describe_detail" not in dbt.engine.steps


def test_a_comment_that_the_model_sets_is_compared() -> None:
    dbt = started()
    dbt.engine.tables[LOG].comment = "about"
    assert look(dbt, description="other")["comment"] == "about"


def test_a_capture_that_was_quicker_knows_more_of_the_base() -> None:
    """The log does not begin anew for that."""
    dbt = started()
    dbt.engine.tables[SOURCE].commits, held = base(dbt).commits[:2], base(dbt).commits
    job = look(dbt, held)
    assert (job["gap"], job["now"]["version"]) == (None, 2)
    assert dbt.engine.steps.count("read_describe_history") >= 2


def test_a_gap() -> None:
    dbt = started()
    base(dbt).commits.pop()
    assert look(dbt)["gap"] == "SOURCE_REPLACED"


@pytest.mark.parametrize(
    ("there", "text"),
    [
        (View("select 1", []), "a view of this name exists and is no materialized view log"),
        (Foreign("csv"), "a csv table of this name exists"),
        (delta(1), "a delta table of this name exists"),
    ],
)
def test_what_is_no_log(there: Any, text: str) -> None:
    dbt = unlogged()
    dbt.engine.tables[LOG] = there
    with pytest.raises(DbtError, match=text):
        look(dbt)


# Why a log is rebuilt.


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
    change_ = job["change"]
    assert (change_["reason"], change_["inserts"], change_["deletes"]) == (None, False, False)
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


# What somebody else did to a log's rows.


OURS = json.dumps({"dbt_mview": {"mlog_id": LOG}})


def log() -> tuple[LogEngine, Delta]:
    """A log that began with its first commit."""
    engine = LogEngine()
    table = Delta([], properties={"dbt_mview.mlog": json.dumps({"base": SOURCE})})
    table.commit(0, "CREATE TABLE AS SELECT", None, OURS)
    engine.tables[LOG] = table
    return engine, table


def purge(engine: LogEngine, upto: int) -> None:
    """A batch that finds something to delete."""
    engine.held[LOG] = {0: (Change("t", upto, "insert", 0, 3),)}
    engine.purge(LOG, {"version": upto, "commit_time": upto}, upto)
    assert engine.tables[LOG].commits[-1].operation == "DELETE"


def changed(engine: LogEngine) -> object:
    dbt = Dbt(engine)
    return dbt("_foreign_change", dbt("_delta_history", "`shop`.`orders_log`", None))


@pytest.mark.parametrize("operation", ["WRITE", "UPDATE", "DELETE", "RESTORE", "MERGE", "TRUNCATE"])
def test_told(operation: str) -> None:
    engine, table = log()
    table.commit(1, operation, 1)
    table.commit(2, "WRITE", 1, OURS)
    assert changed(engine) == f"{operation} by somebody else in version 1"
    for upto in range(25):
        purge(engine, upto)
    assert changed(engine) == f"{operation} by somebody else in version 1"


def test_what_is_no_change() -> None:
    """New columns, a batch of a purge, what Delta does by itself, and all that was before."""
    engine, table = log()
    table.commit(1, "DELETE", 1)
    table.commit(2, "CREATE OR REPLACE TABLE AS SELECT", None, OURS)
    table.commit(3, "ADD COLUMNS")
    table.commit(4, "OPTIMIZE", 1)
    purge(engine, 4)
    assert changed(engine) is None


# An empty log.


def start(dbt: Dbt, coverage: Any = None, gap: str = "first capture") -> dict[str, Any]:
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE}
    job = {
        **dbt("_log_job", spec),
        "now": {**pin(dbt, 2), "table_id": "t-1"},
        "columns": [
            {"name": "customer", "type": "string", "expression": "`customer`"},
            {"name": "amount", "type": "bigint", "expression": "`amount`"},
        ],
        "base": "`shop`.`orders`",
        "gap": gap,
        "coverage": coverage,
    }
    dbt("_start_log", spec, job)
    return job


def test_it_begins_where_the_base_is() -> None:
    dbt = unlogged()
    job = start(dbt)
    at = {key: pin(dbt, 2)[key] for key in ("version", "commit_time")}
    begun = {"base": SOURCE, "began": at, "start": at, "captured": at, "gap": "first capture"}
    assert ({key: job["coverage"][key] for key in begun}, job["rows"]) == (begun, 0)
    found = dbt("_coverage", "`shop`.`orders_log`")
    assert {key: found[key] for key in begun} == begun
    assert dbt.warned == []


@pytest.mark.parametrize("gap", ["full refresh", "SOURCE_REPLACED"])
def test_anew(gap: str) -> None:
    dbt = unlogged()
    start(dbt, coverage={"base": SOURCE}, gap=gap)
    assert dbt.warned == [
        f"dbt_mview: {LOG} was rebuilt, and begins at v2 of its base: {gap}. Views that had not"
        " read up to there refresh COMPLETE."
    ]


def test_its_comment_is_said_once() -> None:
    model = log_model(persist_docs={"relation": True})
    model.description = "about"
    job = start(unlogged(model))
    assert job["comment"] == "about"


# The statement of a capture.


AT = {"version": 9, "commit_time": 12}
BEGAN = {"version": 1, "commit_time": 3}


def job(text: str = "a") -> dict[str, Any]:
    return {
        "id": "job1",
        "columns": [{"name": text}, {"name": "b"}],
        "change": {"relation": "spark_catalog.shop." + text, "start": 4, "first": 5, "end": 9},
        "coverage": {"began": BEGAN, "captured": {"version": 4}},
    }


def capture_text(text: str = "a") -> str:
    spec = {"mlog_id": "spark_catalog.shop." + text, "name": "`shop`.`log`"}
    sql: str = Dbt()("_capture_sql", spec, job(text), AT)
    (statement,) = statements(sql)
    assert parse(statement)
    return sql


def test_capture(golden: Golden) -> None:
    golden("capture", capture_text())


def test_what_its_commit_says() -> None:
    texts = strings(capture_text())
    said = json.loads(texts[texts.index("userMetadata") + 1])
    mlog_id = "spark_catalog.shop.a"
    captured = {"mlog_id": mlog_id, "capture_job_id": "job1", "began": BEGAN, "captured": AT}
    assert said == {"dbt_mview": captured}


def test_it_has_no_identifier() -> None:
    """Versions of a base may go back, and Delta would drop what has an older one."""
    assert "txn" not in capture_text()


def test_rows_that_are_there_already_are_not_added() -> None:
    sql = capture_text()
    guard = "select 1 from `shop`.`log` as logged\n        where logged._commit_version > 4\n"
    assert "where\n    not exists (\n        " + guard + "    )" in sql
    assert "table_changes('`spark_catalog`.`shop`.`a`', 5, 9)" in sql


@pytest.mark.parametrize("text", [text for text in NASTY if "." not in text and text])
def test_no_text_changes_the_statement(text: str) -> None:
    assert skeleton(capture_text(text)) == skeleton(capture_text("plain"))
    values = [value for value in strings(capture_text(text)) if value.startswith('{"dbt_mview"')]
    assert any(text in json.loads(value)["dbt_mview"]["mlog_id"] for value in values)


def test_add_columns() -> None:
    columns = [{"name": "a`b", "type": "int"}, {"name": "c", "type": "map<string,int>"}]
    assert Dbt()("_add_columns_sql", {"name": "`s`.`log`"}, columns) == (
        "alter table `s`.`log` add columns (`a``b` int, `c` map<string,int>)"
    )


# The statement that begins a log.


def create(text: str = "it's", **layout: Any) -> str:
    given = {"tblproperties": {"key " + text: text}, "location": "/data/" + text, **layout}
    spec = {
        "mlog_id": "c.s." + text,
        "name": "`shop`.`log`",
        "layout": given,
        "description": "About " + text if layout == {} else None,
    }
    types = {text: "string", "b": "int"}
    columns = [
        {"name": name, "type": type_, "expression": f"`{name.replace('`', '``')}`"}
        for name, type_ in types.items()
    ]
    job = {"id": "job1", "columns": columns, "base": "`shop`.`orders`"}
    coverage = {"base": "c.s." + text, "began": AT, "start": AT, "captured": AT, "gap": text}
    sql: str = Dbt()("_create_log_sql", spec, job, coverage)
    assert parse(sql)
    return sql


def test_create_log(golden: Golden) -> None:
    golden("create_log", create())


def test_plain(golden: Golden) -> None:
    sql = create(tblproperties={}, location=None)
    golden("create_log_plain", sql)
    assert "location" not in sql and "comment" not in sql


def test_it_is_empty_and_can_be_purged_by_partitions() -> None:
    sql = create()
    assert sql.endswith("from `shop`.`orders`\nwhere false")
    assert "\npartitioned by (_commit_version)\n" in sql


def test_what_the_table_and_the_commit_say() -> None:
    texts = strings(create())
    kind = texts[texts.index("dbt_mview.kind") + 1]
    assert kind == "materialized_view_log"
    assert '"start": {"version": 9, "commit_time": 12}' in texts[texts.index("dbt_mview.mlog") + 1]
    assert (
        '"captured": {"version": 9, "commit_time": 12}' in (texts[texts.index("userMetadata") + 1])
    )


@pytest.mark.parametrize("text", NASTY)
def test_create_log_no_text_changes_the_statement(text: str) -> None:
    sql = create(text)
    assert skeleton(sql) == skeleton(create("plain"))
    assert {"About " + text, "key " + text, text, "/data/" + text} <= set(strings(sql))
