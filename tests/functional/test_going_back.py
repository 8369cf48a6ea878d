"""Sources that are older than what a view has read of them: no run goes back in silence."""

from __future__ import annotations

import os
import time

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.spark

WAY_BACK = "into another target, or take the view back with --full-refresh."


def test_an_older_source_is_an_error_until_it_is_asked_for(project: Project) -> None:
    """A table that another one took the place of, and a run as of a time before the view's; beside
    them one that was restored, which is a change like any other.
    """
    for name in ("copy", "swapped", "early", "restored"):
        project.sql(
            f"create or replace table @.{name} using delta"
            " tblproperties ('delta.enableChangeDataFeed' = 'true') as select 1 as id"
        )
        if name != "copy":
            project.sql(f"insert into @.{name} values (2)")
    # As of a run that begins before what the view has read: that was written in an hour.
    late = time.time() + 3600
    os.utime(project.commit_file("early", 1), (late, late))
    views = {f"over_{name}": name for name in ("swapped", "early", "restored")}
    for view, name in views.items():
        config = {"refresh": "fast"} if name == "restored" else {"read_consistency": "latest"}
        project.model(view, f"select id from {project.schema}.{name}", **config)
    project.run()
    assert {view: project.rows(view) for view in views} == {key: [(1,), (2,)] for key in views}

    project.sql("alter table @.swapped rename to @.away")
    project.sql("alter table @.copy rename to @.swapped")
    project.sql("restore table @.restored to version as of 0")
    project.model("over_early", f"select id from {project.schema}.early")
    before = {view: project.info(view) for view in views}
    outcome = project.run(expect=False)
    name = f"spark_catalog.{project.schema}"
    swapped, early = outcome.text("over_swapped"), outcome.text("over_early")
    assert f"{name}.over_swapped: it has read {name}.swapped at v1 of " in swapped
    assert ", and the newest version of that table is v0 of " in swapped
    assert "it was replaced by an older table. Rebuild the view from it with --full-re" in swapped
    assert f"{name}.over_early: it has read {name}.early at v1 of " in early
    assert "this run reads it as of " in early and ", at v0 of " in early and WAY_BACK in early
    assert outcome.text("over_restored").startswith("FAST v1, "), outcome.text("over_restored")
    assert "restored v1 -> v2" in outcome.text("over_restored")
    assert project.rows("over_restored") == [(1,)]
    for view in ("over_swapped", "over_early"):
        assert project.rows(view) == [(1,), (2,)]
        now, was = project.info(view), before[view]
        assert (now.last_refresh_result, now.lock_owner) == ("failed", None)
        assert now.sources == was.sources
        assert now.last_successful_refresh_read_time == was.last_successful_refresh_read_time

    outcome = project.run("over_swapped", "over_early", args=("--full-refresh",))
    for view in ("over_swapped", "over_early"):
        assert outcome.text(view).startswith("COMPLETE"), outcome.text(view)
        assert project.rows(view) == [(1,)]
        assert [source.version for source in project.info(view).sources] == [0]

    project.sql("alter table @.swapped rename to @.copy")
    project.sql("alter table @.away rename to @.swapped")
    outcome = project.run()
    assert outcome.text("over_early").startswith("SKIP"), outcome.text("over_early")
    assert "SOURCE_REPLACED" in outcome.text("over_swapped"), "newer, if not what was there before"
    assert project.rows("over_swapped") == [(1,), (2,)]
