"""Plans in state: when they are made, what moves them, and what is due by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from dbt_mview import cli
from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

HOUR = "{'next': \"now() + interval 1 hour\"}"


@pytest.fixture
def elsewhere(module_project: Project) -> Iterator[None]:
    """A session far from UTC."""
    conf = module_project.spark.conf
    conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    conf.set("spark.sql.session.timeZone", "UTC")


def minutes(project: Project, view: str) -> float | None:
    """How many minutes from now the view is due; None if it has no time."""
    (row,) = project.sql(
        f"select (unix_micros(next_time) - unix_micros(current_timestamp())) / 6e7 as away"
        f" from @_mview.mview_refresh_info where mview_id like '%.{view}'"
    )
    away: float | None = row.away
    return away


def come(project: Project, *views: str) -> None:
    """The planned time of views comes, a quarter of an hour ago."""
    names = ", ".join(f"'spark_catalog.{project.schema}.{view}'" for view in views)
    project.sql(
        "update @_mview.mview_refresh_info set next_time = current_timestamp()"
        f" - interval 15 minutes, retry_time = null where mview_id in ({names})"
    )


def due(project: Project, *args: str) -> str:
    """What `dbt-mview due` prints."""
    result = CliRunner().invoke(cli.main, ["due", *args, *project.where()])
    assert result.exit_code == 0, result.output
    return result.stdout


def selected(project: Project) -> set[str]:
    """The models that mview_due names as due."""
    lines = project.op("mview_due", format="selector").log.splitlines()
    printed = [line for line in lines if re.fullmatch(r"p\.\w+( p\.\w+)*", line)]
    assert len(printed) <= 1, printed
    return {name.removeprefix("p.") for line in printed for name in line.split()}


def test_every_kind_of_plan(project: Project, elsewhere: None) -> None:
    """Made with the first build, moved by the run whose time it was, left alone by others."""
    project.sql("create or replace table @.src using delta as select 1 as id")
    query = f"select id from {project.schema}.src"
    plans: dict[str, Any] = {
        "hourly": {"every": "1 hour"},
        "nightly": {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
        "later": {"start_with": "timestamp_ntz'2040-01-01 03:00:00'", "next": "now() -- soon"},
        "soon": {"start_with": "now()", "next": "current_timestamp() + interval 1 hour"},
        "once": {"start_with": "date'2040-01-01'"},
        "never": {"next": "null"},
        "follows": {"on_update": True},
    }
    for view, plan in plans.items():
        project.model(view, query, schedule=plan)
    project.model("lagging", query, target_lag="1 hour")
    project.model("unplanned", query)
    project.run()

    assert 50 < (minutes(project, "hourly") or 0) <= 60
    assert 50 < (minutes(project, "soon") or 0) <= 60, "START WITH is nearer than ten seconds"
    assert 45 < (minutes(project, "lagging") or 0) < 60, "a refresh takes its time"
    for view in ("nightly", "never", "unplanned"):
        assert minutes(project, view) is None, view
    at = "select unix_micros(next_time) as at from @_mview.mview_refresh_info where mview_id like "
    assert project.sql(at + "'%.later'")[0].at == 2208999600000000, "UTC, wherever the session is"
    assert project.sql(at + "'%.once'")[0].at == 2208988800000000
    assert selected(project) == set(), "on_update waits for a change"

    project.sql("insert into @.src values (2)")
    assert selected(project) == {"follows"}
    planned = ("hourly", "soon", "once", "lagging")
    come(project, *planned)
    table = project.op("mview_due").log
    assert re.search(
        r"_schedule\.lagging +refresh +\S+ \S+ +test_schedule\.src v0 -> v1 +p\.lag", table
    )
    assert "1 cron schedules have no NEXT_TIME yet" in table
    assert selected(project) == {*planned, "follows"}

    project.run(*planned, "follows", "later")
    assert 35 < (minutes(project, "hourly") or 0) <= 45, "from the time that was planned"
    assert 50 < (minutes(project, "soon") or 0) <= 60
    assert minutes(project, "once") is None, "START WITH alone: no more"
    assert (minutes(project, "later") or 0) > 1e6, "a manual run leaves it alone"
    assert selected(project) == set()

    come(project, "hourly", "nightly")
    assert project.run("hourly").text("hourly").startswith("SKIP")
    assert 35 < (minutes(project, "hourly") or 0) <= 45, "a skip was its run as well"
    assert due(project, "--selector").split() == ["p.nightly"]
    come(project, "hourly")
    project.op("mview_refresh", view="hourly", method="complete")
    assert (minutes(project, "hourly") or 0) < 0, "a run-operation is a manual refresh"


def test_cron(project: Project) -> None:
    """Macros leave its time open, `dbt-mview due` works it out; a new schedule plans anew."""
    query = "select 1 as id"
    project.model("clocked", query, schedule={"cron": "0 3 1 1 *"})
    project.run()
    assert "clocked" not in due(project)
    away = minutes(project, "clocked")
    assert away is not None and 0 < away < 366 * 24 * 60
    assert "SKIP" in project.run("clocked").text("clocked") and minutes(project, "clocked")
    come(project, "clocked")
    assert "schedule" in due(project) and due(project, "--selector").split() == ["p.clocked"]
    project.run("clocked")
    assert minutes(project, "clocked") is None
    name = f"spark_catalog.{project.schema}.clocked"
    project.op("mview_plan", times={name: 5}, after={name: 1})
    assert minutes(project, "clocked") is None, "it counts from another moment by now"
    assert due(project, "--selector") == ""
    come(project, "clocked")
    project.run("clocked")
    project.sql(
        "update @_mview.mview_refresh_info set schedule = regexp_replace(schedule,"
        f" '(\"after\": *)[0-9]+', '$1 1') where mview_id = '{name}'"
    )
    project.model(
        "clocked", query, schedule={"cron": "0 3 1 1 *"}, pre_hook="select * from no_such"
    )
    project.run("clocked", expect=False, args=("--full-refresh",))
    project.model("clocked", query, schedule={"cron": "0 3 1 1 *"})
    assert due(project, "--selector").split() == ["p.clocked"], "a run that failed leaves its fire"
    project.run("clocked")
    project.model("clocked", query, schedule={"every": "2 hours"})
    assert "SKIP" in project.run("clocked").text("clocked")
    assert 110 < (minutes(project, "clocked") or 0) <= 120
    project.model("clocked", query)
    project.run("clocked")
    assert minutes(project, "clocked") is None


def test_what_waits_for_sources(project: Project) -> None:
    """A skip leaves its plan; a source that is gone makes it due, and nothing else fails."""
    waits = {"on_update": True, "at_most_every": "1 hour"}
    for name in ("kept", "lost"):
        project.sql(f"create or replace table @.{name} using delta as select 1 as id")
        project.model(f"of_{name}", f"select id from {project.schema}.{name}", schedule=waits)
    project.run()
    come(project, "of_kept", "of_lost")
    plan = project.info("of_kept").next_time
    assert plan is not None
    assert project.run("of_kept").text("of_kept").startswith("SKIP")
    assert project.info("of_kept").next_time == plan
    assert selected(project) == set()
    project.sql("insert into @.kept values (2)")
    project.sql("drop table @.lost")
    assert selected(project) == {"of_kept", "of_lost"}
    table = project.op("mview_due").log
    assert "SOURCE_MISSING: test_schedule.lost is gone" in table
    project.run("of_kept")
    assert 55 < (minutes(project, "of_kept") or 0) <= 60
    assert selected(project) == {"of_lost"}


def test_failures_are_tried_again_later_and_later(project: Project) -> None:
    project.sql("create or replace table @.shaky using delta as select 1 as id")
    query = f"select if(id < 9, id, raise_error('too many')) as n from {project.schema}.shaky"
    project.model("shaky_view", query, schedule={"every": "1 hour"})
    project.run()
    project.sql("insert into @.shaky values (10)")
    come(project, "shaky_view")
    for count, seconds in ((1, 5), (2, 10)):
        project.run(expect=False)
        info = project.info("shaky_view")
        assert info.failures == count
        assert (info.retry_time - info.last_refresh_time).total_seconds() == seconds
        assert (minutes(project, "shaky_view") or 0) < -14, "the plan stays"
    project.sql(
        "update @_mview.mview_refresh_info set failures = 9, retry_time = current_timestamp()"
        " - interval 1 second where mview_id like '%.shaky_view'"
    )
    assert "retry after failure 9" in project.op("mview_due").log
    project.run(expect=False)
    info = project.info("shaky_view")
    pause = (info.retry_time - info.last_refresh_time).total_seconds()
    assert pause == 300, "five minutes at most"
    project.sql("update @_mview.mview_refresh_info set failures = 15 where failures = 10")
    project.run(expect=False)
    info = project.info("shaky_view")
    assert (info.failures, info.retry_time) == (16, None)
    assert "shaky_view" not in project.op("mview_due").log, "it is broken"
    assert "BROKEN after 16 failures" in project.op("mview_info", view="shaky_view").log
    reset = project.op("mview_reset", view="shaky_view").log
    assert "BROKEN" not in reset and "shaky_view" in selected(project)
    assert "paused since" in project.op("mview_pause", view="shaky_view").log
    assert "shaky_view" not in project.op("mview_due").log
    project.op("mview_resume", view="all")
    assert "shaky_view" in selected(project)
    project.run(expect=False)
    assert project.info("shaky_view").failures == 1
    project.sql("delete from @.shaky where id = 10")
    project.run()
    info = project.info("shaky_view")
    assert (info.failures, info.retry_time) == (None, None)
    assert (minutes(project, "shaky_view") or 0) > 40


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ({"next": "no such thing"}, "PARSE_SYNTAX_ERROR"),
        pytest.param({"next": "17"}, "DATATYPE_MISMATCH", marks=pytest.mark.nightly),
        pytest.param(
            {"start_with": "unknown_column"}, "UNRESOLVED_COLUMN", marks=pytest.mark.nightly
        ),
        ({"cron": "61 * * * *"}, "'61' is not within 0 to 59"),
        pytest.param(
            {"every": "now and then"}, "Give a duration such as", marks=pytest.mark.nightly
        ),
    ],
)
def test_bad_plans_are_refused(project: Project, schedule: dict[str, str], message: str) -> None:
    """When the model is built, and before anything is."""
    project.model("misplanned", "select 1 as id", schedule=schedule)
    assert message in project.run(expect=False).text("misplanned")
    assert not project.sql("show tables in @ like 'misplanned'")


def test_a_scheduled_purge(project: Project) -> None:
    """A run of the log purges when the time of its plan has come, and moves it."""
    project.sql("create or replace table @.base using delta as select 1 as id")
    log = f"select id from {project.schema}.base"
    project.model("base_log", log, materialized="materialized_view_log", purge={"every": "1 hour"})
    project.run()
    for id_ in (2, 3):
        project.sql(f"insert into @.base values ({id_})")
    project.run()
    assert len(project.rows("base_log")) == 2 and not project.sql(
        "select * from @_mview.mlog_purge_hist"
    )
    project.sql(
        "update @_mview.mlog_purge_info set next_time = current_timestamp() - interval 15 minutes"
    )
    assert selected(project) == {"base_log"}
    project.run()
    (row,) = project.sql("select * from @_mview.mlog_purge_hist")
    assert (row.purge_method, row.purge_status, row.purge_rows) == ("automatic", "success", 2)
    (plan,) = project.sql(
        "select (unix_micros(next_time) - unix_micros(current_timestamp())) / 6e7 as away,"
        " lock_owner from @_mview.mlog_purge_info"
    )
    assert 35 < plan.away <= 45 and plan.lock_owner is None
    assert project.rows("base_log") == [] and "Z" in project.op("mlog_info").log
    project.op("mview_maintain")
    assert "VACUUM END" in {commit.operation for commit in project.commits("base_log")}
    (row,) = project.sql("select * from @_mview.mlog_purge_hist")
    assert row.purge_rows == 2


@pytest.mark.nightly
def test_a_purge_by_cron(project: Project) -> None:
    """It counts from the last purge by its plan; a log that fails before it is due again later."""
    project.sql("create or replace table @.often using delta as select 1 as id")
    log = f"select id from {project.schema}.often"
    cron = {"materialized": "materialized_view_log", "purge": {"cron": "* * * * *"}}
    name = f"spark_catalog.{project.schema}.often_log"

    def row() -> Any:
        (found,) = project.sql(f"select * from @_mview.mlog_purge_info where mlog_id = '{name}'")
        return found

    project.model("often_log", log, **cron)
    project.run("often_log")
    assert row().next_time is None
    due(project)
    first = row().next_time
    assert first is not None
    project.sql(
        "update @_mview.mlog_purge_info set next_time = current_timestamp() - interval 1 minute"
        f" where mlog_id = '{name}'"
    )
    project.sql("insert into @.often values (2)")
    project.model("often_log", log, **cron, pre_hook="select * from nowhere")
    project.run("often_log", expect=False)
    assert (row().failures, row().lock_owner) == (1, None)
    assert row().retry_time > row().next_time
    project.model("often_log", log, **cron)
    project.sql(
        "update @_mview.mlog_purge_info set retry_time = current_timestamp() - interval 1 second"
        f" where mlog_id = '{name}'"
    )
    project.run("often_log")
    (hist,) = project.sql(f"select * from @_mview.mlog_purge_hist where mlog_id = '{name}'")
    assert (hist.purge_method, hist.purge_status, hist.purge_rows) == ("automatic", "success", 1)
    assert (row().failures or 0, row().retry_time, row().next_time) == (0, None, None)
    due(project)
    assert row().next_time >= first


@pytest.mark.nightly
def test_state_of_an_older_release(project: Project) -> None:
    """Its tables get the new columns with the first run, and nothing else changes."""
    project.sql("create table if not exists @.base using delta as select 1 as id")
    log = f"select id from {project.schema}.base"
    project.model("base_log", log, materialized="materialized_view_log")
    project.model("kept", "select 1 as id")
    project.run()
    for table, key in (("mview_refresh_info", "mview_id"), ("mlog_purge_info", "mlog_id")):
        project.sql(
            f"create or replace table @_mview.{table} using delta partitioned by ({key})"
            " tblproperties ('dbt_mview.layout' = '1') as"
            f" select * except (schedule, failures, retry_time, paused_time) from @_mview.{table}"
        )
    assert project.run().text("kept").startswith("SKIP")
    assert project.op("mview_info", view="kept").success
    project.model("kept", "select 1 as id", schedule={"every": "1 hour"})
    project.run()
    assert 50 < (minutes(project, "kept") or 0) <= 60
    assert "base_log" in project.op("mlog_info").log
    newest = dict(project.sql("show tblproperties @_mview.mview_refresh_hist"))
    for table in ("mview_refresh_info", "mlog_purge_info"):
        known = dict(project.sql(f"show tblproperties @_mview.{table}"))
        assert known["dbt_mview.layout"] == newest["dbt_mview.layout"] != "1"
        assert "retry_time,failures" in known["delta.dataSkippingStatsColumns"]
