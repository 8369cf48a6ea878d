"""The change log of a table: exactly once, gaps told, and what views make of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.project import Outcome, Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

S = "{{ target.schema }}."
AGE_IS_CHECKED = "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration"
FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
ROWS = "id, cast(id % 3 as int) as k, id as n, 'x' as note from range(200)"


def log(
    project: Project, name: str, base: str, columns: str = "id, k, n", **config: object
) -> None:
    sql = f"select {columns} from {S}{base}"
    project.model(name, sql, materialized="materialized_view_log", **config)


def totals(project: Project, name: str, base: str, **config: object) -> None:
    sql = f"select k, count(*) as c, sum(n) as total from {S}{base} group by k"
    project.model(name, sql, **config)


def make(project: Project, base: str, properties: str = FEED) -> None:
    """A table of 200 rows."""
    project.sql(f"create table @.{base} using delta {properties} as select {ROWS}")


def change(project: Project, base: str) -> None:
    """Two updates, a delete and an insert: six rows of change in three commits."""
    project.sql(f"update @.{base} set n = n + 100 where id in (1, 2)")
    project.sql(f"delete from @.{base} where id = 4")
    project.sql(f"insert into @.{base} (id, k, n) values (1000, 1, 5)")


def logged_changes(project: Project, base: str, rounds: int) -> str:
    """A table with a log that holds some rounds of change, three versions and six rows each."""
    make(project, base)
    log(project, f"{base}_log", base)
    project.run(f"{base}_log")
    for _ in range(rounds):
        change(project, base)
        project.run(f"{base}_log")
    return f"{base}_log"


def logged(project: Project, name: str) -> list[tuple[object, ...]]:
    """What a log holds."""
    columns = "id, k, n, _change_type, _commit_version"
    rows = project.sql(f"select {columns} from @.{name} order by 5, 4, 1, 3")
    return [tuple(row) for row in rows]


def fed(project: Project, base: str, since: int) -> list[tuple[object, ...]]:
    """What the feed of a table holds, from a version on."""
    rows = project.sql(
        "select id, k, n, _change_type, _commit_version"
        f" from table_changes('@.{base}', {since}) order by 5, 4, 1, 3"
    )
    return [tuple(row) for row in rows]


@pytest.mark.smoke
def test_first_capture_and_more(project: Project) -> None:
    make(project, "orders", "")
    log(project, "orders_log", "orders")
    first = project.run()
    assert first.text("orders_log") == "START v1: first capture"
    assert "switched the change data feed of spark_catalog.test_log.orders on" in first.log
    assert logged(project, "orders_log") == []
    change(project, "orders")
    assert project.run().text("orders_log") == "CAPTURE v4, 6 rows: v1 -> v4"
    assert logged(project, "orders_log") == fed(project, "orders", 2)
    assert project.run().text("orders_log") == "SKIP nothing changed since v4"
    project.sql("optimize @.orders")
    before = project.commits("orders_log")[0].version
    assert project.run().text("orders_log") == "CAPTURE v5, 0 rows: v4 -> v5"
    assert project.commits("orders_log")[0].version == before + 1
    project.sql("insert into @.orders values (2000, 1, 1, 'y')")
    assert "--empty" in project.run(args=("--empty",)).text("orders_log")
    assert project.run().text("orders_log") == "CAPTURE v6, 1 rows: v5 -> v6"
    assert logged(project, "orders_log") == fed(project, "orders", 2)
    info = project.op("mlog_info", log="orders_log").log
    assert "test_log.orders_log" in info and "v1 " in info and "first capture" in info
    log(project, "orders_log", "orders", tblproperties={"team": "it's"})
    assert project.run().text("orders_log") == "SKIP nothing changed since v6"
    (known,) = project.sql("show tblproperties @.orders_log ('team')")
    assert known.value == "it's"
    before = project.commits("orders_log")[0].version
    project.run()
    assert project.commits("orders_log")[0].version == before


@pytest.mark.nightly
def test_the_same_capture_twice_adds_nothing(project: Project) -> None:
    """The statement of a capture, sent again after another one, as a frozen run would.

    Spark hides properties with the word `token` from SHOW TBLPROPERTIES, also in a table's name.
    """
    logged_changes(project, "token", 0)
    change(project, "token")
    told = project.run("token_log").log
    held = logged(project, "token_log")
    pattern = r"/\* dbt_mview step=capture job=\S+ \*/\n(begin\n.*?\nend)\nSQL status"
    (statement,) = re.findall(pattern, told, re.DOTALL)
    commits = len(project.commits("token_log"))
    assert [row.outcome for row in project.sql(statement)] == ["done"]
    assert logged(project, "token_log") == held and len(held) == 6
    assert len(project.commits("token_log")) == commits


@pytest.mark.always
def test_views_go_on_from_the_log_after_vacuum(project: Project) -> None:
    make(project, "kept")
    log(project, "kept_log", "kept")
    totals(project, "kept_totals", "kept", refresh="fast")
    project.model("narrow", f"select id, note from {S}kept where k = 1")
    project.run()
    change(project, "kept")
    project.run("kept_log")
    vacuum(project, "kept")
    project.sql("insert into @.kept values (2001, 2, 7, 'late')")
    outcome = project.run("kept_totals", "narrow")
    text = outcome.text("kept_totals")
    assert text.startswith("FAST") and "(aggregate delta, 7 changed rows)" in text
    assert "not FAST: CHANGE_DATA_UNAVAILABLE" in outcome.text("narrow")
    verified = project.op("mview_verify").log
    assert verified.count("  equal") == 2


def test_changes_of_a_column_that_the_log_leaves_out(project: Project) -> None:
    """Both rows of such an update are alike in the log, and may not be netted to nothing."""
    make(project, "narrow_base")
    log(project, "narrow_base_log", "narrow_base", "id, k")
    totals(project, "narrow_totals", "narrow_base")
    project.model("narrow_rows", f"select id, n from {S}narrow_base where k = 1")
    project.model("narrow_counts", f"select k, count(*) as c from {S}narrow_base group by k")
    project.run()
    project.sql("update @.narrow_base set n = n + 100 where id in (1, 4)")
    project.run("narrow_base_log")
    vacuum(project, "narrow_base")
    outcome = project.run("narrow_totals", "narrow_rows", "narrow_counts")
    for view in ("narrow_totals", "narrow_rows"):
        assert "narrow_base_log leaves out n" in outcome.text(view), outcome.text(view)
    assert outcome.text("narrow_counts").startswith("FAST"), outcome.text("narrow_counts")
    for view in ("narrow_totals", "narrow_rows", "narrow_counts"):
        assert project.op("mview_verify", view=view).success


@pytest.mark.nightly
def test_columns_that_changed_are_no_secret_of_the_log(project: Project) -> None:
    """It compares names and types of its own columns: not their order, nor those it leaves out."""
    wide = "'delta.enableChangeDataFeed' = 'true', 'delta.enableTypeWidening' = 'true'"
    project.sql(
        f"create table @.moved using delta tblproperties ({wide}) as"
        " select id, cast(70000 as int) as a, cast(70000 as int) as b from range(20)"
    )
    log(project, "moved_log", "moved", "*")
    log(project, "moved_ids", "moved", "id")
    project.model("places", f"select id, to_json(array(*)) as parts from {S}moved")
    worth = f"select id % 3 as k, avg(cast(a * b as bigint)) as m from {S}moved group by 1"
    project.model("worth", worth)
    project.run()
    for turn, change_ in enumerate(("b after id", "a type bigint")):
        project.sql(f"alter table @.moved alter column {change_}")
        project.sql(f"insert into @.moved (id, a, b) values ({50 + turn}, 1, 2)")
        project.run("moved_log", "moved_ids", expect=None)
        vacuum(project, "moved")
        outcome = project.run("places", "worth")
        for view in ("places", "worth"):
            text = outcome.text(view)
            assert "not FAST: SCHEMA_CHANGED" in text or "CHANGE_DATA_UNAVAILABLE" in text, text
            verified = project.op("mview_verify", view=view, expect=None)
            assert verified.success, (view, change_, verified.log[-2000:])


def vacuum(project: Project, base: str) -> None:
    """Removes a table's change files, whatever their age."""
    project.sql(
        f"alter table @.{base} set tblproperties"
        " ('delta.deletedFileRetentionDuration' = 'interval 0 seconds')"
    )
    project.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        project.sql(f"vacuum @.{base} retain 0 hours")
    finally:
        project.spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    project.sql(
        f"alter table @.{base} set tblproperties"
        " ('delta.deletedFileRetentionDuration' = 'interval 1 week')"
    )


