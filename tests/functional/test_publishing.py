"""Publishing under hostile session settings, under the eyes of a reader, over other objects."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest
from deltalake import DeltaTable, QueryBuilder

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

HOSTILE = {
    "dynamic": {"spark.sql.sources.partitionOverwriteMode": "DYNAMIC"},
    "no_ansi": {"spark.sql.ansi.enabled": "false"},
}


@pytest.fixture(params=["dynamic", pytest.param("no_ansi", marks=pytest.mark.nightly)])
def hostile(request: pytest.FixtureRequest, module_project: Project) -> Iterator[str]:
    """A session that others left with settings of their own."""
    conf = module_project.spark.conf
    before = {key: conf.get(key, None) for key in HOSTILE[request.param]}
    for key, value in HOSTILE[request.param].items():
        conf.set(key, value)
    yield request.param
    for key, value in before.items():
        if value is None:
            conf.unset(key)
        else:
            conf.set(key, value)


def test_every_publish_replaces_everything(project: Project, hostile: str) -> None:
    """Insert, replace and staged publishes of a partitioned view leave no old partition behind."""
    name = f"src_{hostile}"
    project.sql(f"create or replace table @.{name} using delta as select 1 as k, 1 as n")
    query = f"select k, n from {{{{ target.schema }}}}.{name}"
    plain, staged = f"plain_{hostile}", f"staged_{hostile}"
    project.model(plain, query, partition_by="k")
    project.model(staged, query, partition_by="k", unique_key="k")
    project.run()
    project.sql(f"update @.{name} set k = 2")
    outcome = project.run()
    assert outcome.text(plain).startswith("COMPLETE v1")
    assert project.rows(plain) == project.rows(staged) == [(2, 1)]
    project.sql(f"update @.{name} set k = 3")
    project.model(plain, query, partition_by=["k"], tblproperties={"delta.appendOnly": "false"})
    project.model(staged, query + " where k > 3", partition_by="k", unique_key="k")
    project.run()
    assert project.rows(plain) == [(3, 1)] and project.rows(staged) == []
    project.model(plain, query, partition_by="n")
    assert "partition_by" in project.run(plain).text(plain)
    assert project.rows(plain) == [(3, 1)]


def test_a_reader_never_sees_anything_but_whole_results(project: Project) -> None:
    """Four views through twenty refreshes, by insert and by replace, polled by two engines: every
    20 ms by one that knows nothing of this Spark, now and then by Spark itself."""
    names = [f"watched_{index}" for index in range(4)]
    project.sql(
        "create or replace table @.watched_src using delta as select 0 as gen, id from range(50)"
    )
    for name in names:
        project.model(name, "select gen, id from {{ target.schema }}.watched_src")
    project.run()
    paths = {name: project.sql(f"describe detail @.{name}")[0].location for name in names}
    query = "select count(*) as n, min(gen) as low, max(gen) as high from {}"

    def by_delta_rs(name: str) -> tuple[int, ...]:
        engine = QueryBuilder().register("t", DeltaTable(paths[name]))
        row = engine.execute(query.format("t")).read_all()
        return tuple(row.column(index)[0].as_py() for index in range(3))

    def by_spark(name: str) -> tuple[int, ...]:
        return tuple(project.sql(query.format(f"@.{name}"))[0])

    seen: dict[tuple[str, str], list[tuple[int, ...]]] = defaultdict(list)
    errors: list[Exception] = []
    stop = threading.Event()

    def poll(read: Callable[[str], tuple[int, ...]], pause: float) -> None:
        for name in itertools.cycle(names):
            if stop.wait(pause):
                return
            try:
                seen[read.__name__, name].append(read(name))
            except Exception as error:
                errors.append(error)

    polls = [(by_delta_rs, 0.02), (by_spark, 1.0)]
    readers = [threading.Thread(target=poll, args=how) for how in polls]
    for reader in readers:
        reader.start()
    try:
        for generation in range(1, 6):
            project.sql(f"update @.watched_src set gen = {generation}")
            project.run(args=() if generation % 2 else ("--full-refresh",))
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert not errors, errors[0]
    assert len(seen) == 2 * len(names)
    for who, states in seen.items():
        assert {count for count, _, _ in states} == {50}, who
        assert all(low == high for _, low, high in states), who
        generations = [low for _, low, _ in states]
        assert generations == sorted(generations), who
    for name in names:
        assert len({low for _, low, _ in seen["by_delta_rs", name]}) > 4, name


def test_in_place_of_other_objects_and_back(project: Project) -> None:
    """A view, a plain table, a parquet table become views of ours, and become others again."""
    query = "select 1 as id"
    plain = {
        "was_view": {"materialized": "view"},
        "was_table": {"materialized": "table", "file_format": "delta"},
    }
    for name, config in plain.items():
        project.model(name, query, **config)
    project.run()
    project.sql("create table @.was_parquet using parquet as select 5 as old")
    for name in ("was_view", "was_table", "was_parquet"):
        project.model(name, "select 2 as id")
    outcome = project.run()
    for name, kind in (("was_view", "view"), ("was_table", "delta"), ("was_parquet", "parquet")):
        assert f"first build in place of a {kind}" in outcome.text(name)
        assert project.rows(name) == [(2,)]
        assert project.info(name).target_version is not None
    assert len(project.commits("was_table")) == 2
    assert not project.sql("show tables in @ like 'dbt_mview_*'")
    again = project.run()
    assert all(again.text(name).startswith("SKIP") for name in (*plain, "was_parquet"))
    for name, config in plain.items():
        project.model(name, "select 3 as id", **config)
    project.run("was_view", "was_table")
    assert project.rows("was_view") == project.rows("was_table") == [(3,)]
    for name in plain:
        project.model(name, "select 4 as id")
    project.run("was_view", "was_table")
    assert project.rows("was_view") == project.rows("was_table") == [(4,)]
