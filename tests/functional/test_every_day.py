"""What happens to a project in its first months: retries, hooks, changed configs, models that come,
become something else and go."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from dbt import selected_resources
from dbt.cli.main import dbtRunner

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]
TESTS = ["dbt_mview.mview_matches_query", {"dbt_mview.mview_fresh": {}}]


@pytest.fixture
def orders(project: Project) -> Project:
    """A table with two rows, and the change feed on."""
    project.sql("drop table if exists @.orders")
    project.sql("create table @.orders (id int) using delta")
    project.sql("insert into @.orders values (1), (2)")
    return project


def test_retry_reads_what_it_rebuilt(orders: Project) -> None:
    orders.artifacts = True
    orders.model("first", "select id from @.orders".replace("@", orders.schema))
    orders.model("second", "select count(*) as n from {{ ref('first') }}")
    orders.run()
    orders.sql("insert into @.orders values (3)")
    sql = f"select id, cast(raise_error('broken') as int) as x from {orders.schema}.orders"
    orders.model("first", sql)
    failed = orders.run(expect=False)
    assert (failed.status["first"], failed.status["second"]) == ("error", "skipped")
    orders.model("first", f"select id from {orders.schema}.orders")
    # As in a process of its own: nothing says what is retried.
    selected_resources.set_selected_resources(set())
    retried = orders.dbt("retry")
    assert not retried.text("second").startswith("SKIP"), retried.text("second")
    assert orders.rows("second") == [(3,)]


@pytest.mark.nightly
def test_a_manifest_that_is_used_twice(orders: Project) -> None:
    """As a program does that invokes dbt again and again, and parses once."""
    orders.model("again", f"select count(*) as n from {orders.schema}.orders")
    manifest = dbtRunner().invoke(["parse", *orders.where()]).result
    runner = dbtRunner(manifest=manifest)
    for count in (2, 3, 4):
        assert runner.invoke(["run", *orders.where()]).success
        assert orders.rows("again") == [(count,)]
        orders.sql("insert into @.orders values (9)")


def test_tests_of_views_that_are_not_built_yet_do_not_stop_docs(orders: Project) -> None:
    orders.artifacts = True
    orders.model("unbuilt", f"select id from {orders.schema}.orders")
    orders.write("models/schema.yml", {"models": [{"name": "unbuilt", "data_tests": TESTS}]})
    orders.dbt("compile")
    orders.dbt("docs", "generate")
    # Drawn alone, nothing has made state before it.
    has_state = orders.spark.catalog.tableExists(f"{orders.schema}_mview.mview_refresh_info")
    assert not has_state or orders.info("unbuilt") is None
    built = orders.dbt("build")
    assert list(built.status.values()).count("pass") == 2, built.status


@pytest.mark.nightly
def test_hooks_of_the_project_that_fail(orders: Project) -> None:
    """They run before those of a package, and none after them. An operation may be one."""
    maintains = "{{ dbt_mview.mview_maintain() }}"
    fails = "{% if true %}select raise_error('no report'){% endif %}"
    first = "{{ dbt_mview.mview_record(results) }}"
    orders.configure(**{"on-run-end": [first, maintains, fails]})
    orders.model("good", f"select id from {orders.schema}.orders")
    orders.model(
        "bad", f"select cast(raise_error('broken') as int) as x from {orders.schema}.orders"
    )
    told = orders.run(expect=False).log
    assert "no report" in told and "step=maintain" in told
    assert orders.info("good").last_refresh_result == "success"
    bad = orders.info("bad")
    assert (bad.last_refresh_result, bad.lock_owner) == ("failed", None)
    orders.configure()
    orders.model("bad", f"select id from {orders.schema}.orders")
    assert orders.run().status["bad"] == "success"


def test_configs_that_change_while_the_sources_rest(orders: Project) -> None:
    sql = f"select id from {orders.schema}.orders"
    orders.model("settled", sql)
    orders.run()
    docs = {"relation": True, "columns": True}
    column = {"name": "id", "description": "Which order"}
    orders.write("models/schema.yml", {"models": [
        {"name": "settled", "description": "All orders", "columns": [column]},
    ]})  # fmt: skip
    orders.model("settled", sql, persist_docs=docs, refresh="complete")
    assert orders.run().text("settled").startswith("SKIP nothing changed")
    assert orders.sql("describe @.settled")[0].comment == "Which order"
    assert orders.sql("describe detail @.settled")[0].description == "All orders"
    commits = len(orders.commits("settled"))
    assert orders.run().text("settled").startswith("SKIP nothing changed")
    assert len(orders.commits("settled")) == commits
    orders.model("settled", sql, unique_key="id")
    assert "configuration changed: unique_key" in orders.run().text("settled")
    orders.model("settled", sql, audit="id < 2")
    failed = orders.run(expect=False)
    assert "audit" in failed.text("settled") and orders.rows("settled") == [(1,), (2,)]


def test_models_that_become_something_else(orders: Project) -> None:
    """The package's operations leave alone what other models have built since."""
    sql = f"select id from {orders.schema}.orders"
    for name in ("stays", "to_table", "to_incremental", "goes"):
        orders.model(name, sql)
    orders.run()
    orders.model("to_table", sql, materialized="table", file_format="delta")
    orders.model("to_incremental", sql, materialized="incremental", file_format="delta")
    (orders.root / "models" / "goes.sql").unlink()
    orders.run()
    schema = f"{orders.schema}_gone"
    orders.model("elsewhere", sql, schema="gone")
    orders.run("elsewhere")
    (orders.root / "models" / "elsewhere.sql").unlink()
    orders.sql(f"drop schema {schema} cascade")
    said = orders.op("mview_drop_orphans").log
    assert f"spark_catalog.{orders.schema}.goes: dropped" in said
    assert f"spark_catalog.{schema}.elsewhere: dropped" in said
    assert said.count("forgotten, what has its name stays") == 2
    for name, times in {"stays": 1, "to_table": 1, "to_incremental": 2}.items():
        assert orders.rows(name) == sorted([(1,), (2,)] * times)
        assert (orders.info(name) is not None) == (name == "stays")
    assert orders.info("goes") is None


