"""The change log of a table: exactly once, gaps told, and what views make of it."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.spark

S = "{{ target.schema }}."
LOG = f"select id, k, n from {S}base"
TOTALS = f"select k, count(*) as c, sum(n) as total from {S}base group by k"


def log(project: Project, name: str = "mlog", sql: str = LOG, **config: object) -> None:
    project.model(name, sql, materialized="materialized_view_log", **config)


def base(project: Project, properties: str = "") -> None:
    """A table of ten rows, without a change data feed."""
    project.sql(
        f"create or replace table @.base using delta {properties} as"
        " select id, id % 3 as k, id as n, 'x' as note from range(10)"
    )


def change(project: Project) -> None:
    """Two updates, a delete and an insert: six rows of change in three commits."""
    project.sql("update @.base set n = n + 100 where id in (1, 2)")
    project.sql("delete from @.base where id = 3")
    project.sql("insert into @.base values (20, 1, 5, 'new')")


def logged(project: Project, name: str = "mlog") -> list[tuple[object, ...]]:
    """What the log holds, and what the feed holds for the same versions."""
    return [
        tuple(row)
        for row in project.sql(
            f"select id, k, n, _change_type, _commit_version from @.{name} order by 5, 4, 1"
        )
    ]


def fed(project: Project, since: int) -> list[tuple[object, ...]]:
    return [
        tuple(row)
        for row in project.sql(
            "select id, k, n, _change_type, _commit_version"
            f" from table_changes('@.base', {since}) order by 5, 4, 1"
        )
    ]


def test_first_capture_and_more(project: Project) -> None:
    base(project)
    log(project)
    first = project.run("mlog")
    assert first.text("mlog") == "START v1: first capture"
    assert "switched the change data feed of spark_catalog.test_log.base on" in first.log
    assert logged(project) == []
    change(project)
    assert project.run("mlog").text("mlog") == "CAPTURE v4, 6 rows: v1 -> v4"
    assert logged(project) == fed(project, 2) and len(logged(project)) == 6
    assert project.run("mlog").text("mlog") == "SKIP nothing changed since v4"
    project.sql("optimize @.base")
    before = project.commits("mlog")[0].version
    assert project.run("mlog").text("mlog") == "CAPTURE v5, 0 rows: v4 -> v5"
    assert project.commits("mlog")[0].version == before + 1
    project.sql("update @.base set n = n where id = 99")
    change(project)
    project.run("mlog")
    assert logged(project) == fed(project, 2)
    info = project.op("mlog_info", log="mlog").log
    assert "test_log.mlog" in info and "v1 " in info and "first capture" in info


def test_the_same_capture_twice_adds_nothing(project: Project) -> None:
    """The statement of a capture, sent again after another one, as a frozen run would."""
    base(project)
    log(project)
    project.run("mlog")
    change(project)
    project.run("mlog")
    held = logged(project)
    again = (
        "insert into @.mlog"
        " with ('txnAppId' = 'mlog:spark_catalog.test_log.mlog', 'txnVersion' = '{to}')"
        " (id, k, n, _change_type, _commit_version, _commit_timestamp)"
        " select id, k, n, _change_type, _commit_version, _commit_timestamp"
        " from table_changes('@.base', 2) where not exists"
        " (select 1 from @.mlog as logged where logged._commit_version > 1)"
    )
    for to in (4, 99):
        project.sql(again.format(to=to))
        assert logged(project) == held


def test_views_go_on_from_the_log_after_vacuum(project: Project) -> None:
    base(project, "tblproperties ('delta.enableChangeDataFeed' = 'true')")
    log(project)
    project.model("totals", TOTALS)
    project.model("narrow", f"select id, note from {S}base where k = 1", refresh="auto")
    project.run()
    change(project)
    project.run("mlog")
    vacuum(project)
    project.sql("insert into @.base values (21, 2, 7, 'late')")
    text = project.run("totals").text("totals")
    assert text.startswith("FAST") and "7 changed rows" in text
    narrow = project.run("narrow").text("narrow")
    assert "not FAST: CHANGE_DATA_UNAVAILABLE" in narrow
    assert project.op("mview_verify").log.count("equal") == 2


def vacuum(project: Project) -> None:
    """Removes the base's change files, whatever their age."""
    project.sql(
        "alter table @.base set tblproperties"
        " ('delta.deletedFileRetentionDuration' = 'interval 0 seconds')"
    )
    project.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        project.sql("vacuum @.base retain 0 hours")
    finally:
        project.spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")


GAPS = {
    "vacuumed": ("vacuum", "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"),
    "feed off": (
        "alter table @.base set tblproperties ('delta.enableChangeDataFeed' = 'false')",
        "CHANGE_DATA_UNAVAILABLE: the base's change data feed was off",
    ),
    "feed off and on": (
        "alter table @.base set tblproperties ('delta.enableChangeDataFeed' = 'false');"
        "insert into @.base values (30, 1, 1, 'lost');"
        "alter table @.base set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        "CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile",
    ),
    "replaced": (
        "create or replace table @.base using delta as"
        " select id, id % 3 as k, id as n, 'x' as note from range(5)",
        "CHANGE_DATA_UNAVAILABLE",
    ),
    "dropped and created": (
        "drop table @.base;create table @.base using delta"
        " tblproperties ('delta.enableChangeDataFeed' = 'true') as"
        " select id, id % 3 as k, id as n, 'x' as note from range(7)",
        "SOURCE_REPLACED",
    ),
}


