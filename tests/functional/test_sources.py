"""What a view may read, and what happens to it when that changes under it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbt_mview import engine
from tests.support.project import Project
from tests.support.quick import QUICK

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


def versions(project: Project, view: str) -> dict[str, int | None]:
    """The recorded sources: identifier -> version."""
    return {s.relation.split(".")[-1]: s.version for s in project.info(view).sources}


def test_a_source_that_is_replaced_truncated_restored(project: Project) -> None:
    project.sql("create or replace table @.s using delta as select 1 as id")
    project.sql("create or replace table @.calm using delta as select 1 as id")
    project.model(
        "v", "select s.id from {{ target.schema }}.s join {{ target.schema }}.calm on true"
    )

    def refreshed(statement: str, reason: str, rows: list[tuple[int]]) -> None:
        for text in statement.split(";"):
            project.sql(text)
        assert reason in project.run().text("v")
        assert project.rows("v") == rows

    project.run()
    refreshed("insert into @.s values (2)", "s v0 -> v1", [(1,), (2,)])
    refreshed("truncate table @.s", "s v1 -> v2", [])
    refreshed("restore table @.s to version as of 0", "s v2 -> v3", [(1,)])
    refreshed("create or replace table @.s using delta as select 7 as id", "s v3 -> v4", [(7,)])
    refreshed(
        "drop table @.s; create table @.s using delta as select 8 as id",
        "SOURCE_REPLACED: test_sources.s v0",
        [(8,)],
    )
    refreshed(
        "drop table @.s; create table @.s using delta as select 9 as id",
        "SOURCE_REPLACED: test_sources.s v0",
        [(9,)],
    )
    project.sql("drop table @.s")
    gone = project.run(expect=False)
    assert "TABLE_OR_VIEW_NOT_FOUND" in gone.text("v")
    assert project.rows("v") == [(9,)]
    assert project.info("v").last_refresh_result == "failed"
    assert versions(project, "v") == {"s": 0, "calm": 0}


def test_views_in_the_way_are_read_through(project: Project) -> None:
    """Views over views, ephemeral models, CTEs, aliases; names in comments and literals."""
    project.sql("create or replace table @.base using delta as select 1 as id, 'x' as v")
    project.sql("create or replace table @.base_more using delta as select 1 as id, 5 as w")
    project.sql("create or replace view @.v1 (a, b) as select id, v from test_sources.base")
    project.sql("create or replace view @.v2 as select v1.* from test_sources.v1 where a > 0")
    project.write(
        "models/eph.sql",
        "{{ config(materialized='ephemeral') }} select * from {{ target.schema }}.base_more",
    )
    project.model(
        "deep",
        """-- from test_sources.base is a comment
with base as (select * from {{ target.schema }}.v2 /* test_sources.base */)
select base.a, `v2`.b, eph.w, 'from test_sources.base' as note,
    extract(year from date'2020-01-01') y
from base
join `test_sources`.`v2` on base.a = v2.a and base.b is not distinct from v2.b
left join {{ ref('eph') }} as eph on eph.id = v2.a
where base.a in (select id from test_sources.base b2 where b2.id = base.a)""",
    )
    project.run()
    assert project.rows("deep") == [(1, "x", 5, "from test_sources.base", 2020)]
    assert versions(project, "deep") == {"base": 0, "base_more": 0}
    project.sql("insert into @.base values (2, 'y')")
    project.sql("insert into @.base_more values (2, 6)")
    project.run()
    assert len(project.rows("deep")) == 2
    assert versions(project, "deep") == {"base": 1, "base_more": 1}
    assert project.op("mview_verify", view="deep").log.count("equal") == 1


@pytest.mark.nightly
def test_names_that_are_alike_are_told_apart(project: Project) -> None:
    """Changes are bound to the right one of two tables of one name, beside a longer one, and names
    in quotes, a comment and a literal.
    """
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    here = "{{ target.schema }}"
    project.sql("create schema @_other")
    for table in ("@.same", "@_other.same", "@.same_more"):
        project.sql(f"create table {table} {feed} as select id, id * 10 as n from range(100)")
    config = "{{ config(materialized='ephemeral') }}"
    project.write("models/more.sql", f"{config} select * from {here}.same_more")
    project.model(
        "both",
        f"""-- from {here}.same is a comment
