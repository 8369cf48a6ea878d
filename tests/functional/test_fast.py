"""FAST equals COMPLETE, row for row: every shape through inserts, updates, deletes and moves."""

from __future__ import annotations

import itertools
import json
import os
import threading
import time

import pyspark
import pytest

from tests.functional.shapes import COMPLETE_ON, FOLLOWED, REFUSED, SHAPES, UNIQUE, S
from tests.nightly import draw
from tests.support.project import Project

pytestmark = pytest.mark.spark

ROUNDS = {
    "inserts": "insert into @.facts values (1000, 1, 3.50, 'new', date'2024-05-01'),"
    " (1001, 99, 4, null, null), (1001, 99, 4, null, null), (1002, null, 1, 'n', date'2020-01-01')",
    "updates, moves and deletes of groups and extremes, in both tables": "update @.facts"
    " set amt = amt + 1, s = 'changed' where id % 97 = 3;"
    "update @.facts set k = k + 1 where id % 151 = 7;"
    "delete from @.facts where id % 119 = 5 or k = 99;"
    "merge into @.facts t using"
    " (select k, min(amt) as amt from @.facts group by k order by k desc limit 2) as s"
    " on t.k = s.k and t.amt = s.amt when matched then delete;"
    "merge into @.dims t using"
    " (select 3 as k, 'moved' as name union all select 12, 'more') as s"
    " on t.k = s.k when matched then update set * when not matched then insert *;"
    "insert into @.facts values (2000, 12, 8, 'late', null), (2001, 98, -1, 'low', null);"
    "delete from @.facts where id = 10 or k is null",
}


def build(tables: Project, names: list[str]) -> Project:
    """These shapes as views over the tables."""
    for name in names:
        unique = {"unique_key": UNIQUE[name]} if name in UNIQUE else {}
        tables.model(name, SHAPES[name], refresh="fast", **unique)
    tables.run(*names)
    return tables


@pytest.fixture(scope="module")
def names(request: pytest.FixtureRequest) -> list[str]:
    """The shapes that the commit draws; all in `make nightly`, but what this Spark has COMPLETE."""
    complete = COMPLETE_ON.get(pyspark.__version__[:3], set())
    drawn = draw.shapes(SHAPES, request.config.getoption("--draw"))
    return [name for name in drawn if name not in complete]


@pytest.fixture(scope="module")
def shapes(tables: Project, names: list[str]) -> Project:
    """Views of these shapes."""
    return build(tables, names)


@pytest.mark.nightly
@pytest.mark.timeout(3600)  # the first one builds all shapes
@pytest.mark.parametrize("change", ROUNDS)
def test_fast_equals_complete(shapes: Project, names: list[str], change: str) -> None:
    followed(shapes, names, change)


def test_what_the_commit_draws(shapes: Project, names: list[str]) -> None:
    followed(shapes, names, list(ROUNDS)[-1])


def followed(tables: Project, names: list[str], change: str) -> None:
    """These shapes follow a change of the tables, each in its way, and give what COMPLETE gives."""
    for statement in ROUNDS[change].split(";"):
        tables.sql(statement)
    outcome = tables.run(*names)
    done = {name: outcome.text(name) for name in names}
    assert not {name: text for name, text in done.items() if not text.startswith("FAST")}
    if change == list(ROUNDS)[-1]:
        ways = {name: FOLLOWED[name][1].split(",")[0] for name in names}
        assert not {name: text for name, text in done.items() if f"({ways[name]}," not in text}
    for name in names:
        assert tables.holds(name, SHAPES[name].replace(S, "@.")), name


@pytest.mark.nightly
def test_two_writers_meanwhile(shapes: Project) -> None:
    """What is committed while a refresh runs is left to the next one, and not lost or doubled."""
    views = ("counted", "extremes", "cte_over_join", "self_join", "joined_rows", "latest")
    over = threading.Event()
    written = {"facts": 0, "dims": 0}

    def write(table: str, *statements: str) -> None:
        for turn in itertools.count():
            for statement in statements:
                if over.wait(0.5):
                    return
                shapes.sql(statement.replace("#", str(5000 + turn)))
                written[table] += 1

    def wait_for_writes(before: dict[str, int]) -> None:
        while any(written[table] == count for table, count in before.items()):
            assert all(writer.is_alive() for writer in writers), "a writer failed"
            time.sleep(0.1)

    facts = (
        "insert into @.facts values (#, # % 9, 2, 'w', null)",
        "delete from @.facts where id % 50 = # % 50",
    )
    dims = ("update @.dims set name = concat('d', #) where k = # % 10",)
    writers = [
        threading.Thread(target=write, args=(table, *statements))
        for table, statements in {"facts": facts, "dims": dims}.items()
    ]
    for writer in writers:
        writer.start()
    try:
        for turn in range(2):
            wait_for_writes(dict(written))  # else there is nothing to refresh
            before = sum(written.values())
            outcome = shapes.run(*views)
            assert {outcome.text(view)[:4] for view in views} == {"FAST"}
            assert sum(written.values()) > before, "nothing was written meanwhile"
            for view in views[turn::2]:
                verified = shapes.op("mview_verify", view=view)
                assert verified.success and "undetermined" not in verified.log, view
    finally:
        over.set()
        for writer in writers:
            writer.join()
    shapes.run(*views)
    for view in views:
        assert shapes.holds(view, SHAPES[view].replace(S, "@.")), view