def lose(project: Project, base: str) -> None:
    """Deletes a table's change files."""
    (place,) = project.sql(f"describe detail @.{base}")
    files = list(Path(unquote(urlsplit(place.location).path)).glob("_change_data/*"))
    assert files
    for file in files:
        file.unlink()


DONE = {"vacuum": vacuum}
NOT_ON_4_0 = {"old", "truncated"}
# name -> (statements, reason): what a log cannot go on through
GAPS = {
    "vacuumed": ("vacuum", "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"),
    "old": (
        "alter table @ set tblproperties"
        " ('delta.deletedFileRetentionDuration' = 'interval 0 seconds')",
        "CHANGE_DATA_UNAVAILABLE: older than the table keeps",
    ),
    "feed_off": (
        "alter table @ set tblproperties ('delta.enableChangeDataFeed' = 'false')",
        "CHANGE_DATA_UNAVAILABLE: the base's change data feed was off",
    ),
    "feed_off_and_on": (
        "alter table @ set tblproperties ('delta.enableChangeDataFeed' = 'false');"
        "insert into @ values (3000, 1, 1, 'lost');"
        "alter table @ set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        "CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile",
    ),
    "replaced": (
        f"create or replace table @ using delta as select {ROWS}",
        "CHANGE_DATA_UNAVAILABLE: the base's change data feed was off",
    ),
    "created_again": (
        f"drop table @;create table @ using delta {FEED} as select {ROWS}",
        "SOURCE_REPLACED",
    ),
    "renamed": (
        "alter table @ set tblproperties ('delta.columnMapping.mode' = 'name');"
        "alter table @ rename column n to m;alter table @ add columns (n bigint)",
        "SCHEMA_CHANGED",
    ),
    "repartitioned": (
        f"create or replace table @ using delta partitioned by (k) {FEED} as select {ROWS}",
        "CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other partitions",
    ),
    "dropped": (
        "alter table @ set tblproperties ('delta.columnMapping.mode' = 'name');"
        "alter table @ drop column note",
        "SCHEMA_CHANGED",
    ),
    "columns_replaced": (
        "alter table @ set tblproperties ('delta.columnMapping.mode' = 'name');"
        "alter table @ replace columns (id bigint, k int);alter table @ add columns (n bigint)",
        "SCHEMA_CHANGED",
    ),
    "retyped": (
        "alter table @ set tblproperties ('delta.enableTypeWidening' = 'true');"
        "alter table @ alter column k type bigint",
        "SCHEMA_CHANGED: k",
    ),
}


