"""Tables and views as they were: the tests of the source document, and what dbt adds to them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.support.macros import Change
from tests.support.project import Project, copy_package

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

ON = {"dbt_mview:flashback_enable": True}
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
MAPPED = "using delta tblproperties ('delta.columnMapping.mode' = 'name')"
# The rows of the source document.
T1 = [(1, "aaa"), (2, "bbb"), (3, "ccc"), (4, "ddd"), (5, "eee")]
T2 = [(1, "adaa"), (2, "bdbb"), (3, "cdcc"), (4, "ddcd"), (5, "eefe")]
KINDS = ("table", "incremental", "mview")


def values(rows: list[tuple[int, str]]) -> str:
    return ", ".join(f"({number}, '{text}')" for number, text in rows)


def now(project: Project) -> str:
    """The engine's clock as text, no commit within some milliseconds of it."""
    time.sleep(0.02)
    ((text,),) = project.sql("select cast(current_timestamp() as string)")
    time.sleep(0.02)
    return str(text)


def as_of(name: str, at: str) -> str:
    """The call in a model."""
    source = f"source('shop', '{name}')"
    return f"{{{{ dbt_mview.as_of({source}, {at}) }}}}"


@dataclass
class Past:
    """A project whose tables have a past, and its times: `first` before the update of t1, `second`
    after it, `third` before that of t2, `last` after it."""

    project: Project
    first: str = ""
    second: str = ""
    third: str = ""
    last: str = ""

    def at(self, name: str, moment: str) -> str:
        """A table at one of these times, in a model."""
        return as_of(name, f"'{getattr(self, moment)}'")


@pytest.fixture(scope="module")
def past(module_project: Project) -> Iterator[Past]:
    """What the source document does, in its order."""
    project = module_project
    past = Past(project)
    for name, rows in (("t1", T1), ("t2", T2)):
        project.sql(f"create table @.{name} (id int, c1 varchar(20)) {FEED}")
        project.sql(f"insert into @.{name} values {values(rows)}")
    project.sql("create view @.v1 as select id, upper(c1) as c1 from @.t1")
    project.sql("create view @.v2 as select v1.c1, t2.c1 as d from @.v1 join @.t2 on v1.id = t2.id")
    past.first = now(project)
    project.sql("update @.t1 set c1 = 'abcdefg' where id = 5")
    past.second = now(project)
    past.third = now(project)
    project.sql("update @.t2 set c1 = 'newabcd' where id = 1")
    past.last = now(project)
    yield past


@pytest.fixture
def shop(past: Past, project: Project) -> Past:
    """The project without models, flashback on, its tables as sources."""
    project.configure(vars=ON)
    shop_sources(project)
    return past


def shop_sources(project: Project) -> None:
    names = ("t1", "t2", "v1", "v2", "u", "w", "gone", "late", "pq")
    tables = [{"name": name} for name in names]
    source = {"name": "shop", "schema": project.schema, "tables": tables}
    project.write("models/sources.yml", {"sources": [source]})


def model(project: Project, name: str, sql: str, kind: str, **config: Any) -> None:
    project.model(name, sql, materialized=kind, file_format="delta", **config)


def source_tests(shop: Past) -> dict[str, tuple[str, list[tuple[Any, ...]]]]:
    """Query and rows of each."""
    t1, t2 = as_of("t1", f"'{shop.first}'"), "{{ source('shop', 't2') }}"
    columns, joined = "t1.c1, t2.id, t2.c1 as d", "where t1.id = t2.id"
    last = shop.at("t1", "last"), shop.at("t2", "last")
    before = [(c1, id_) for id_, c1 in T1]
    new = [(1, "newabcd"), *T2[1:]]
    return {
        "test1": (f"select * from {t1}", T1),
        "test2": (
            f"select t1.c1, t2.id from {{{{ source('shop', 't1') }}}}, {t2} {joined}",
            [*before[:4], ("abcdefg", 5)],
        ),
        "test3": (f"select t1.c1, t2.id from {t1}, {t2} {joined}", before),
        "test4": (f"select t1.c1, t2.id from {t1}, {shop.at('t2', 'second')} {joined}", before),
        "test5a": (
            f"select {columns} from {t1}, {last[1]} {joined}",
            [(c1, *row) for (c1, _), row in zip(before, new, strict=True)],
        ),
        "test5b": (
            f"select {columns} from {last[0]}, {last[1]} {joined}",
            [(c1, *row) for (c1, _), row in zip([*before[:4], ("abcdefg", 5)], new, strict=True)],
        ),
    }


