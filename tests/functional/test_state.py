"""State that is missing, foreign, newer or lost."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

QUERY = "select id from test_state.src"


@pytest.fixture(scope="module", autouse=True)
def source(module_project: Project) -> None:
    """One source."""
    module_project.sql("create table @.src using delta as select 1 as id")


def test_a_lost_row_is_told_and_restored(project: Project) -> None:
    project.model("lost", QUERY)
    project.run()
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%.lost'")
    project.sql("insert into @.src values (2)")
    failed = project.run(expect=False)
    assert "refresh info row missing for spark_catalog.test_state.lost" in failed.text("lost")
    assert "mview_recover" in failed.text("lost")
    assert project.rows("lost") == [(1,)]
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%.lost'")
    assert "state restored from version 0" in project.op("mview_recover", view="lost").log
    info = project.info("lost")
    assert [s.version for s in info.sources] == [0] and info.target_version == 0
    assert "src v0 -> v1" in project.run().text("lost")
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%.lost'")
    assert "full refresh" in project.run(args=("--full-refresh",)).text("lost")


@pytest.mark.nightly
def test_a_row_that_a_failed_run_wrote_in_place_of_a_lost_one(project: Project) -> None:
    """It knows no token; Delta drops what is inserted under one that the view's log has seen."""
    project.sql("create table @.tokens using delta as select 1 as id")
    project.model("tokens_seen", "select id from test_state.tokens")
    for value in (2, 3, 4):
        project.run("tokens_seen")
        project.sql(f"insert into @.tokens values ({value})")
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%.tokens_seen'")
    project.model("tokens_seen", "select id from test_state.tokens", refresh="sometimes")
    project.run("tokens_seen", expect=False)
    project.model("tokens_seen", "select id from test_state.tokens")
    for value in (5, 6):
        project.run("tokens_seen")
        assert len(project.rows("tokens_seen")) == value - 1
        project.sql(f"insert into @.tokens values ({value})")


@pytest.mark.smoke
def test_foreign_and_newer_state_tables_are_refused(project: Project) -> None:
    project.model("any", QUERY)
    project.sql("create schema if not exists test_state_foreign")
    project.sql("create table test_state_foreign.mview_refresh_info (mview_id string) using delta")
    project.configure(vars={"dbt_mview:state_schema": "test_state_foreign"})
    foreign = project.run(expect=False)
    assert "exists and is not a state table of dbt_mview" in foreign.log
    project.sql(
        "alter table test_state_foreign.mview_refresh_info"
        " set tblproperties ('dbt_mview.layout' = '99')"
    )
    newer = project.run(expect=False)
    assert "state has layout 99, this release of dbt_mview knows up to " in newer.log
    project.sql("drop schema test_state_foreign cascade")
    assert project.run().status["any"] == "success"
    assert project.sql("select count(*) as n from test_state_foreign.mview_refresh_info")[0].n == 1
    project.sql("drop schema test_state_foreign cascade")


def test_the_doctor(project: Project) -> None:
    """All that it tries works here, and nothing of it stays."""
    said = project.op("mview_doctor").log
    tried = [line for line in said.splitlines() if line.endswith("  ok")]
    assert len(tried) == said.count("mview_doctor tries") == 10, said
    assert not project.sql("show tables in @_mview like 'mview_stage_*'")


@pytest.mark.smoke
def test_operations_and_their_dry_runs(project: Project) -> None:
    """Every operation once for show, when nothing may change, and once for real."""
    project.model("op", QUERY)
    project.run()
    before = project.info("op")
    for name in ("mview_info", "mview_history", "mview_verify", "mview_recover", "mview_drop"):
        project.op(name, view="op", dry_run=True)
    project.op("mview_drop_orphans", dry_run=True)
    project.op("mview_maintain", dry_run=True)
    shown = project.op("mview_refresh", view="op", method="complete", dry_run=True).log
    assert project.info("op") == before and len(project.commits("op")) == 1

    steps = ["acquire", "publish", "record"]
    assert all(f"/* dbt_mview step={step} " in shown for step in steps)
    assert "SKIP nothing changed" in project.op("mview_refresh", view="op").log
    refreshed = project.op("mview_refresh", view="test_state.op", method="complete").log
    assert "COMPLETE v1" in refreshed and "complete refresh asked for" in refreshed
    assert project.info("op").lock_owner is None
    assert "test_state.op" in project.op("mview_info").log
    assert "complete refresh asked for" in project.op("mview_history", view="op").log
    assert "nothing to recover" in project.op("mview_recover", view="op").log
    wrong = project.op("mview_info", view="nope'; drop", expect=False).log
    assert "is no materialized view of this project or its state" in wrong
    project.op("mview_maintain")

    project.forget()
    dropped = project.op("mview_drop_orphans").log
    assert "spark_catalog.test_state.op: dropped" in dropped
    assert not project.sql("show tables in @ like 'op'") and project.info("op") is None