def known(project: Project, cases: dict[str, Any]) -> dict[str, Any]:
    """Delta 4.0 reads old versions whatever their age, and truncates no table."""
    old = project.spark.version.startswith("4.0")
    return {name: case for name, case in cases.items() if not (old and name in NOT_ON_4_0)}


# One of each kind; the others are told by the same statement.
KINDS = {"vacuumed", "feed_off_and_on", "created_again", "renamed", "repartitioned"}


@pytest.mark.parametrize(
    "names",
    [KINDS, pytest.param(set(GAPS) - KINDS, marks=pytest.mark.nightly)],
    ids=["kinds", "others"],
)
def test_gaps_are_told(project: Project, names: set[str]) -> None:
    """The log is rebuilt, and the view over the base goes COMPLETE, once."""
    gaps = known(project, {name: GAPS[name] for name in GAPS if name in names})
    for gap in gaps:
        make(project, gap)
        log(project, f"{gap}_log", gap)
        totals(project, f"{gap}_totals", gap)
    project.run()
    for gap, (statements, _) in gaps.items():
        change(project, gap)
        for statement in statements.split(";"):
            if statement in DONE:
                DONE[statement](project, gap)
            else:
                project.sql(statement.replace("@", f"@.{gap}"))
    outcome = project.run("config.materialized:materialized_view_log")
    told = {gap: outcome.text(f"{gap}_log") for gap in gaps}
    wrong = {gap: told[gap] for gap, (_, reason) in gaps.items() if reason not in told[gap]}
    assert not wrong and outcome.log.count("was rebuilt, and begins at") >= len(gaps)
    assert not [gap for gap in gaps if logged(project, f"{gap}_log")]
    outcome = project.run("config.materialized:mview")
    done = {gap: outcome.text(f"{gap}_totals") for gap in gaps}
    # Whatever became of its feed, the two versions of a table that was replaced can be compared.
    for gap in {"repartitioned", "replaced"} & set(done):
        assert done.pop(gap).startswith("FAST v0, 0 rows"), gap
    assert not {gap: text for gap, text in done.items() if not text.startswith("COMPLETE")}
    named = {gap: reason.split(":")[0] for gap, (_, reason) in gaps.items()}
    assert not {gap: text for gap, text in done.items() if named[gap] not in text}
    after = [gap for gap in ("created_again", "renamed") if gap in gaps]
    if not after:
        return
    for gap in after:
        totals(project, f"{gap}_totals", gap, refresh="fast")
        change(project, gap)
    outcome = project.run(*[f"{gap}_log" for gap in after], *[f"{gap}_totals" for gap in after])
    for gap in after:
        assert outcome.text(f"{gap}_log").startswith("CAPTURE"), outcome.text(f"{gap}_log")
        since = project.commits(gap)[2].version
        assert logged(project, f"{gap}_log") == fed(project, gap, since), gap
        assert outcome.text(f"{gap}_totals").startswith("FAST"), outcome.text(f"{gap}_totals")
    for gap in after:
        query = f"select k, count(*) as n, sum(n) as total from @.{gap} group by k"
        assert project.holds(f"{gap}_totals", query), gap