def test_what_is_refused_is_complete_and_says_why(
    tables: Project, request: pytest.FixtureRequest
) -> None:
    names = draw.shapes(REFUSED, request.config.getoption("--draw"))
    for name in names:
        tables.model(name, REFUSED[name][0])
    tables.run(*names)
    tables.sql("insert into @.facts values (4000, 5, 1, 'last', null)")
    outcome = tables.run(*names)
    done = {name: outcome.text(name) for name in names}
    assert all(text.startswith("COMPLETE") for text in done.values()), done
    assert not {name: done[name] for name in names if REFUSED[name][1] not in done[name]}


@pytest.mark.smoke
def test_fast_is_strict(tables: Project) -> None:
    """Refused with the reason, before anything is written; the view stays as it is."""
    tables.model("never", REFUSED["overall_having"][0], refresh="fast")
    never = tables.run("never", expect=False).text("never")
    assert "refresh is 'fast' and this refresh cannot be: AGGREGATE_NOT_TOP_NODE" in never
    assert not tables.sql("show tables in @ like 'never'")
    tables.model("counted", SHAPES["counted"], refresh="fast")
    tables.run("counted")
    before = tables.commits("counted")[0].version
    tables.sql("alter table @.facts set tblproperties ('delta.enableChangeDataFeed' = 'false')")
    tables.sql("insert into @.facts values (4001, 5, 1, 'lost', null)")
    text = tables.run("counted", expect=False).text("counted")
    assert "CHANGE_DATA_UNAVAILABLE" in text and "--full-refresh" in text
    assert tables.commits("counted")[0].version == before
    explained = tables.op("mview_explain", view="counted").log
    assert "COMPLETE" in explained and "delta.enableChangeDataFeed" in explained
    tables.model("counted", SHAPES["counted"])
    assert "CHANGE_DATA_UNAVAILABLE" in tables.run("counted").text("counted")
    assert tables.op("mview_verify", view="counted").log.count("equal") == 1


def takes(project: Project, view: str, **seconds: float) -> None:
    """Has state say that the refreshes of a view took so long, by their method."""
    row = f"mview_id = 'spark_catalog.test_fast.{view}'"
    found = project.sql(f"select spec from @_mview.mview_refresh_info where {row}")
    spec = json.loads(found[0].spec)
    methods = [(method, rows) for method, rows, _ in spec["took"]["last"]]
    took = {"first": seconds["complete"], **seconds}
    spec["took"]["last"] = [(method, rows, took[method]) for method, rows in methods]
    text = json.dumps(spec).replace("\\", "\\\\").replace("'", "\\'")
    project.sql(f"update @_mview.mview_refresh_info set spec = '{text}' where {row}")


def test_auto_learns_what_is_slower(tables: Project) -> None:
    query = f"select s, count(*) as n from {S}dims_log group by s"
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    tables.sql(f"create table @.dims_log {feed} as select 'a' as s, id from range(100)")
    tables.model("learning", query)
    tables.run("learning")
    tables.sql("insert into @.dims_log values ('b', 1)")
    assert tables.run("learning").text("learning").startswith("FAST")
    takes(tables, "learning", fast=6.0, complete=2.0)
    tables.sql("insert into @.dims_log values ('b', 2)")
    once = (
        "not FAST: FAST_IS_SLOWER: 6.0 s, more than 1/2 of the first build; COMPLETE is tried once"
    )
    assert once in tables.run("learning").text("learning")
    takes(tables, "learning", fast=6.0, complete=2.0)
    tables.sql("insert into @.dims_log values ('b', 3)")
    text = tables.run("learning").text("learning")
    assert "not FAST: FAST_IS_SLOWER: 6.0 s, COMPLETE 2.0 s" in text
    takes(tables, "learning", fast=2.0, complete=6.0)
    tables.sql("insert into @.dims_log select 'c', id from range(50)")
    text = tables.run("learning").text("learning")
    assert text.startswith("FAST") and "50 changed rows" in text, "new rows alone are read"
    tables.sql("insert into @.dims_log select 'c', id from range(200)")
    assert "TOO_MANY_CHANGES: 200 of the 353 rows" in tables.run("learning").text("learning")
    tables.sql("update @.dims_log set id = -id where s = 'a' and id >= 80")
    text = tables.run("learning").text("learning")
    assert "TOO_MANY_CHANGES: 40 of the 353 rows" in text
    done = tables.history("learning")[0]
    assert (done.refresh_method, done.refresh_reason) == ("complete", text.partition(": ")[2])


@pytest.mark.nightly
def test_commits_of_one_second(project: Project) -> None:
    """Delta moves the later ones of those that it lists together on by a millisecond each, and
    tells the time of one alone as it is; an object store has no more than seconds."""
    feed = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(f"create table @.slow using delta {feed} as select id, id % 3 as k from range(99)")
    project.sql("insert into @.slow values (100, 1)")
    second = int(time.time())
    for version in (0, 1):
        os.utime(project.commit_file("slow", version), (second, second))
    project.model("of_slow", "select k, count(*) as n from {{ target.schema }}.slow group by k")
    assert project.run("of_slow").text("of_slow").startswith("COMPLETE")
    project.sql("insert into @.slow values (101, 1)")
    os.utime(project.commit_file("slow", 2), (second, second))
    assert project.run("of_slow").text("of_slow").startswith("FAST")
    moved = "named_struct('relation', s.relation, 'table_id', s.table_id, 'version', s.version,"
    moved += " 'commit_time', s.commit_time + interval 2 milliseconds)"
    project.sql(
        f"update @_mview.mview_refresh_info set sources = transform(sources, s -> {moved})"
        " where mview_id like '%.of_slow'"
    )
    said = f"SKIP nothing changed since {project.schema}.slow v2"
    assert project.run("of_slow").text("of_slow") == said