def play(shop: Past, kinds: tuple[str, ...]) -> None:
    """Each test of the source in one of these kinds, in turn, in one run."""
    project = shop.project
    tests = source_tests(shop)
    for at, (name, (sql, _)) in enumerate(tests.items()):
        model(project, name, sql, kinds[at % len(kinds)])
    project.run()
    for name, (_, rows) in tests.items():
        assert sorted(project.rows(name), key=str) == sorted(rows, key=str), name
        project.sql(f"drop table @.{name}")


def test_the_five_tests_of_the_source(shop: Past) -> None:
    with pytest.raises(Exception, match="DELTA_TIMESTAMP_GREATER_THAN_COMMIT"):
        shop.project.sql(f"select * from @.t2 timestamp as of '{shop.last}'")  # raw, as test 5
    play(shop, KINDS)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_the_five_tests_of_the_source_in_each_kind(shop: Past, kind: str) -> None:
    play(shop, (kind,))


def test_where_a_table_at_a_time_can_stand(shop: Past) -> None:
    """The usage example; create and insert select; a subquery at another time; one table at two
    times; views; columns that were renamed, dropped, replaced."""
    project = shop.project
    project.sql(f"create table @.u (id int, c1 int, old int) {MAPPED}")
    project.sql("insert into @.u values (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 4, 0)")
    example = now(project)
    project.sql("delete from @.u where id = 4")
    renamed = now(project)
    project.sql("alter table @.u rename column c1 to c2")
    project.sql("alter table @.u drop column old")
    project.sql("optimize @.u")
    replaced = now(project)
    project.sql("create or replace table @.u using delta as select 'x' as other")
    project.sql("create table @.inserted using delta as select * from @.t1 where false")
    early, first, last = as_of("u", f"'{example}'"), shop.at("t1", "first"), shop.at("t2", "last")
    queries = {
        "example": f"select id, c1 from {early}",
        "renamed": f"select * from {as_of('u', repr(renamed))}",
        "replaced": f"select * from {as_of('u', repr(replaced))}",
        "newest": f"select * from {as_of('u', repr('-0 seconds'))}",
        "created": f"select * from {first}",
        "inserting": "select 1 as id",
        "subquery": f"select * from {first} where c1 not in (select c1 from"
        f" {shop.at('t1', 'last')} as t) or id in (select id from {last} where c1 = 'newabcd')",
        "twice": f"select a.id, b.c1 from {first} a join {shop.at('t1', 'last')} as b"
        " on a.id = b.id and a.c1 != b.c1",
        "over_view": f"select v1.c1 from {shop.at('v1', 'first')} where id = 5",
        "over_views": f"select * from {shop.at('v2', 'third')} as v where v.c1 in ('AAA', 'EEE')",
        "by_version": "select * from {{ dbt_mview.as_of(source('shop', 't1'), version=1) }}",
        "lasting": f"with old as (select * from {first}) select id from old",
    }
    for name, sql in queries.items():
        hooks = {"post_hook": f"insert into {{{{ target.schema }}}}.inserted select * from {first}"}
        config = hooks if name == "inserting" else {}
        model(project, name, sql, "view" if name == "lasting" else "table", **config)
    model(project, "twice_kept", queries["twice"], "mview")
    model(project, "views_kept", queries["over_views"], "mview")
    outcome = project.run()
    assert project.rows("example") == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert project.rows("renamed") == [(1, 1, 0), (2, 2, 0), (3, 3, 0)]
    assert project.sql("select id, c2 from @.replaced order by 1") == [(1, 1), (2, 2), (3, 3)]
    assert project.sql("select * from @.replaced")[0].asDict().keys() == {"id", "c2"}
    assert project.rows("newest") == [("x",)]
    assert project.rows("created") == project.rows("inserted") == project.rows("by_version") == T1
    assert project.rows("subquery") == [T1[0], T1[4]]
    assert project.rows("twice") == project.rows("twice_kept") == [(5, "abcdefg")]
    assert project.rows("over_view") == [("EEE",)]
    assert project.rows("over_views") == project.rows("views_kept") == [("AAA", "adaa")]
    assert project.rows("lasting") == [(id_,) for id_, _ in T1]
    assert "first build" in outcome.text("twice_kept")


SNAPSHOT = """{%% snapshot kept_rows %%}
{{ config(target_schema=target.schema, unique_key="id", strategy="check", check_cols=["c1"],
    file_format="delta") }}
select * from %s
{%% endsnapshot %%}
"""
OPERATION = """{%% macro count_then() %%}
{%% set rows = run_query("select max(c1) as c1 from " ~ dbt_mview.as_of(
    api.Relation.create(schema=target.schema, identifier="t1"), "%s")).rows %%}
{%% do print("the last was " ~ rows[0][0]) %%}
{%% endmacro %%}
"""