@pytest.mark.nightly
def test_change_files_that_are_gone(project: Project) -> None:
    """What is young may come back; what is old a VACUUM that leaves no trace may have taken."""
    logged_changes(project, "lost", 1)
    change(project, "lost")
    held = logged(project, "lost_log")
    lose(project, "lost")
    outcome = project.run("lost_log", expect=False)
    assert "FAILED_READ_FILE" in outcome.text("lost_log")
    assert "If they are gone for good, rebuild the log with --full-refresh" in outcome.log
    assert held and logged(project, "lost_log") == held
    project.sql(
        "alter table @.lost set tblproperties"
        " ('delta.deletedFileRetentionDuration' = 'interval 0 seconds')"
    )
    # Some releases of Delta read old versions whatever their age.
    project.spark.conf.set(AGE_IS_CHECKED, "false")
    try:
        outcome = project.run("lost_log")
    finally:
        project.spark.conf.unset(AGE_IS_CHECKED)
    assert "CHANGE_DATA_UNAVAILABLE: the feed cannot be read" in outcome.text("lost_log")
    assert logged(project, "lost_log") == []


# name -> statements: what a log goes on through
CARRIED_ON = {
    "overwritten": "insert overwrite @ select id + 1, k, n, note from @",
    "truncated": "truncate table @",
    "restored": "delete from @ where id < 5;restore table @ to version as of 0",
    "replaced_with_feed": f"create or replace table @ using delta {FEED} as select {ROWS}",
    "added": "alter table @ add columns (extra int);insert into @ values (50, 1, 1, 'with', 7)",
    "commented": "alter table @ alter column n comment 'how many'",
    "vectors": "alter table @ set tblproperties ('delta.enableDeletionVectors' = 'true');"
    "delete from @ where id = 7",
    "mapped": "alter table @ set tblproperties ('delta.columnMapping.mode' = 'name')",
    "constrained": "alter table @ add constraint positive check (n > -1000)",
    "unchanged_rows": "update @ set n = n where id = 9;update @ set n = 0 where id = -1",
    "merged": "merge into @ as t using (select explode(array(3, -3)) as id, 70 as n) as s"
    " on t.id = s.id when matched then update set n = s.n"
    " when not matched then insert (id, k, n) values (s.id, 0, s.n)",
    "partitioned": "insert overwrite @ select id, k, n + 1, note from @;"
    f"create or replace table @ using delta partitioned by (k) {FEED} as select {ROWS}",
}


