"""Every way to fail: old data or new, said truly, the lock free, the next run fine."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

SOURCE = "select id, n from test_failures.src"
BOOM = "select id, if(n > 0, raise_error('boom'), n) as n from test_failures.src"


@pytest.fixture(autouse=True)
def source(module_project: Project) -> None:
    """The source as every test expects it."""
    module_project.sql("create or replace table @.src using delta as select 1 as id, 10 as n")


@pytest.mark.smoke
def test_failures_keep_the_last_result(project: Project) -> None:
    """Analysis, execution, audit, a missing function: one run, one failure each."""
    bad = {
        "in_analysis": ("select nope from test_failures.src", {}, "UNRESOLVED_COLUMN"),
        "in_execution": (BOOM, {}, "USER_RAISED_EXCEPTION"),
        "in_audit": (SOURCE, {"audit": "n < 11"}, "audit failed: n < 11"),
        "in_pre_hook": (SOURCE, {"pre_hook": "select * from no_such_table"}, "no_such_table"),
    }
    for name in bad:
        project.model(name, SOURCE)
    project.run()
    before = {name: project.info(name) for name in bad}
    project.sql("update @.src set n = 11")
    for name, (query, config, _) in bad.items():
        project.model(name, query, **config)
    outcome = project.run(expect=False)
    for name, (_, _, words) in bad.items():
        assert outcome.status[name] == "error", name
        assert words in outcome.text(name), outcome.text(name)
        info = project.info(name)
        assert project.rows(name) == [(1, 10)]
        assert info.last_refresh_result == "failed" and words in info.last_refresh_failed_reason
        assert info.sources == before[name].sources and info.lock_owner is None
        assert [h.refresh_status for h in project.history(name)] == ["failed", "success"]
        assert len(project.commits(name)) == 1
    for name in bad:
        project.model(name, SOURCE)
    project.run()
    for name in bad:
        assert project.rows(name) == [(1, 11)]
        assert project.info(name).last_refresh_result == "success"


def test_a_hook_that_fails_after_publishing(project: Project) -> None:
    project.model("hooked", SOURCE)
    project.run()
    project.sql("update @.src set n = 12")
    project.model("hooked", SOURCE, post_hook="select * from no_such_table")
    failed = project.run(expect=False)
    assert "no_such_table" in failed.text("hooked")
    assert project.rows("hooked") == [(1, 12)]
    info = project.info("hooked")
    assert info.last_refresh_result == "success" and info.lock_owner is None
    assert info.last_refresh_failed_reason.startswith("published, but failed afterwards:")
    assert "no_such_table" in info.last_refresh_failed_reason
    again = project.run(expect=False)
    assert "no_such_table" in again.text("hooked"), "what is left to do is not forgotten"
    assert project.info("hooked").last_refresh_result == "success"
    project.model("hooked", SOURCE, post_hook=f"insert into {project.schema}.hook_ran values (1)")
    project.sql("create or replace table @.hook_ran (a int) using delta")
    for _ in range(2):
        assert project.run().text("hooked").startswith("SKIP")
    assert project.rows("hook_ran") == [(1,)], "once"


@pytest.mark.smoke
def test_a_first_build_that_fails(project: Project) -> None:
    project.model("never", BOOM)
    project.run(expect=False)
    assert not project.sql("show tables in @ like 'never'")
    assert project.info("never").last_refresh_result == "failed"
    project.model("never", SOURCE)
    assert "first build" in project.run().text("never")


def test_changes_by_hand_are_told_and_repaired(project: Project) -> None:
    project.model("mine", SOURCE)
    project.run()
    project.sql("delete from @.mine")
    assert "TARGET_CHANGED: DELETE by somebody else in version 1" in project.run().text("mine")
    assert project.rows("mine") == [(1, 10)]
    project.sql("alter table @.mine add columns (extra int)")
    assert "TARGET_CHANGED: ADD COLUMNS" in project.run().text("mine")
    assert project.rows("mine") == [(1, 10)]
    project.sql("optimize @.mine")
    project.sql("alter table @.mine set tblproperties ('who' = 'dba')")
    assert project.run().text("mine").startswith("SKIP")
    project.sql("drop table @.mine")
    assert "first build" in project.run().text("mine")
    project.sql("drop table @.mine")
    project.sql("create table @.mine using delta as select 5 as other")
    assert "TARGET_CHANGED: it was dropped or recreated" in project.run().text("mine")
    assert project.rows("mine") == [(1, 10)]
