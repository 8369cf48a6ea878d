"""How a project has this package: below another one, and over the state of older releases."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from tests.support.project import ROOT, Project

pytestmark = pytest.mark.spark

FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
IDS = "id, id % 3 as k from range(300)"

# A package of models, which brings dbt_mview with it.
PACKAGE: dict[str, Any] = {
    "dbt_project.yml": {
        "name": "marts",
        "version": "1.0.0",
        "vars": {"least": 100, "of": "nowhere"},
        "models": {"marts": {"+materialized": "mview", "+schema": "marts"}},
    },
    "packages.yml": {"packages": [{"local": str(ROOT)}]},
    "models/schema.yml": {
        "sources": [{"name": "raw", "schema": "{{ var('of') }}", "tables": [{"name": "orders"}]}],
        "models": [
            {
                "name": "large",
                "data_tests": ["dbt_mview.mview_matches_query", {"dbt_mview.mview_fresh": {}}],
            }
        ],
    },
    "models/large.sql": "select k, count(*) as n from {{ source('raw', 'orders') }}"
    " where id >= {{ var('least') }} group by k",
    "models/large_log.sql": "{{ config(materialized='materialized_view_log') }}"
    " select id, k from {{ source('raw', 'orders') }}",
}


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Iterator[Project]:
    """A project that names one package, and has the vars of it."""
    project = Project(tmp_path / "p", "installed_shop", spark)
    for path, content in PACKAGE.items():
        project.write(f"../marts/{path}", content)
    shutil.rmtree(project.root / "dbt_packages")
    project.write("packages.yml", {"packages": [{"local": str(tmp_path / "marts")}]})
    project.configure(name="shop", vars={"of": project.schema, "least": 5})
    spark.sql(f"create schema {project.schema}")
    project.sql(f"create table @.orders using delta {FEED} as select {IDS}")
    yield project
    project.drop()
    project.sql("drop schema if exists @_marts cascade")


def test_below_another_package(shop: Project) -> None:
    root = str(shop.root)
    installed = dbtRunner().invoke(["deps", "--project-dir", root, "--profiles-dir", root])
    assert installed.success, installed.exception
    assert (shop.root / "dbt_packages" / "dbt_mview" / "macros").is_dir()
    shop.model("all", "select sum(n) as n from {{ ref('large') }}")
    assert shop.dbt("build").text("large").startswith("COMPLETE v0, 3 rows: first build")
    shop.sql("insert into @.orders values (1000, 1)")
    built = shop.dbt("build")
    assert built.text("large").startswith("FAST v1, 1 rows")
    assert built.text("large_log").startswith("CAPTURE v1, 1 rows")
    assert list(built.status.values()).count("pass") == 2
    assert shop.rows("all") == [(296,)], "the vars are those of the project"
    views = "select mview_id, get_json_object(spec, '$.project') from @_mview.mview_refresh_info"
    assert sorted(map(tuple, shop.sql(views))) == [
        (f"spark_catalog.{shop.schema}.all", "shop"),
        (f"spark_catalog.{shop.schema}_marts.large", "shop"),
    ]
    told = shop.op("mview_refresh", view="large", method="complete").log
    assert f"spark_catalog.{shop.schema}_marts.large: COMPLETE v2, 3 rows" in told
    assert shop.op("mview_drop_orphans").log.count(": dropped") == 0
    settings = {**PACKAGE["dbt_project.yml"], "vars": {"dbt_mview:state_schema": "elsewhere"}}
    shop.write("../marts/dbt_project.yml", yaml.safe_dump(settings))
    shop.sql("insert into @.orders values (1001, 1)")
    refused = shop.run("large", expect=False).text("large")
    assert "Set it in the root project, directly below vars." in refused


# What a layout lacks of the newest one, and what its releases did not write into `spec`.
COLUMNS = {
    1: {"schedule", "failures", "retry_time", "refresh_group", "paused_time"},
    2: {"refresh_group", "paused_time"},
    3: {"paused_time"},
    4: {"paused_time"},
    5: set(),
}
KEYS = {
    1: {"refresh_group", "target_schema", "grants", "column_comments", "time_zone", "took"},
    2: {"refresh_group", "target_schema", "grants", "column_comments", "time_zone", "took"},
    3: {"time_zone", "took"},
    4: set(),
    5: set(),
}
TABLES = ("mview_refresh_info", "mview_refresh_hist", "mlog_purge_info", "mlog_purge_hist")
FLASHBACK = ("mview_trackpoints", "mview_flashback_info", "mview_flashback_readers")


def tables_of_state(project: Project) -> dict[str, tuple[Any, Any, list[dict[str, Any]]]]:
    """Of each table of state its columns, its properties and its rows."""
    told = {}
    for table in TABLES:
        rows = project.sql(f"select * from {project.state}.{table} order by 1, 2")
        columns = {
            (row.col_name, row.data_type) for row in project.sql(f"describe @_mview.{table}")
        }
        properties = {tuple(row) for row in project.sql(f"show tblproperties @_mview.{table}")}
        told[table] = (columns, properties, [row.asDict(recursive=True) for row in rows])
    return told


def age(project: Project, layout: int) -> None:
    """Makes state what a release of that layout left: its columns, its one property, its spec."""
    for table in TABLES:
        there = project.spark.table(f"{project.state}.{table}").drop(*COLUMNS[layout])
        rows = [row.asDict() for row in there.collect()]
        for row in rows:
            if "spec" in row:
                spec = json.loads(row["spec"])
                row["spec"] = json.dumps({k: spec[k] for k in spec if k not in KEYS[layout]})
        project.spark.createDataFrame(rows, there.schema).createOrReplaceTempView("aged")
        project.sql(
            f"create or replace table @_mview.{table} using delta"
            f" partitioned by ({'mlog_id' if table.startswith('mlog') else 'mview_id'})"
            f" tblproperties ('dbt_mview.layout' = '{layout}') as select * from aged"
        )
        project.spark.catalog.dropTempView("aged")


def steps(log: str, step: str) -> list[str]:
    """The first lines of the statements of a step."""
    return re.findall(rf"step={step} job=\S+ \*/\n(.*)", log)


@pytest.mark.nightly
@pytest.mark.parametrize("layout", [1, 2, 3, 4, 5])
def test_state_of_an_older_layout(project: Project, layout: int) -> None:
    """The first run brings it up to date, once, and goes on from it; so flashback may begin."""
    for base in ("orders", "quiet"):
        project.sql(f"create or replace table @.{base} using delta {FEED} as select {IDS}")
    orders, quiet = f"{project.schema}.orders", f"{project.schema}.quiet"
    counts = "select k, count(*) as n from {} group by k"
    project.model("counts", counts.format(orders), refresh="fast")
    project.model("still", counts.format(quiet), unique_key="k", partition_by="k")
    project.model("aside", f"select id from {quiet}")
    project.model("orders_log", f"select id, k from {orders}", materialized="materialized_view_log")
    project.run(args=("--full-refresh",))
    project.sql("insert into @.orders values (1000, 1)")
    project.run()
    project.op("mlog_purge", log="orders_log")
    new = tables_of_state(project)
    age(project, layout)
    old = tables_of_state(project)
    assert all(old[table][0] <= new[table][0] and old[table] != new[table] for table in TABLES)
    project.sql("insert into @.orders values (1001, 1)")
    begins = FLASHBACK if layout == 5 else ()
    project.configure(vars={"dbt_mview:flashback_enable": bool(begins)})
    upgraded = project.run("counts", "still", "orders_log")
    assert re.match(r"FAST v\d+, 1 rows", upgraded.text("counts")), upgraded.text("counts")
    assert upgraded.text("still").startswith("SKIP nothing changed"), upgraded.text("still")
    assert upgraded.text("orders_log").startswith("CAPTURE v")
    assert project.holds("counts", counts.format("@.orders"))
    altered = steps(upgraded.log, "ensure_state")
    lacking = sum(len(new[table][0] - old[table][0]) for table in TABLES)
    assert len(altered) == len(TABLES) + lacking + len(begins), altered
    there = {row.tableName for row in project.sql("show tables in @_mview")}
    assert there & set(FLASHBACK) == set(begins)
    if begins:
        points = project.sql("select relation from @_mview.mview_trackpoints")
        assert f"spark_catalog.{orders}" in {row.relation for row in points}
    now = tables_of_state(project)
    for table in TABLES:
        assert now[table][:2] == new[table][:2], table
        ids = [f"spark_catalog.{project.schema}.{name}" for name in ("counts", "still")]
        for row in old[table][2]:
            kept = {**dict.fromkeys(COLUMNS[layout] & set(now[table][2][0])), **row}
            assert kept in now[table][2] or kept.get("mview_id") in ids, kept
    again = project.op("mview_refresh", view="aside", method="complete").log
    assert "COMPLETE v" in again and steps(again, "ensure_state") == []
    # Before the definition of a view was its words, it was its text.
    project.sql("update @_mview.mview_refresh_info set definition_hash = md5(definition)")
    assert "DEFINITION_CHANGED" in project.run("still").text("still")
    assert project.run("still").text("still").startswith("SKIP nothing changed")