@pytest.mark.nightly
def test_what_a_log_goes_on_through(project: Project) -> None:
    carried_on = known(project, CARRIED_ON)
    for what in carried_on:
        make(project, what, f"partitioned by (k) {FEED}" if what == "partitioned" else FEED)
        log(project, f"{what}_log", what)
        log(project, f"{what}_all", what, "*")
    project.run()
    for what, statements in carried_on.items():
        for statement in statements.split(";"):
            project.sql(statement.replace("@", f"@.{what}"))
        project.sql(f"insert into @.{what} (id, k, n) values (60, 0, 0)")
    outcome = project.run()
    for what in carried_on:
        held = logged(project, f"{what}_log")
        assert outcome.text(f"{what}_log").startswith("CAPTURE"), outcome.text(f"{what}_log")
        assert outcome.text(f"{what}_all").startswith("CAPTURE"), outcome.text(f"{what}_all")
        assert held == fed(project, what, 1) == logged(project, f"{what}_all"), what
        assert held
    assert [row.extra for row in project.sql("select extra from @.added_all order by 1")] == [
        None,
        7,
    ]


@pytest.mark.nightly
def test_tables_that_are_not_read_as_they_were(project: Project) -> None:
    """Delta's feed gives what went by the columns and partitions of now, without a word of it: a
    log begins anew, a view compares the versions."""
    mapped = f"{FEED[:-1]}, 'delta.columnMapping.mode' = 'name')"
    project.sql(f"create table @.back (id int, x int) using delta {mapped}")
    project.sql("insert into @.back values (1, 10), (2, 20)")
    project.sql("alter table @.back drop column x")
    project.sql("alter table @.back add column x int")
    make(project, "parts")
    for name, layout in {"turned": "k", "flat": "k"}.items():
        project.sql(
            f"create table @.{name} using delta partitioned by ({layout}) {FEED} as select {ROWS}"
        )
    by_n = (
        f"create or replace table @.turned using delta partitioned by (n) {FEED} as select {ROWS}"
    )
    project.sql(by_n)
    project.sql("restore table @.turned to version as of 0")
    project.sql(f"create table @.chars (id int, s char(5)) using delta {FEED}")
    project.sql("insert into @.chars values (1, 'ab'), (2, 'c')")
    log(project, "back_log", "back", "id, x")
    project.model("rows_back", f"select id, x from {S}back", refresh="fast")
    project.model("by_part", f"select k, count(*) as n from {S}parts group by k")
    project.model("by_turned", f"select k, count(*) as n from {S}turned group by k")
    project.model("by_flat", f"select k, count(*) as n from {S}flat group by k")
    project.model("padded", f"select id, concat(s, '.') as s from {S}chars")
    project.run()
    assert sorted(project.rows("padded")) == [(1, "ab   ."), (2, "c    .")]
    project.sql("restore table @.back to version as of 1")
    project.sql(
        f"create or replace table @.parts using delta partitioned by (k) {FEED} as select {ROWS}"
    )
    project.sql("alter table @.chars alter column s type varchar(5)")
    project.sql(by_n)
    # Of whatever a session overwrites that does so dynamically, Delta notes that it was dynamic.
    (flat,) = project.sql("describe detail @.flat")
    rows = project.spark.sql(f"select {ROWS}").write.format("delta").mode("overwrite")
    mode = "spark.sql.sources.partitionOverwriteMode"
    before = project.spark.conf.get(mode)
    project.spark.conf.set(mode, "dynamic")
    try:
        rows.option("overwriteSchema", "true").save(flat.location)
    finally:
        project.spark.conf.set(mode, before)
    assert project.sql("describe detail @.flat")[0].partitionColumns == []
    strict = project.op("mview_refresh", view="padded", method="fast", expect=False)
    assert "this refresh cannot be: SCHEMA_CHANGED" in strict.log, strict.log[-2000:]
    assert project.info("padded").lock_owner is None
    outcome = project.run()
    assert "was rebuilt" in outcome.log and "with other columns" in outcome.text("back_log")
    assert outcome.text("padded").startswith("COMPLETE"), outcome.text("padded")
    for view in ["by_turned", "by_flat", "rows_back", "by_part"]:
        assert outcome.text(view).startswith("FAST"), outcome.text(view)
        assert project.op("mview_verify", view=view).success, view
    assert sorted(project.rows("padded")) == [(1, "ab."), (2, "c.")]
    assert sorted(project.rows("rows_back")) == [(1, 10), (2, 20)]