@pytest.mark.nightly
def test_in_snapshots_tests_operations_and_incremental_models(shop: Past) -> None:
    """A snapshot of two times, one after the other, has both versions of the row that changed."""
    project, moving = shop.project, as_of("t1", "var('at')")
    project.write("snapshots/kept_rows.sql", SNAPSHOT % moving)
    new = f"{{{{ config(severity='warn') }}}} select * from {moving} where c1 = 'abcdefg'"
    project.write("tests/nothing_new.sql", new)
    project.write("macros/count_then.sql", OPERATION % shop.first)
    for name, config in {
        "merged": {"incremental_strategy": "merge", "unique_key": "id"},
        "overwritten": {"incremental_strategy": "insert_overwrite", "partition_by": "id"},
        "appended": {"incremental_strategy": "append"},
    }.items():
        model(project, name, f"select * from {moving}", "incremental", **config)
    try:
        for at, status in ((shop.first, "pass"), (shop.second, "warn")):
            project.configure(vars={**ON, "at": at})
            assert project.dbt("build").status["nothing_new"] == status
        assert "the last was eee" in project.op("count_then").log
    finally:
        for file in ("snapshots/kept_rows.sql", "tests/nothing_new.sql", "macros/count_then.sql"):
            (project.root / file).unlink()
    after = [*T1[:4], (5, "abcdefg")]
    assert project.rows("merged") == project.rows("overwritten") == after
    assert project.rows("appended", "1, 2") == sorted(T1 + after)
    kept = "select id, c1, dbt_valid_to is null from @.kept_rows where id >= 4 order by 1, 3"
    assert [tuple(row) for row in project.sql(kept)] == [
        (4, "ddd", True), (5, "eee", False), (5, "abcdefg", True)
    ]  # fmt: skip
    readers = project.sql("select count(distinct reader) from @_mview.mview_flashback_readers")
    assert readers[0][0] == 1, "an operation has no end: it is freed when its lease is over"


UNIT_TEST = {
    "name": "rows_stand_for_the_table",
    "model": "over_t1",
    "given": [{"input": "source('shop', 't1')", "rows": [{"id": 7, "c1": "x"}]}],
    "expect": {"rows": [{"id": 7}]},
}
ERRORS = {
    "early": (as_of("late", "var('first')"), "it did not exist at '", ": its history begins at v0"),
    "other": (as_of("gone", "var('first')"), "it did not exist at '", "its history begins at v0"),
    "future": (as_of("t1", "'2999-01-01'"), "'2999-01-01' is in the future: it is 20", "earlier"),
    "plain": (as_of("pq", "'-0 days'"), "it is no Delta table, and has no versions", ""),
    "none": (as_of("t1", "'yesterday'"), "t1: 'yesterday' is no time.", "as '-1 day'"),
    "over_cte": ("{{ dbt_mview.as_of(ref('cte'), '-1 day') }}", "it is ephemeral", "what it reads"),
}


def test_what_dbt_puts_around_a_table(shop: Past) -> None:
    """--empty, a unit test, and each error that needs an engine."""
    project = shop.project
    project.sql("create table @.gone using delta as select 1 as id")
    project.sql("insert into @.gone values (2)")
    first = now(project)
    project.sql("drop table @.gone")
    project.sql("create table @.gone using delta as select 3 as id")
    project.sql("drop table if exists @.late")
    project.sql("create table @.late using delta as select 1 as id")
    project.sql("create table @.pq using parquet as select 1 as id")
    model(project, "over_t1", f"select id from {shop.at('t1', 'first')}", "table")
    model(project, "over_v2", f"select v.* from {shop.at('v2', 'first')} as v", "table")
    project.write("models/tests.yml", {"unit_tests": [UNIT_TEST]})
    tested = project.dbt("test", "--select", "test_type:unit")
    assert tested.status["rows_stand_for_the_table"] == "pass"
    project.run(args=("--empty",))
    assert project.rows("over_t1") == project.rows("over_v2") == []
    assert len(project.sql("describe @.over_v2")) == 2
    project.forget()
    shop_sources(project)
    model(project, "cte", "select 1 as id", "ephemeral")
    for name, (call, *_) in ERRORS.items():
        model(project, name, f"select * from {call}", "table")
    given = '{"first": "' + first + '", "dbt_mview:flashback_enable": true}'
    outcome = project.run(args=("--vars", given), expect=False)
    for name, (_, *texts) in ERRORS.items():
        assert all(text in outcome.text(name) for text in texts), outcome.text(name)


