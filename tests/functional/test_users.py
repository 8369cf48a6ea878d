"""What dbt does with models, done with views: versions, snapshots, unit tests, slim CI, another
target's tables, grants."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.project import Outcome, Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

FEED = {"delta.enableChangeDataFeed": "true"}
DAILY = "select k, count(*) as n, max(id) as last from {{ ref('orders') }} group by k"
NEW = "{% if is_incremental() %} where id > (select max(id) from {{ this }}){% endif %}"
VERSIONS = {"name": "counts", "latest_version": 2, "versions": [{"v": 1}, {"v": 2}]}
TESTED = {"name": "daily", "data_tests": ["dbt_mview.mview_matches_query"]}
UNIT_TESTS = [
    {
        "name": "counts_orders",
        "model": "daily",
        "given": [{"input": "ref('orders')", "rows": [{"id": n, "k": n % 2} for n in (1, 2, 5)]}],
        "expect": {"rows": [{"k": 1, "n": 2, "last": 5}, {"k": 0, "n": 1, "last": 2}]},
    },
    {
        "name": "reads_a_view",
        "model": "counts",
        "versions": {"include": [2]},
        "given": [{"input": "ref('daily')", "rows": [{"k": 1, "n": 2}]}],
        "expect": {"rows": [{"k": 1, "n": 2, "last": None}]},
    },
]
BY_CHECK = {
    "name": "by_check",
    "relation": "ref('daily')",
    "config": {
        "unique_key": "k", "strategy": "check", "check_cols": ["n"], "file_format": "delta"
    },
}  # fmt: skip
BY_TIME = """
{% snapshot by_time %}
{{ config(unique_key='k', strategy='timestamp', updated_at='at', file_format='delta') }}
select k, n, timestamp_seconds(last) as at from {{ ref('daily') }}
{% endsnapshot %}
"""


@dataclass
class Shop:
    """A project that was built twice, with a load between; artifacts: those of the second build."""

    project: Project
    first: Outcome
    second: Outcome
    artifacts: Path

    def held(self) -> dict[str, Any]:
        """All that the target holds: the last commit of each table, the properties, the state."""
        listed = self.project.sql("show tables in @")
        tables = [row.tableName for row in listed if not row.isTemporary]
        held = {
            name: (
                self.project.commits(name)[0].version,
                self.project.sql(f"show tblproperties @.{name}"),
            )
            for name in tables
        }
        state = self.project.sql("select * from @_mview.mview_refresh_info order by mview_id")
        return {**held, "state": state}

    def modified(self) -> set[str]:
        """The models that differ from the artifacts, as `state:modified+` selects them."""
        select = ("--select", "state:modified+", "--resource-type", "model")
        told = self.project.dbt("ls", *select, "--state", str(self.artifacts)).log
        return set(re.findall(r"(?m)^p\.([\w.]+)$", told))


@pytest.fixture(scope="module")
def shop(module_project: Project) -> Iterator[Shop]:
    project = module_project
    project.artifacts = True
    feed = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(f"create table @.raw using delta {feed} as select id, id % 3 as k from range(300)")
    project.sql("create table @.unfed using delta as select id from range(3)")
    project.model(
        "orders",
        f"select id, k from {project.schema}.raw {NEW}",
        materialized="incremental",
        incremental_strategy="append",
        file_format="delta",
        tblproperties=FEED,
    )
    project.model("plain", "select 1 as id", materialized="table", file_format="delta")
    project.model("daily", DAILY, refresh="fast", tblproperties=FEED)
    project.model("counts_v1", "select k, n from {{ ref('daily') }}")
    project.model("counts_v2", "select k, n, last from {{ ref('daily') }}")
    project.model(
        "both",
        "select a.k, a.n, b.last from {{ ref('counts', v=1) }} a"
        " join {{ ref('counts') }} b on a.k = b.k",
    )
    project.model("now", "select k, n from {{ ref('by_check') }} where dbt_valid_to is null")
    project.write("models/schema.yml", {"models": [VERSIONS, TESTED], "unit_tests": UNIT_TESTS})
    project.write("snapshots/by_check.yml", {"snapshots": [BY_CHECK]})
    project.write("snapshots/by_time.sql", BY_TIME)
    first = project.dbt("build")
    project.sql("insert into @.raw values (1000, 1)")
    second = project.dbt("build")
    artifacts = project.root / "artifacts"
    shutil.copytree(project.root / "target", artifacts)
    yield Shop(project, first, second, artifacts)
    shutil.rmtree(project.root / "snapshots")


def test_versions_snapshots_and_unit_tests(shop: Shop) -> None:
    project = shop.project
    for build in (shop.first, shop.second):
        assert build.status["counts_orders"] == build.status["reads_a_view_v2"] == "pass"
        assert build.status["dbt_mview_mview_matches_query_daily_"] == "pass"
    assert shop.second.text("daily").startswith("FAST v1, 1 rows")
    held = [(0, 100, 297), (1, 101, 1000), (2, 100, 299)]
    assert project.rows("daily") == project.rows("counts_v2") == project.rows("both") == held
    assert project.rows("counts_v1") == project.rows("now") == [row[:2] for row in held]
    for snapshot in ("by_check", "by_time"):
        taken = f"select k, n, dbt_valid_to is null as current from @.{snapshot} order by k, n"
        assert project.sql(taken) == [
            (0, 100, True), (1, 100, False), (1, 101, True), (2, 100, True)
        ]  # fmt: skip
    ambiguous = project.op("mview_info", view="counts", expect=False).log
    assert "is ambiguous: " in ambiguous and f"{project.schema}.counts_v1" in ambiguous
    told = project.op("mview_refresh", view="counts.v1", method="complete").log
    assert f"spark_catalog.{project.schema}.counts_v1: COMPLETE v" in told


def test_what_is_modified(shop: Shop) -> None:
    """A run writes nothing into what dbt compares; the next one builds what is selected."""
    project = shop.project
    assert shop.modified() == set()
    project.model("counts_v1", "select k, n from {{ ref('daily') }}", schedule={"every": "1 hour"})
    assert shop.modified() == {"counts.v1", "both"}
    sql = "select k, n, last from {{ ref('daily') }} where n > 0"
    project.model("counts_v2", sql)
    built = project.dbt("build", "--select", "state:modified+", "--state", str(shop.artifacts))
    views = {name: text for name, text in built.message.items() if text.startswith(METHODS)}
    assert set(views) == {"counts_v1", "counts_v2", "both"}
    assert views["counts_v1"].startswith("SKIP") and project.info("counts_v1").schedule
    assert "DEFINITION_CHANGED" in views["counts_v2"]


METHODS = ("SKIP", "FAST", "COMPLETE")


@pytest.mark.nightly
def test_another_target_over_tables_of_this_one(shop: Shop) -> None:
    """As developers and CI have it: what is not built here is read there, and left as it is."""
    project = shop.project
    other = f"{project.schema}_dev"
    project.target("d", schema=other)
    for base in ("orders", "plain"):
        sql = f"select id from {{{{ ref('{base}') }}}}"
        project.model(f"{base}_log", sql, materialized="materialized_view_log")
    project.model("daily", DAILY, refresh="fast", tblproperties=FEED)
    deferring = ("--target", "d", "--defer", "--state", str(shop.artifacts))
    views = ("--select", "daily", "counts", "both", "orders_log")
    before = shop.held()
    first = project.dbt("run", *views, "plain_log", *deferring, expect=False)
    assert "--defer takes that base, spark_catalog.test_users.plain, from" in first.text(
        "plain_log"
    )
    assert first.text("orders_log").startswith("START v")
    assert shop.held() == before
    project.sql("insert into @.orders values (2000, 2)")
    before = shop.held()
    second = project.dbt("run", *views, *deferring)
    assert second.text("daily").startswith("FAST v1, 1 rows"), second.text("daily")
    assert second.text("orders_log").startswith("CAPTURE v")
    assert shop.held() == before
    (info,) = project.sql(
        "select sources[0].relation as source, sources[0].version as version"
        " from @_dev_mview.mview_refresh_info where mview_id like '%_dev.daily'"
    )
    read = (f"spark_catalog.{project.schema}.orders", project.commits("orders")[0].version)
    assert (info.source, info.version) == read
    assert project.sql("select n, last from @_dev.both where k = 2") == [(101, 2000)]
    verified = project.dbt("run-operation", "mview_verify", "--target", "d")
    assert verified.log.count("  equal") == 4
    for schema in ("@_dev", "@_dev_mview"):
        project.sql(f"drop schema {schema} cascade")


# What dbt-spark sends where there are grants. Spark itself has none, so that the statements are
# sent as texts.
GRANTS = """
{% macro spark__get_show_grant_sql(relation) -%}
select 'bob' as Principal, 'select' as ActionType, 'TABLE' as ObjectType
{%- endmacro %}
{% macro spark__call_dcl_statements(statements) %}
    {%- for one in statements -%}
        {%- call statement("dcl") -%} select '{{ one }}' as sent {%- endcall -%}
    {%- endfor -%}
{% endmacro %}
"""
SENT = r"step=(publish) |select '((?:grant|revoke) .*)' as sent|(select 'hook')"


def sent(outcome: Outcome) -> list[str]:
    """Grants and what stands around them, in their order."""
    return ["".join(found) for found in re.findall(SENT, outcome.log)]


def test_grants(shop: Shop) -> None:
    project = shop.project
    name = f"{project.schema}.granted"
    sql = f"select id from {project.schema}.unfed"

    def run(expect: bool = True, **grants: list[str]) -> Outcome:
        project.model("granted", sql, grants=grants, post_hook="select 'hook'")
        return project.run("granted", expect=expect)

    project.write("macros/grants.sql", GRANTS)
    changed = [f"revoke select on {name} from `bob`", f"grant select on {name} to `ann`"]
    assert sent(run(select=["ann"])) == ["publish", *changed, "select 'hook'"]
    assert sent(run(select=["bob"])) == [], "what is there is not granted again"
    skipped = run(select=["bob", "cy"])
    assert skipped.text("granted").startswith("SKIP")
    assert sent(skipped) == [f"grant select on {name} to `cy`"]
    assert sent(run(select=["bob", "cy"])) == [], "nothing was changed"
    (project.root / "macros" / "grants.sql").unlink()
    project.sql("insert into @.unfed values (9)")
    told = run(expect=False, select=["ann"])
    assert "PARSE_SYNTAX_ERROR" in told.text("granted")
    assert "this engine has no grants" in told.log
    info = project.info("granted")
    assert (info.last_refresh_result, info.lock_owner) == ("success", None)
    assert info.last_refresh_failed_reason.startswith("published, but failed afterwards: ")
    assert project.rows("granted") == project.rows("unfed")
    assert run().text("granted").startswith("SKIP")