@pytest.mark.nightly
def test_a_view_that_is_dropped_and_built_again_in_its_place(
    orders: Project, tmp_path: Path
) -> None:
    """The log of an external table outlives it, with the tokens that it has seen."""
    orders.model("placed", f"select id from {orders.schema}.orders", location_root=str(tmp_path))
    for number in (3, 4):
        orders.run()
        orders.sql(f"insert into @.orders values ({number})")
    orders.op("mview_drop", view="placed")
    assert (tmp_path / "placed" / "_delta_log").is_dir()
    orders.run()
    orders.sql("insert into @.orders values (10)")
    orders.op("mview_refresh", view="placed", method="complete")
    assert orders.rows("placed") == orders.rows("orders")
    orders.op("mview_drop", view="placed")
    shutil.rmtree(tmp_path)


def test_fast_where_there_is_nothing_to_go_on_from(orders: Project) -> None:
    """dbt build --empty, a view that was dropped by hand, a row of state that was restored."""
    orders.sql("alter table @.orders set tblproperties ('delta.enableChangeDataFeed' = 'true')")
    orders.model("low", f"select id from {orders.schema}.orders", materialized="view")
    query = "select id % 2 as odd, count(*) as n from {{ ref('low') }} group by 1"
    orders.model("strict", query, refresh="fast")

    def refreshed(*args: str) -> str:
        orders.sql("insert into @.orders values (3)")
        return orders.run(args=args).text("strict")

    assert refreshed("--empty").startswith("COMPLETE v0, 0 rows: first build")
    assert refreshed().startswith("COMPLETE v1, 2 rows: DEFINITION_CHANGED")
    assert refreshed().startswith("FAST v2")
    orders.sql("drop table @.strict")
    assert refreshed().startswith("COMPLETE v0, 2 rows: first build")
    orders.sql(f"delete from {orders.state}.mview_refresh_info where mview_id like '%.strict'")
    orders.op("mview_recover", view="strict")
    assert refreshed().startswith("COMPLETE v1, 2 rows")
    assert refreshed().startswith("FAST v2") and orders.rows("strict") == [(0, 1), (1, 7)]


@pytest.mark.nightly
def test_what_cannot_be_compared_is_no_difference(orders: Project, tmp_path: Path) -> None:
    orders.model("low", f"select id from {orders.schema}.orders", materialized="view")
    orders.model("over", "select id from {{ ref('low') }}")
    orders.model("now", f"select id, current_timestamp() as at from {orders.schema}.orders")
    orders.model("lost", f"select id from {orders.schema}.orders", location_root=str(tmp_path))
    orders.run()
    orders.sql("comment on table @.over is 'a commit after the refresh'")
    shutil.rmtree(tmp_path)
    table = orders.op("mview_verify").log
    assert re.search(r"lost +not verifiable: its table cannot be read any more", table), table
    orders.sql("drop table @.lost")
    (orders.root / "models" / "lost.sql").unlink()
    assert re.search(r"over +equal", table), table
    assert re.search(r"now +undetermined \(at\) +2 +2", table), table
    orders.model("low", f"select id + 1 as id from {orders.schema}.orders", materialized="view")
    orders.run("low")
    stale = orders.op("mview_verify", view="over", expect=False).log
    assert "a view that it reads has changed since. Refresh it, then verify it." in stale
    tests = {"data_tests": ["dbt_mview.mview_matches_query"]}
    orders.write(
        "models/schema.yml",
        {"version": 2, "models": [{"name": name, **tests} for name in ("over", "now")]},
    )
    tested = orders.dbt("test", expect=False).log
    assert "Refresh it before it is tested." in tested
    assert "current_timestamp. Leave the test out for this view." in tested
    orders.run("over")
    assert orders.op("mview_verify", view="over").success


@pytest.mark.nightly
def test_a_difference_that_the_query_leaves_open(orders: Project) -> None:
    """Which of some equal rows is the first is up to the engine: here somebody changed it."""
    orders.sql("create table @.ties using delta as select id % 3 as k, 7 as at, id from range(9)")
    numbered = (
        f"select *, row_number() over (partition by k order by at) as n from {orders.schema}.ties"
    )
    orders.model("picked", f"select k, at, id from ({numbered}) where n = 1")
    orders.model("top", f"select id from {orders.schema}.ties order by at limit 4")
    orders.run("picked", "top")

    def verdict(view: str, change: str) -> str:
        orders.sql(change)
        log = orders.op("mview_verify", expect=None).log
        found = re.search(rf"\b{view} +(equal|undetermined \(.*?\)|DIFFERS) ", log)
        return found[1] if found else log

    assert verdict("picked", "select 1") == "equal"
    assert verdict("picked", "update @.picked set id = 100 where k = 1") == "undetermined (id)"
    assert verdict("top", "update @.top set id = 100") == "undetermined (id)"
    assert verdict("picked", "update @.picked set at = 8 where k = 1") == "DIFFERS"
    assert verdict("top", "delete from @.top") == "DIFFERS"
    for view in ("picked", "top"):
        orders.op("mview_drop", view=view)