# name -> statement: what somebody does to a log, where only captures and purges should write
MEDDLING = {
    "meddled_delete": "delete from @ where id = 1",
    "meddled_update": "update @ set n = 0",
    "meddled_restore": "restore table @ to version as of 0",
    "meddled_insert": "insert into @ select * from @",
}


@pytest.mark.parametrize(
    "names",
    [
        ["meddled_delete", "meddled_insert"],
        pytest.param(["meddled_update", "meddled_restore"], marks=pytest.mark.nightly),
    ],
    ids=["kinds", "others"],
)
def test_a_log_that_somebody_wrote_to(project: Project, names: list[str]) -> None:
    """No view trusts it, and it is rebuilt."""
    logs = "config.materialized:materialized_view_log"
    for name in names:
        make(project, name)
        log(project, f"{name}_log", name)
        totals(project, f"{name}_totals", name)
    project.run()
    for name in names:
        change(project, name)
    project.run(logs)
    for name in names:
        project.sql(MEDDLING[name].replace("@", f"@.{name}_log"))
        vacuum(project, name)
    outcome = project.run("config.materialized:mview")
    for name in names:
        told = f"CHANGE_DATA_UNAVAILABLE: test_log.{name}_log was changed: "
        assert told in outcome.text(f"{name}_totals"), outcome.text(f"{name}_totals")
    assert project.op("mlog_info").log.count("to be rebuilt: ") == len(names)
    outcome = project.run(logs)
    for name in names:
        assert ": LOG_CHANGED: " in outcome.text(f"{name}_log"), outcome.text(f"{name}_log")
        change(project, name)
    outcome = project.run(logs)
    for name in names:
        assert outcome.text(f"{name}_log").startswith("CAPTURE"), outcome.text(f"{name}_log")
        since = project.commits(name)[1].version
        assert logged(project, f"{name}_log") == fed(project, name, since) != []
    assert project.op("mview_verify").success


def test_bad_logs(project: Project) -> None:
    make(project, "base")
    project.sql("create view @.a_view as select * from @.base")
    project.sql("create table @.taken using delta as select 1 as id")
    plain = "is `select <columns> from <table>`"
    cases = {
        "filtered": ("id", "base where k = 1", plain),
        "aliased": ("id as i", "base", plain),
        "computed": ("id + 1", "base", plain),
        "viewed": ("id", "a_view", "is one Delta table, not spark_catalog.test_log.a_view"),
        "taken": ("id", "base", "exists and is no materialized view log"),
    }
    for name, (columns, base, _) in cases.items():
        log(project, name, base, columns)
    log(project, "cut", "base", partition_by="k")
    feed = {"delta.enableChangeDataFeed": True}
    log(project, "fed", "base", tblproperties=feed)
    outcome = project.run(expect=False)
    assert outcome.text("fed").startswith("START"), "of the names of its columns there is no feed"
    for name, (*_, message) in cases.items():
        assert message in outcome.text(name), outcome.text(name)
    assert "takes no partition_by" in outcome.text("cut")
    assert project.rows("taken") == [(1,)]


def verdicts(outcome: Outcome) -> list[str]:
    """Those of dbt's tests, hooks aside."""
    return sorted(status for status in outcome.status.values() if status in ("pass", "fail"))


def test_generic_tests(project: Project) -> None:
    make(project, "facts")
    totals(project, "totals", "facts")
    fresh = {"dbt_mview.mview_fresh": {"name": "in_time", "arguments": {"max_lag": "1 hour"}}}
    tests = ["dbt_mview.mview_matches_query", "dbt_mview.mview_fresh", fresh]
    project.write("models/tests.yml", {"models": [{"name": "totals", "data_tests": tests}]})
    project.dbt("build")
    change(project, "facts")
    outcome = project.dbt("test", expect=False)
    assert verdicts(outcome) == ["fail", "pass", "pass"], outcome.log
    project.sql("update @.totals set c = c + 1 where k = 1")
    version = project.commits("totals")[0].version
    project.sql(f"update @_mview.mview_refresh_info set target_version = {version}")
    outcome = project.dbt("test", "--select", "test_name:mview_matches_query", expect=False)
    assert verdicts(outcome) == ["fail"]
    assert "Got 2 results" in outcome.log