def test_a_view_over_a_time_that_moves(shop: Past) -> None:
    """Another version is a change of the source; the same one is none."""
    project = shop.project
    project.sql(f"create table @.w {FEED} as select id, id % 2 as k from range(1000)")
    times = [now(project)]
    project.sql("insert into @.w values (1000, 1)")
    project.sql("insert into @.w values (1001, 1)")
    times.append(now(project))
    project.sql("insert into @.w values (1002, 1)")
    moving, fixed = as_of("w", "var('at')"), as_of("w", repr(times[0]))
    model(project, "counts", f"select k, count(*) as n from {moving} group by k", "mview")
    twice = f"select a.id from {moving} a join {fixed} b on a.id = b.id"
    model(project, "both", twice, "mview")
    said = []
    for at in (times[0], times[1], times[1]):
        given = '{"at": "' + at + '", "dbt_mview:flashback_enable": true}'
        outcome = project.run(args=("--vars", given))
        said.append((outcome.text("counts"), outcome.text("both")))
        assert project.rows("counts") == [(0, 500), (1, 500 if at == times[0] else 502)], said[-1]
    assert said[0][0].startswith("COMPLETE v0, 2 rows: first build")
    assert said[1][0].startswith("FAST v1, ") and "test_flashback.w v0 -> v2" in said[1][0]
    assert said[2][0].startswith("SKIP nothing changed since test_flashback.w v2")
    for _, both in said[1:]:
        assert both.endswith("1000 rows: SOURCE_AT_TWO_TIMES: test_flashback.w"), both
    verified = project.op("mview_verify").log
    assert verified.count(" equal ") >= 1 and "DIFFERS" not in verified, verified


SOURCE = """
{% macro source(s, t) %}{{ return(dbt_mview.source_as_of(builtins.source(s, t))) }}{% endmacro %}
"""


def test_a_whole_run_as_of_a_time(shop: Past) -> None:
    """Views and tables read as of it; a view that has read newer data is not taken back."""
    project = shop.project
    query = "select id, c1 from {{ source('shop', 't1') }}"
    model(project, "kept", query, "mview", refresh="fast")
    model(project, "built", query, "table")
    model(project, "seen", query, "view")
    model(
        project,
        "newest",
        "select id, c1 from {{ source('shop', 't1') }}",
        "mview",
        read_consistency="latest",
    )
    project.sql("create table if not exists @.late using delta as select 1 as id")
    model(project, "absent", "select * from {{ source('shop', 'late') }}", "mview")
    project.write("macros/source.sql", SOURCE)
    early = {**ON, "dbt_mview:as_of": shop.first}
    project.configure(vars=early)
    outcome = project.run(expect=False)
    for name in ("kept", "newest", "built", "seen"):
        assert project.rows(name) == T1, (name, outcome.log)
    assert "spark_catalog.test_flashback.late: it did not exist at " in outcome.text("absent")
    read_time = project.info("kept").last_successful_refresh_read_time
    assert str(read_time)[:19] == shop.first[:19]

    project.configure(vars=ON)
    outcome = project.run("kept", "built")
    assert outcome.text("kept").startswith("FAST v1"), outcome.text("kept")
    assert project.rows("kept") == project.rows("built") == [*T1[:4], (5, "abcdefg")]
    project.configure(vars=early)
    outcome = project.run("kept", expect=False)
    said = outcome.text("kept")
    assert "it has read spark_catalog.test_flashback.t1 at v2 of " in said
    assert "into another target, or take the view back with --full-refresh." in said
    (project.root / "macros" / "source.sql").unlink()


@pytest.mark.nightly
def test_defer_reads_the_other_target_as_it_was(shop: Past, tmp_path: Path) -> None:
    """Through what dbt replaces in each run, which keeps its history."""
    project = shop.project
    project.target("d", schema=f"{project.schema}_dev")
    over = "select * from {{ dbt_mview.as_of(ref('base'), var('at')) }} as b"
    for name, kind in (("over", "table"), ("kept", "mview")):
        model(project, name, over, kind)
    project.artifacts = True
    model(project, "base", "select 1 as id", "table")
    project.run("base")
    artifacts = tmp_path / "artifacts"
    shutil.copytree(project.root / "target", artifacts)
    at = now(project)
    model(project, "base", "select 2 as other", "table")
    project.run("base")
    given = '{"at": "' + at + '", "dbt_mview:flashback_enable": true}'
    deferring = ("--target", "d", "--defer", "--state", str(artifacts), "--vars", given)
    try:
        project.run("over", "kept", args=deferring)
        for name in ("over", "kept"):
            assert [row.asDict() for row in project.sql(f"select * from @_dev.{name}")] == [
                {"id": 1}
            ]
    finally:
        for schema in ("@_dev", "@_dev_mview"):
            project.sql(f"drop schema if exists {schema} cascade")


