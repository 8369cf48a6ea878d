"""What the configs of a view do to its table, and when they change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


@pytest.fixture(scope="module", autouse=True)
def source(module_project: Project) -> None:
    """A source with few rows."""
    module_project.sql("create table @.src using delta as select 1 as id, 'a' as part")


def detail(project: Project, view: str) -> dict[str, object]:
    """DESCRIBE DETAIL as a dict."""
    return dict(project.sql(f"describe detail @.{view}")[0].asDict())


def test_layout_is_built_altered_and_replaced(project: Project, tmp_path: Path) -> None:
    query = "select id, part from {{ target.schema }}.src"
    project.model("parts", query, partition_by="part", tblproperties={"team": "core"})
    project.model("liquid", query, liquid_clustered_by=["id"], location_root=str(tmp_path))
    project.run()
    assert detail(project, "parts")["partitionColumns"] == ["part"]
    assert detail(project, "parts")["properties"]["team"] == "core"
    assert detail(project, "liquid")["clusteringColumns"] == ["id"]
    assert detail(project, "liquid")["location"] == f"file:{tmp_path}/liquid"

    table_id = detail(project, "parts")["id"]
    project.model("parts", query, partition_by="part", tblproperties={"contact": "me"})
    project.model("liquid", query, liquid_clustered_by=["part"], location_root=str(tmp_path))
    altered = project.run()
    assert "configuration changed: tblproperties" in altered.text("parts")
    assert "Applying ALTER to: test_configuration.parts" in altered.log
    assert "Applying REPLACE to: test_configuration.liquid" in altered.log
    properties = detail(project, "parts")["properties"]
    assert properties["contact"] == "me" and "team" not in properties
    assert detail(project, "parts")["id"] == table_id
    assert detail(project, "liquid")["clusteringColumns"] == ["part"]

    project.model("parts", query, partition_by="id", tblproperties={"contact": "me"})
    replaced = project.run("parts")
    assert "Applying REPLACE to: test_configuration.parts" in replaced.log
    assert detail(project, "parts")["partitionColumns"] == ["id"]
    assert project.rows("parts") == [(1, "a")]
    assert project.run("parts").text("parts").startswith("SKIP")


def test_on_configuration_change_continue_and_fail(project: Project) -> None:
    query = "select id, part from {{ target.schema }}.src"
    project.model("c", query)
    project.model("f", query)
    project.run()
    project.model("c", query, partition_by="id", on_configuration_change="continue")
    project.model("f", query, partition_by="id", on_configuration_change="fail")
    outcome = project.run(expect=False)
    assert "left alone: continue" in outcome.text("c")
    message = "Configuration changes were identified and `on_configuration_change` was set to"
    assert f"{message} `continue` for `test_configuration.c`" in outcome.log
    assert f"{message} `fail` for `test_configuration.f`" in outcome.log
    assert detail(project, "c")["partitionColumns"] == []
    assert detail(project, "f")["partitionColumns"] == []


def test_on_schema_change(project: Project) -> None:
    """Each mode against a query that gains, loses and retypes a column."""
    modes = ["unset", "ignore", "fail", "append_new_columns", "sync_all_columns"]

    def write(query: str) -> None:
        for mode in modes:
            config = {} if mode == "unset" else {"on_schema_change": mode}
            project.model(mode, f"select {query} from {{{{ target.schema }}}}.src", **config)

    def columns(view: str) -> dict[str, str]:
        return dict(project.spark.table(f"{project.schema}.{view}").dtypes)

    write("id, part")
    project.run()
    before = columns("unset")
    write("id, part, id + 1 as more")
    outcome = project.run(expect=False)
    assert outcome.status["fail"] == "error"
    assert "(new: more int) and on_schema_change is 'fail'" in outcome.text("fail")
    assert columns("ignore") == columns("fail") == before
    for mode in ("unset", "append_new_columns", "sync_all_columns"):
        assert columns(mode) == {**before, "more": "int"}, mode
    assert project.rows("append_new_columns") == [(1, "a", 2)]

    write("cast(id as bigint) as id, id + 1 as more")
    outcome = project.run(expect=False)
    assert "gone: part" in outcome.text("ignore") and outcome.status["ignore"] == "error"
    assert outcome.status["fail"] == "error"
    assert columns("sync_all_columns") == columns("unset") == {"id": "bigint", "more": "int"}
    assert columns("append_new_columns") == {**before, "more": "int"}
    assert project.rows("append_new_columns") == [(1, None, 2)]
    assert project.rows("ignore") == project.rows("fail") == [(1, "a")]
    assert project.op("mview_verify", view="sync_all_columns").success

    write("id + 1 as MORE, cast(id as bigint) as id")
    project.run("unset", "sync_all_columns", "append_new_columns")
    assert list(columns("unset")) == list(columns("sync_all_columns")) == ["MORE", "id"]
    assert list(columns("append_new_columns")) == ["id", "part", "more"]
    project.sql("insert into @.src values (2, 'b')")
    again = project.op("mview_refresh", view="unset", method="complete")
    assert "COMPLETE" in again.log and list(columns("unset")) == ["MORE", "id"]

    before_ = project.rows("append_new_columns")
    write("cast(id as bigint) * 3000000000 as id, 1 as more")
    failed = project.run("append_new_columns", expect=False).text("append_new_columns")
    assert "a value of id does not fit into int, as which on_schema_change keeps it" in failed
    assert project.rows("append_new_columns") == before_


def contract(project: Project, data_type: str = "int", check: str = "id > 0") -> None:
    """A model with an enforced contract, constraints and docs."""
    project.model(
        "held",
        "select part, id from {{ target.schema }}.held_src",
        contract={"enforced": True},
        persist_docs={"relation": True, "columns": True},
    )
    columns = [
        {
            "name": "id",
            "data_type": data_type,
            "description": "the key, it's 'quoted'",
            "constraints": [{"type": "not_null"}, {"type": "check", "expression": check}],
        },
        {"name": "part", "data_type": "string"},
    ]
    model = {"name": "held", "description": "held to its contract", "columns": columns}
    project.write("models/held.yml", {"version": 2, "models": [model]})


def test_contract_constraints_and_docs(project: Project) -> None:
    project.sql("create or replace table @.held_src using delta as select 1 as id, 'a' as part")
    contract(project)
    project.run()
    held = project.sql("describe table @.held")
    assert [(c.col_name, c.comment) for c in held[:2]] == [
        ("id", "the key, it's 'quoted'"),
        ("part", None),
    ]
    assert detail(project, "held")["description"] == "held to its contract"
    commits = len(project.commits("held"))
    project.sql("insert into @.held_src values (2, 'b')")
    project.run()
    assert len(project.commits("held")) == commits + 1, "docs that did not change cost a commit"

    for bad, words in ((-1, "check_"), (None, "not_null_id")):
        project.sql(f"insert into @.held_src values ({'null' if bad is None else bad}, 'c')")
        failed = project.run(expect=False)
        assert "CHECK constraint" in failed.text("held") and words in failed.text("held")
        assert project.rows("held") == [(1, "a"), (2, "b")]
        info = project.info("held")
        assert info.last_refresh_result == "failed" and info.lock_owner is None
        assert "CHECK constraint" in info.last_refresh_failed_reason
        assert [source.version for source in info.sources] == [1]
        project.sql("delete from @.held_src where part = 'c'")
    contract(project, data_type="string")
    broken = project.run(expect=False)
    assert "contract" in broken.text("held").lower()
    assert project.rows("held") == [(1, "a"), (2, "b")]
    contract(project, check="id > 1")
    assert project.run(expect=False).status["held"] == "error"
    project.sql("delete from @.held_src where id = 1")
    assert "configuration changed: constraints" in project.run().text("held")


@pytest.mark.nightly
def test_staged_under_names_that_parquet_does_not_take(project: Project) -> None:
    project.sql("create or replace table @.wide_src using delta as select 1 as id, 5 as n")
    query = "select id, n as `total amount` from {{ target.schema }}.wide_src"
    mapped = {"delta.columnMapping.mode": "name"}
    project.model("wide", query, unique_key="id", tblproperties=mapped)
    project.run()
    project.sql("insert into @.wide_src values (2, 7)")
    project.run()
    assert project.rows("wide") == [(1, 5), (2, 7)]


def test_audit_and_unique_key(project: Project) -> None:
    query = "select * from {{ target.schema }}.audited_src"
    project.sql("create or replace table @.audited_src using delta as select 1 as id, 5 as n")
    config = {"audit": ["n >= 0", "sum(n) < 100"], "unique_key": "id"}
    project.model("audited", query, **config)
    project.run()
    project.sql("insert into @.audited_src values (1, -1), (2, 200), (3, null)")
    failed = project.run(expect=False)
    text = failed.text("audited")
    assert "audit failed: n >= 0 (not met 2 times); sum(n) < 100 (not met 1 times)" in text
    assert "unique_key id (1 keys occur more than once)" in text
    assert project.rows("audited") == [(1, 5)]
    assert project.info("audited").last_refresh_result == "failed"
    assert not project.sql("show tables in @_mview like 'mview_stage*'")
    project.sql("delete from @.audited_src where n is null or n <> 5")
    assert "the last refresh failed" in project.run().text("audited")


def test_unknown_values_are_refused(project: Project) -> None:
    query = "select 1 as id"
    cases = {
        "refresh": ("sometimes", "refresh is 'sometimes'. Use one of: auto, complete, fast."),
        "build": ("later", "build is 'later'. Use one of: immediate, deferred."),
        "read_consistency": ("none", "Use one of: run, latest."),
        "on_schema_change": ("panic", "Use one of: ignore, fail, append_new_columns"),
        "file_format": ("parquet", "A materialized view is a Delta table"),
        "clustered_by": ("id", "Delta tables have no buckets. Use liquid_clustered_by."),
    }
    for key, (value, _) in cases.items():
        project.model(f"bad_{key}", query, **{key: value})
    project.model("bad_fast", query, refresh="fast")
    project.model("good", query, refresh="FULL")
    outcome = project.run(expect=False)
    for key, (_, message) in cases.items():
        assert message in outcome.text(f"bad_{key}"), outcome.text(f"bad_{key}")
    refused = "refresh is 'fast' and this refresh cannot be: INPUT_NOT_IN_DELTA: the query reads no"
    assert refused in outcome.text("bad_fast")
    assert outcome.status["good"] == "success"
    assert json.loads(project.info("good").spec)["refresh"] == "complete"