select a.id, b.n, more.n as other, 'from {here}.same' as note
from {here}.same as a
join `{here}_other`.`same` as b on b.id = a.id
join {{{{ ref('more') }}}} as more on more.id = a.id""",
        refresh="fast",
    )
    project.model(
        "qualified",
        f"select {here}.same.id, {here}_other.same.n from {here}.same join {here}_other.same"
        f" on {here}.same.id = {here}_other.same.id",
    )
    project.run()
    for statements in (
        ["insert into @_other.same values (3, -1)"],
        ["delete from @.same where id = 4", "update @_other.same set n = 7 where id = 5"],
        ["insert into @.same_more values (6, 8)", "insert into @.same values (6, 9)"],
    ):
        for statement in statements:
            project.sql(statement)
        outcome = project.run()
        assert outcome.text("both").startswith("FAST"), outcome.text("both")
        if "same_more" not in statements[0]:
            assert "SOURCE_NOT_BOUND: a subquery does not fit" in outcome.text("qualified")
        for view in ("both", "qualified"):
            assert project.op("mview_verify", view=view).success, (view, statements)
    project.sql("drop schema @_other cascade")


def test_what_has_no_versions_is_read_and_never_skipped(project: Project) -> None:
    project.sql("create table @.pq using parquet as select 1 as id")
    project.model("over_parquet", "select * from {{ target.schema }}.pq")
    project.model("over_nothing", "select 1 as id union all select 2")
    project.model("own_version", "select * from {{ target.schema }}.base version as of 0")
    project.model("own_travel", "select * from {{ target.schema }}.base for version as of 0")
    project.sql("create table if not exists @.base using delta as select 1 as id, 'x' as v")
    project.run()
    second = project.run()
    assert "INPUT_NOT_IN_DELTA: test_sources.pq has no versions" in second.text("over_parquet")
    assert second.text("over_nothing").startswith("SKIP nothing changed since the first build")
    assert second.text("own_version").startswith("SKIP nothing changed since test_sources.base v0")
    assert "SOURCE_NOT_BOUND" in second.text("own_travel")
    assert versions(project, "over_parquet") == {"pq": None}


ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0"


@pytest.mark.nightly
def test_tables_of_iceberg(tmp_path: Path) -> None:
    """They have no versions of Delta's: COMPLETE each time; FAST and logs are refused by name."""
    catalog = "spark.sql.catalog.ice"
    settings = {
        **engine.spark_settings(tmp_path / "engine"),
        **QUICK,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(tmp_path / "ice"),
    }
    settings["spark.jars.packages"] += f",{ICEBERG}"
    session = {"method": "session", "host": "NA", "server_side_parameters": settings}
    project = Project(tmp_path / "p", "over_ice", target=session)
    create = "create table if not exists ice.db.t (id bigint) using iceberg"
    project.configure(**{"on-run-start": [create, "insert into ice.db.t values (1), (2)"]})
    project.model("counted", "select count(*) as n from ice.db.t")
    project.model("strict", "select id from ice.db.t", refresh="fast")
    project.model("logged", "select * from ice.db.t", materialized="materialized_view_log")
    for rows in ("first build", "INPUT_NOT_IN_DELTA: db.t has no versions"):
        said = " ".join(project.start("run").communicate(timeout=600)[0].split())
        assert re.search(rf"\[COMPLETE v\d, 1 rows: {re.escape(rows)}", said), said
        assert "logged: ice.db.t is no Delta table, but iceberg. Only" in said, said
    assert "refresh is 'fast' and this refresh cannot be: INPUT_NOT_IN_DELTA" in said, said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.sql.ansi.enabled", "true"),
        pytest.param("spark.sql.session.timeZone", "Asia/Tokyo", marks=pytest.mark.nightly),
    ],
)
def test_a_view_is_read_by_the_settings_that_it_was_made_with(
    project: Project, key: str, value: str
) -> None:
    """Under ANSI mode '1' + 1 is a whole number; at midnight of London it is nine in Tokyo."""
    conf = project.spark.conf
    project.sql(
        "create or replace table @.late using delta as"
        " select '1' as id, timestamp'2024-01-01 20:00:00Z' as at"
    )
    text = "select typeof(id + 1) as kind, date(at) as day from test_sources.late"
    project.model("over_settings", "select kind, day from {{ target.schema }}.made")
    was = conf.get(key)
    try:
        conf.set("spark.sql.ansi.enabled", "false")
        project.sql(f"create or replace view @.made as {text}")
        project.run("over_settings")
        same = project.run("over_settings").text("over_settings")
        assert same.startswith("SKIP nothing changed")
        conf.set(key, value)
        project.sql(f"create or replace view @.made as {text}")
    finally:
        conf.set(key, was)
    for _ in range(2):
        outcome = project.run("over_settings").text("over_settings")
        assert outcome.startswith("COMPLETE")
        rows = project.sql("select * from @.over_settings")
        assert rows == project.sql("select * from @.made")
    assert "SOURCE_NOT_BOUND: spark_catalog.test_sources.late" in outcome
    assert f"a view made with {key} = {value} cannot be pinned in the query" in outcome
    assert rows != project.sql(text)


def test_never_back_in_time(project: Project) -> None:
    """A run that began before another one does not take a view back to its older snapshot."""
    for name in ("moving", "other", "trigger"):
        project.sql(f"create or replace table @.{name} using delta as select 1 as id")
    # In the middle of the next run somebody else refreshes `ahead` further than this run may read.
    ahead = "mview_id = 'spark_catalog.test_sources.ahead'"
    moved = "insert into test_sources.moving values (2)"
    refreshed = (
        "update test_sources_mview.mview_refresh_info set sources = transform(sources, s ->"
        " named_struct('relation', s.relation, 'table_id', s.table_id, 'version',"
        " s.version + if(s.relation like '%.moving', 1, 0), 'commit_time',"
        " if(s.relation like '%.moving', current_timestamp(), s.commit_time))),"
        f" last_refresh_result = 'failed' where {ahead}"
    )
    project.model("gate", "select id from test_sources.trigger")
    project.model(
        "ahead",
        "-- depends_on: {{ ref('gate') }}\n"
        "select m.id from test_sources.moving m, test_sources.other",
    )
    project.run()
    assert versions(project, "ahead") == {"moving": 0, "other": 0}
    project.sql("insert into @.trigger values (2)")
    query = "select id from test_sources.trigger"
    project.model("gate", query, post_hook=[moved, refreshed])
    project.run()
    assert versions(project, "ahead") == {"moving": 1, "other": 0}