# Faults, as somebody could make them by mistake, and the model of `wrong_models` that shows each.
FAULTS = {
    "less_than_at_the_time": (
        "exact",
        Change("_pin_at", '"gt", moment', '"ge", moment'),
    ),
    "the_newest_where_none_is_that_old": (
        "early",
        Change("_pin_at", "moment) | list -%}", "moment) | list or commits -%}"),
    ),
    "a_step_over_a_real_change": (
        "first",
        Change("_readable_pin", 'COMPUTE STATS"', 'COMPUTE STATS,WRITE"'),
    ),
    "the_zone_of_the_session_is_ignored": (
        "first",
        Change("_moment", "dbt_mview._zone(dbt_mview._clock().zone)", "modules.pytz.utc"),
    ),
    "the_tables_of_a_view_are_not_pinned": (
        "through",
        Change("_view_at", '"version": pin.version', '"version": none'),
    ),
    "the_version_is_a_part_of_the_definition": (
        "moving",
        Change("_definition_hash", "bound.travelled or bound.at_two_times", "false"),
    ),
    "a_run_as_of_a_time_reads_the_latest": (
        "whole",
        Change("_run_as_of", "none if value is none else", "none if true else"),
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", [None, *FAULTS])
def test_a_fault_is_caught(
    name: str | None,
    spark: SparkSession,
    tmp_path: Path,
    zone: Callable[[str], None],
) -> None:
    """Without a fault all models are right."""
    # West of UTC: a time that is read in the wrong zone is past, and not in the future.
    zone("America/New_York")
    package = copy_package(tmp_path / "package")
    shown, change = FAULTS[name] if name else (None, None)
    if change:
        change.apply(package / "macros")
    project = Project(tmp_path / "p", "test_flashback_faults", spark, package=package)
    try:
        wrong = wrong_models(project)
    finally:
        project.drop()
    assert (shown in wrong) if shown else not wrong, wrong


@pytest.fixture
def zone(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Gives the session another time zone for a while."""
    before = spark.conf.get("spark.sql.session.timeZone")
    yield lambda name: spark.conf.set("spark.sql.session.timeZone", name)
    spark.conf.set("spark.sql.session.timeZone", str(before))


def wrong_models(project: Project) -> set[str]:
    """A table of one row, then two, then three, read at times; the models that are wrong."""
    project.sql("create schema @")
    before = now(project)
    project.sql(f"create table @.t {FEED} as select 1 as id")
    project.sql("create view @.v as select id from @.t")
    first = now(project)
    project.sql("insert into @.t values (2)")
    second = now(project)
    project.sql("insert into @.t values (3)")
    exact = project.sql("describe history @.t")[1].timestamp.astimezone().isoformat()
    source = {"name": "shop", "schema": project.schema, "tables": [{"name": "t"}, {"name": "v"}]}
    project.write("models/sources.yml", {"sources": [source]})
    reads = {
        "exact": (as_of("t", repr(exact)), 2),
        "early": (as_of("t", repr(before)), None),
        "first": (as_of("t", repr(first)), 1),
        "through": (as_of("v", repr(first)) + " as v", 1),
        "moving": (as_of("t", "var('at')"), 1),
        "whole": ("{{ source('shop', 't') }}", 2),
    }
    for name, (call, _) in reads.items():
        views = ("moving", "whole")
        config = {"refresh": "fast"} if name == "moving" else {}
        kind = "mview" if name in views else "table"
        model(project, name, f"select id from {call}", kind, **config)
    project.configure(vars={**ON, "at": first, "dbt_mview:as_of": second})
    outcome = project.run(expect=None)
    wrong = set()
    for name, (_, count) in reads.items():
        built = outcome.status[name] == "success"
        if (len(project.rows(name)) if built else None) != count:
            wrong.add(name)
    project.configure(vars={**ON, "at": second})
    moved = project.run("moving", expect=None).text("moving")
    return wrong | (set() if moved.startswith("FAST v1, ") else {"moving"})
