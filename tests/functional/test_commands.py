"""The other dbt commands: build with tests, docs generate, clone."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


@pytest.mark.smoke
def test_build_runs_tests_and_stops_what_depends_on_a_failed_one(project: Project) -> None:
    project.model("base", "select id from range(3)")
    project.model("over", "select count(*) as n from {{ ref('base') }}")
    tests = [{"unique": {"config": {"severity": "error"}}}, "not_null"]
    columns = [{"name": "id", "data_tests": tests}]
    project.write("models/schema.yml", {"models": [{"name": "base", "columns": columns}]})
    outcome = project.dbt("build")
    assert (
        outcome.text("base").startswith("COMPLETE") and outcome.status["unique_base_id"] == "pass"
    )
    project.model("base", "select 1 as id from range(2)")
    outcome = project.dbt("build", expect=False)
    assert outcome.status["unique_base_id"] == "fail" and outcome.status["over"] == "skipped"
    assert project.rows("base") == [(1,), (1,)] and project.rows("over") == [(3,)]
    assert project.info("base").last_refresh_result == "success"


def test_docs_know_views_as_tables(project: Project) -> None:
    project.artifacts = True
    project.model("documented", "select 1 as id, 'x' as name")
    project.run("documented")
    project.dbt("docs", "generate")
    catalog = json.loads((project.root / "target" / "catalog.json").read_text())
    columns = catalog["nodes"]["model.p.documented"]["columns"]
    assert [column["type"] for column in columns.values()] == ["int", "string"]


def test_clone_is_a_table_that_the_next_run_takes_over(project: Project) -> None:
    project.artifacts = True
    # dbt-spark clones only what says that it is Delta
    project.model("cloned", "select id from range(5)", file_format="delta")
    project.run("cloned")
    state = project.root / "state"
    shutil.rmtree(state, ignore_errors=True)
    shutil.copytree(project.root / "target", state)
    profiles = yaml.safe_load((project.root / "profiles.yml").read_text())
    other = {**profiles["p"]["outputs"]["t"], "schema": f"{project.schema}_clone"}
    profiles["p"]["outputs"]["c"] = other
    project.write("profiles.yml", profiles)
    clone = ("--select", "cloned", "--target", "c")
    project.dbt("clone", *clone, "--state", str(state))
    assert project.sql("select count(*) from @_clone.cloned")[0][0] == 5
    outcome = project.dbt("run", *clone)
    assert "first build in place of a delta" in outcome.text("cloned")
    assert project.dbt("run", *clone).text("cloned").startswith("SKIP")
    for schema in ("@_clone", "@_clone_mview"):
        project.sql(f"drop schema {schema} cascade")