@pytest.mark.parametrize("gap", GAPS)
def test_gaps_are_told(project: Project, gap: str) -> None:
    """The log begins anew, and the view over the base goes COMPLETE, once."""
    base(project, "tblproperties ('delta.enableChangeDataFeed' = 'true')")
    log(project)
    project.model("totals", TOTALS)
    project.run(args=("--full-refresh",))
    change(project)
    statements, reason = GAPS[gap]
    for statement in statements.split(";"):
        vacuum(project) if statement == "vacuum" else project.sql(statement)
    outcome = project.run("mlog")
    assert reason in outcome.text("mlog"), outcome.text("mlog")
    assert "begins anew" in outcome.log and logged(project) == []
    text = project.run("totals").text("totals")
    assert text.startswith("COMPLETE") and ("not FAST" in text or "SOURCE_REPLACED" in text), text
    change(project)
    assert project.run("mlog").text("mlog").startswith("CAPTURE")
    assert logged(project) == fed(project, project.commits("base")[2].version)
    assert project.run("totals").text("totals").startswith("FAST")
    assert project.op("mview_verify").log.count("equal") == 1


CARRIED_ON = {
    "overwritten": "insert overwrite @.base select id + 1, k, n, note from @.base",
    "truncated": "truncate table @.base",
    "restored": "delete from @.base where id < 5;restore table @.base to version as of 0",
    "replaced with its feed": "create or replace table @.base using delta"
    " tblproperties ('delta.enableChangeDataFeed' = 'true') as"
    " select id, id % 3 as k, id as n, 'x' as note from range(5)",
    "a column added": "alter table @.base add columns (extra int);"
    "insert into @.base values (50, 1, 1, 'with', 7)",
    "commented": "alter table @.base alter column n comment 'how many'",
    "deletion vectors": "alter table @.base set tblproperties"
    " ('delta.enableDeletionVectors' = 'true');delete from @.base where id = 7",
    "column mapping": "alter table @.base set tblproperties ('delta.columnMapping.mode' = 'name')",
    "a constraint": "alter table @.base add constraint positive check (n > -1000)",
}


@pytest.mark.parametrize("what", CARRIED_ON)
def test_what_a_log_goes_on_through(project: Project, what: str) -> None:
    base(project, "tblproperties ('delta.enableChangeDataFeed' = 'true')")
    log(project)
    log(project, "whole", f"select * from {S}base")
    project.run(args=("--full-refresh",))
    since = project.commits("base")[0].version + 1
    for statement in CARRIED_ON[what].split(";"):
        project.sql(statement)
    project.sql("insert into @.base (id, k, n) values (60, 0, 0)")
    outcome = project.run()
    assert outcome.text("mlog").startswith("CAPTURE"), outcome.text("mlog")
    assert outcome.text("whole").startswith("CAPTURE"), outcome.text("whole")
    assert logged(project) == fed(project, since) == logged(project, "whole")


def test_bad_logs(project: Project) -> None:
    base(project)
    project.sql("create or replace view @.a_view as select * from @.base")
    project.sql("create table if not exists @.taken using delta as select 1 as id")
    cases = {
        "filtered": (f"select id from {S}base where k = 1", "is `select <columns> from <table>`"),
        "renamed": (f"select id as i from {S}base", "is `select <columns> from <table>`"),
        "computed": (f"select id + 1 from {S}base", "is `select <columns> from <table>`"),
        "viewed": (f"select id from {S}a_view", "is one Delta table, not spark_catalog"),
        "taken": (f"select id from {S}base", "exists and is no materialized view log"),
    }
    for name, (sql, _) in cases.items():
        log(project, name, sql)
    log(project, "cut", partition_by="k")
    outcome = project.run(expect=False)
    for name, (_, message) in cases.items():
        assert message in outcome.text(name), outcome.text(name)
    assert "takes no partition_by" in outcome.text("cut")
    assert project.rows("taken") == [(1,)]


def test_generic_tests(project: Project) -> None:
    base(project, "tblproperties ('delta.enableChangeDataFeed' = 'true')")
    project.model("totals", TOTALS)
    fresh = {"dbt_mview.mview_fresh": {"arguments": {"max_lag": "1 hour"}}}
    tests = ["dbt_mview.mview_matches_query", "dbt_mview.mview_fresh", {**fresh, "name": "in_time"}]
    project.write("models/tests.yml", {"models": [{"name": "totals", "data_tests": tests}]})
    project.dbt("build")
    change(project)
    outcome = project.dbt("test", expect=False)
    verdicts = sorted(outcome.status.values())
    assert verdicts == ["fail", "pass", "pass"], outcome.log
    project.sql("update @.totals set c = c + 1 where k = 1")
    version = project.commits("totals")[0].version
    project.sql(f"update @_mview.mview_refresh_info set target_version = {version}")
    outcome = project.dbt("test", "--select", "test_name:mview_matches_query", expect=False)
    assert list(outcome.status.values()) == ["fail"]
    assert "Got 2 results" in outcome.log
