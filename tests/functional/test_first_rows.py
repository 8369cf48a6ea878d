"""ORDER BY ... LIMIT: the first rows follow changes, as long as no row beyond them is needed."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]
S = "{{ target.schema }}."
# name -> query, unique_key
VIEWS = {
    "latest": (
        f"select id, day, amt, s from {S}facts order by day desc nulls last, id desc limit 20 -- .",
        ["id"],
    ),
    "best": (
        f"select k, max(amt) as most, count(*) as n from {S}facts group by k"
        " order by most desc nulls last, k limit 4;",
        ["k"],
    ),
    "named": (
        f"with f as (select * from {S}facts), d as (select * from {S}dims),"
        " counts as (select k, count(*) as n from f group by k),"
        " last as (select k, max(id) as last from f group by k)"
        " select d.name, d.k, c.n, l.last from d left join counts c on c.k = d.k"
        " left join last l on l.k = d.k order by d.k limit 6",
        ["k"],
    ),
    "few": (f"select distinct s from {S}facts order by s limit 1000", []),
    "halves": (
        f"select cast(amt as double) / 2 as half, id from {S}facts order by 1, 2 limit 9",
        [],
    ),
    "equal": (f"select k, amt from {S}facts where id < 80 and k > 1 order by k, amt limit 33", []),
    "numbered": (
        "select id, k, row_number() over (partition by k order by id) as n"
        f" from {S}facts order by n, k, id limit 15",
        [],
    ),
    "either": (
        f"select k, 'f' as of from {S}facts union all select k, name from {S}dims"
        " order by k desc, of limit 12",
        [],
    ),
}
ROUNDS = [
    # What comes takes the place of others.
    "insert into @.facts values (1000, 3, 90, 'a', date'2025-01-01'), (1001, 3, 0, 's1', null),"
    " (1001, 3, 0, 's1', null), (7, 0, 1, null, null), (7, 0, 1, null, null);"
    "update @.facts set amt = amt + 1 where id % 97 = 3",
    # What is beyond goes; what is among the first changes.
    "delete from @.facts where id between 300 and 310;"
    "update @.facts set s = 'other' where id in (1000, 0, 5);"
    "insert into @.dims values (-1, 'first'), (61, 'last')",
    # What is among the first goes, and more comes.
    "delete from @.facts where id in (89, 179, 1000) or id < 40 and k = 1 or id = 7 and k = 0;"
    "insert into @.facts select 2000 + id, cast(id % 10 as int), 80 + id, concat('t', id),"
    " date_add(date'2025-02-01', cast(id as int)) from range(30)"
    " union all select 9, 0, 0, null, null from range(2);"
    "update @.dims set name = upper(name) where k % 3 = 0",
]
# Rows that are the first in all views; once they are gone, what comes after is in none of them.
FIRST = (
    "insert into @.facts select 3000 + id, cast(100 + id % 10 as int), 2000 + id, 's',"
    " date_add(date'2040-01-01', cast(id as int)) from range(30)"
)
GONE = "delete from @.facts where id >= 3000"


@pytest.fixture(scope="module")
def views(tables: Project) -> Project:
    for name, (sql, unique) in VIEWS.items():
        tables.model(name, sql, refresh="fast", **({"unique_key": unique} if unique else {}))
    tables.run(*VIEWS)
    return tables


def changed(views: Project, change: str) -> None:
    for statement in change.split(";"):
        views.sql(statement)


def holds(views: Project, name: str, query: str) -> bool:
    return views.holds(name, query.replace(S, "@.").partition(";")[0].partition(" --")[0])


def test_first_rows_follow(views: Project) -> None:
    for change in ROUNDS:
        changed(views, change)
        outcome = views.run(*VIEWS)
        for name, (sql, _) in VIEWS.items():
            assert outcome.text(name).startswith("FAST"), (name, outcome.text(name))
            assert "(first rows, " in outcome.text(name), (name, outcome.text(name))
            assert holds(views, name, sql), (name, change)


def test_rows_beyond_the_limit_are_asked_for(views: Project) -> None:
    auto = {"latest_auto": "latest", "best_auto": "best"}
    for name, like in auto.items():
        views.model(name, VIEWS[like][0], unique_key=VIEWS[like][1])
    changed(views, FIRST)
    views.run("latest", *auto)
    changed(views, GONE)
    outcome = views.run(*auto)
    for name, like in auto.items():
        assert outcome.text(name).startswith("COMPLETE"), outcome.text(name)
        assert "not FAST: ROWS_BEYOND_LIMIT: " in outcome.text(name), outcome.text(name)
        assert holds(views, name, VIEWS[like][0]), name
    before = views.sql("select * from @.latest")
    failed = views.run("latest", expect=False)
    assert "refresh is 'fast' and this refresh cannot be: ROWS_BEYOND_LIMIT: 20 of 20" in failed.log
    assert views.sql("select * from @.latest") == before
