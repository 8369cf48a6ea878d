"""FAST equals COMPLETE, row for row: every shape through inserts, updates, deletes and moves."""

from __future__ import annotations

import pytest

from tests.support.project import Project

pytestmark = pytest.mark.spark

S = "{{ target.schema }}."
# Queries that follow every change of their sources.
SHAPES = {
    "counted": f"select k, count(*) as n, sum(amt) as total from {S}facts group by k",
    "summed": f"select k, sum(amt) as total from {S}facts group by k",
    "extremes": (
        f"select k, min(amt) as lo, max(day) as last, count(s) as named from {S}facts group by k"
    ),
    "only_min": f"select upper(s) as s, min(id) as lo from {S}facts group by upper(s)",
    "overall": f"select count(*) as n, sum(amt) as total, max(id) as top from {S}facts",
    "other_values": (
        f"select k, avg(amt) as mean, count(distinct s) as names, sum(cast(amt as double)) as d,"
        f" sum(amt) / count(*) as ratio from {S}facts group by k"
    ),
    "cte_over_join": (
        f"with joined as (select f.*, d.name from {S}facts f join {S}dims d on f.k = d.k),"
        " grouped as (select name, count(*) as n, sum(amt) as total from joined group by name)"
        " select name as label, total, n from grouped order by 1"
    ),
    "self_join": (
        f"select a.k, count(*) as pairs from {S}facts a join {S}facts b on a.k = b.k group by a.k"
    ),
    "rows": f"select id, k, amt * 2 as twice from {S}facts where amt > 10",
    "bag": f"select s, day from {S}facts",
    "joined_rows": (
        f"select f.id, d.name from {S}facts f, {S}dims d where f.k = d.k and d.name <> 'x'"
    ),
    "keyed_rows": f"select id, s, amt from {S}facts where s is not null",
    "unioned": f"select k, s from {S}facts where amt < 20 union all select k, name from {S}dims",
    "distinct_rows": f"select distinct k, s from {S}facts",
    "latest": (
        "select k, id, amt from (select *, row_number() over (partition by k order by id desc)"
        f" as rn from {S}facts) where rn = 1"
    ),
    "shares": f"select k, id, sum(amt) over (partition by k) as of_group from {S}facts",
    # The optional side of outer joins; the facts change in every round, the dims in the last.
    "left_grouped": (
        "select d.k, upper(d.name) as label, count(f.id) as n, sum(f.amt) as total, min(f.day) as"
        f" first_day, avg(f.amt) as mean from {S}dims d left join {S}facts f on f.k = d.k"
        " where d.k < 40 group by d.k, upper(d.name)"
    ),
    "left_rows": f"select d.name, f.id, f.amt from {S}dims d left join {S}facts f on f.k = d.k",
    "left_unique": (
        f"select f.id, f.k, d.name from {S}facts f left join {S}dims d on d.k = f.k"
        " where f.s is not null"
    ),
    "left_groups": (
        f"with customers as (select * from {S}dims), orders as (select * from {S}facts where amt"
        " <> 7), per_customer as (select k as customer, count(*) as n, max(amt) as top from"
        " orders group by k), final as (select c.k, c.name, coalesce(p.n, 0) as n, p.top from"
        " customers c left join per_customer p on p.customer = c.k) select * from final"
        " where k <> 3"
    ),
    "left_first": (
        f"select d.k, d.name, f.id, f.amt from {S}dims d left join (select *, row_number() over"
        f" (partition by k order by amt desc, id) as rn from {S}facts where s is not null) f"
        " on f.k = d.k and f.rn = 1"
    ),
    "left_of_groups": (
        f"select t.k, t.total, d.name from (select k, sum(amt) as total from {S}facts group by k) t"
        f" left join {S}dims d on d.k = t.k where t.k <> 4"
    ),
    "left_chain": (
        f"select d.k, count(a.id) as n, sum(b.amt) as total, max(e.name) as name from {S}dims d"
        f" left join {S}facts a on a.k = d.k left join {S}facts b on b.id = a.id + 10"
        f" left join {S}dims e on e.k = b.k + 1 group by d.k"
    ),
    "left_nested": (
        f"select d.k, d.name, f.id, e.name as other from {S}dims d left join ({S}facts f left join"
        f" {S}dims e on e.k = f.k + 1 and f.amt > 20) on f.k <=> d.k and d.name <> 'd3'"
    ),
    "left_self": (
        f"select a.id, b.amt, b.s from {S}facts a left join {S}facts b on b.id = a.id - 97"
        " where a.s is not null"
    ),
    "left_union": (
        f"select d.k, sum(u.v) as total from {S}dims d left join (select k, amt as v from"
        f" {S}facts union all select k + 1, k from {S}dims) u on u.k = d.k group by d.k"
    ),
    "right_grouped": (
        f"select d.name, count(distinct f.s) as names from {S}facts f right join {S}dims d"
        " on f.k = d.k group by d.name"
    ),
    "left_latest": (
        "select k, id, amt, rival from (select d.k, f.id, f.amt, g.id as rival, row_number() over"
        f" (partition by d.k order by f.id desc) as rn from {S}dims d left join {S}facts f on"
        f" f.k = d.k left join (select * from (select k, id, row_number() over (partition by k"
        f" order by amt desc, id) as r from {S}facts) where r = 1) g on g.k = d.k) where rn = 1"
    ),
    "left_distinct": f"select distinct d.name, f.s from {S}dims d left join {S}facts f using (k)",
    "left_view": f"select name, sum(amt) as total from {S}joined group by name",
}
UNIQUE = {
    "keyed_rows": "id", "left_unique": "id", "left_groups": "k", "left_self": "id",
    "left_grouped": ["k", "label"], "left_latest": "k", "left_first": "k",
}  # fmt: skip
# name -> (query, the reason why it is refreshed in full)
REFUSED = {
    "having": (
        f"select k, count(*) as n from {S}facts group by k having count(*) > 2",
        "AGGREGATE_NOT_TOP_NODE: Filter over Aggregate",
    ),
    "limited": (f"select id from {S}facts order by id limit 5", "OPERATOR_NOT_INCREMENTAL: Limit"),
    "nested": (
        "select n, count(*) as ks from"
        f" (select k, count(*) as n from {S}facts group by k) group by n",
        "AGGREGATE_NOT_TOP_NODE: Aggregate over Aggregate",
    ),
    "alone": (
        f"select d.name from {S}dims d left join {S}facts f on f.k = d.k where f.id is null",
        "OPERATOR_NOT_INCREMENTAL: Filter over the optional side of a join",
    ),
    "left_then_inner": (
        f"select d.k, e.name from {S}dims d left join {S}facts f on f.k = d.k"
        f" join {S}dims e on e.k = f.k",
        "OPERATOR_NOT_INCREMENTAL: Join Inner over the optional side of a join",
    ),
    "left_values": (
        f"select f.s, count(*) as n from {S}dims d left join {S}facts f on f.k = d.k group by f.s",
        "OPERATOR_NOT_INCREMENTAL: the result lacks a column of the preserved side",
    ),
    "right_using": (
        f"select k, count(s) as named from {S}facts right join {S}dims using (k) group by k",
        "SOURCE_NOT_BOUND: Join RightOuter is not found in the text",
    ),
    "full": (
        f"select d.k, f.id from {S}dims d full join {S}facts f on f.k = d.k",
        "OPERATOR_NOT_INCREMENTAL: Join FullOuter",
    ),
    "absent": (
        f"select name from {S}dims d where not exists (select 1 from {S}facts f where f.k = d.k)",
        "SUBQUERY_NOT_INCREMENTAL",
    ),
    "whole_window": (
        f"select id, sum(amt) over (order by id) as run from {S}facts",
        "WINDOW_WITHOUT_PARTITION_BY",
    ),
    "second": (
        "select k, id from (select *, sum(amt) over (partition by k) as t from"
        f" {S}facts) where t > 30",
        "OPERATOR_NOT_INCREMENTAL: a filter over a window",
    ),
    "gathered": (
        f"select k, collect_list(s) as names from {S}facts group by k",
        "EXPRESSION_NOT_DETERMINISTIC: collect_list",
    ),
    "twice": (
        f"with c as (select k from {S}facts) select a.k from c a join c b on a.k = b.k",
        "OPERATOR_NOT_INCREMENTAL: a CTE that is read 2 times",
    ),
}
ROUNDS = {
    "inserts": "insert into @.facts values (1000, 1, 3.50, 'new', date'2024-05-01'),"
    " (1001, 99, 4, null, null), (1001, 99, 4, null, null), (1002, null, 1, 'n', date'2020-01-01')",
    "updates and moves between groups": "update @.facts set amt = amt + 1, s = 'changed'"
    " where id % 97 = 3;"
    "update @.facts set k = k + 1 where id % 151 = 7",
    "deletes, of a whole group and of extremes": "delete from @.facts where id % 119 = 5 or k = 99;"
    "merge into @.facts t using"
    " (select k, min(amt) as amt from @.facts group by k order by k desc limit 2) as s"
    " on t.k = s.k and t.amt = s.amt when matched then delete",
    "both tables at once": "merge into @.dims t using"
    " (select 3 as k, 'moved' as name union all select 12, 'more') as s"
    " on t.k = s.k when matched then update set * when not matched then insert *;"
    "insert into @.facts values (2000, 12, 8, 'late', null), (2001, 98, -1, 'low', null);"
    "delete from @.facts where id = 10 or k is null",
}


@pytest.fixture(scope="module")
def shapes(module_project: Project) -> Project:
    """All shapes as views over a table of facts and one of dimensions."""
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    module_project.sql(
        f"create table @.facts {feed} as select id, cast(id % 10 as int) as k,"
        " cast(id % 37 as decimal(10, 2)) as amt, if(id % 11 = 0, null, concat('s', id % 5)) as s,"
        " date_add(date'2024-01-01', cast(id % 90 as int)) as day from range(600)"
    )
    module_project.sql(
        f"create table @.dims {feed} as"
        " select cast(id as int) as k, concat('d', id % 4) as name from range(60)"
    )
    module_project.sql(
        "create view @.joined as with d as (select * from @.dims), f as (select * from @.facts)"
        " select d.name, f.amt, f.id from d left join f on f.k = d.k"
    )
    for name, query in SHAPES.items():
        unique = {"unique_key": UNIQUE[name]} if name in UNIQUE else {}
        module_project.model(name, query, refresh="fast", **unique)
    module_project.run()
    return module_project


@pytest.mark.parametrize("change", ROUNDS)
def test_fast_equals_complete(shapes: Project, change: str) -> None:
    for statement in ROUNDS[change].split(";"):
        shapes.sql(statement)
    outcome = shapes.run()
    done = {name: outcome.text(name) for name in SHAPES}
    assert not {name: text for name, text in done.items() if not text.startswith("FAST")}
    verified = shapes.op("mview_verify", expect=None)
    assert verified.success, verified.log[-3000:]
    assert verified.log.count("  equal") >= len(SHAPES)


def test_what_is_refused_is_complete_and_says_why(shapes: Project) -> None:
    for name, (query, _) in REFUSED.items():
        shapes.model(name, query)
    shapes.run(*REFUSED)
    shapes.sql("insert into @.facts values (4000, 5, 1, 'last', null)")
    outcome = shapes.run(*REFUSED)
    done = {name: outcome.text(name) for name in REFUSED}
    assert all(text.startswith("COMPLETE") for text in done.values()), done
    assert not {
        name: done[name] for name, (_, reason) in REFUSED.items() if reason not in done[name]
    }


def test_fast_is_strict(shapes: Project) -> None:
    """Refused with the reason, before anything is written; the view stays as it is."""
    shapes.model("never", REFUSED["having"][0], refresh="fast")
    never = shapes.run("never", expect=False).text("never")
    assert "refresh is 'fast' and this refresh cannot be: AGGREGATE_NOT_TOP_NODE" in never
    assert not shapes.sql("show tables in @ like 'never'")
    before = shapes.commits("counted")[0].version
    shapes.sql("alter table @.facts set tblproperties ('delta.enableChangeDataFeed' = 'false')")
    shapes.sql("insert into @.facts values (4001, 5, 1, 'lost', null)")
    text = shapes.run("counted", expect=False).text("counted")
    assert "CHANGE_DATA_UNAVAILABLE" in text and "--full-refresh" in text
    assert shapes.commits("counted")[0].version == before
    explained = shapes.op("mview_explain", view="counted").log
    assert "COMPLETE" in explained and "delta.enableChangeDataFeed" in explained
    shapes.model("counted", SHAPES["counted"])
    assert "CHANGE_DATA_UNAVAILABLE" in shapes.run("counted").text("counted")
    assert shapes.op("mview_verify", view="counted").log.count("equal") == 1


def test_auto_learns_what_is_slower(shapes: Project) -> None:
    query = f"select s, count(*) as n from {S}dims_log group by s"
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    shapes.sql(f"create table @.dims_log {feed} as select 'a' as s, id from range(100)")
    shapes.model("learning", query)
    shapes.run("learning")
    shapes.sql("insert into @.dims_log values ('b', 1)")
    assert shapes.run("learning").text("learning").startswith("FAST")
    shapes.sql(
        "update @_mview.mview_refresh_hist set refresh_endtime = refresh_time"
        " + if(refresh_method = 'fast', interval 9 second, interval 2 second)"
        " where mview_id = 'spark_catalog.test_fast.learning'"
    )
    shapes.sql("insert into @.dims_log values ('b', 2)")
    text = shapes.run("learning").text("learning")
    assert "not FAST: FAST_IS_SLOWER: 9.0 s, COMPLETE 2.0 s" in text
    shapes.sql("insert into @.dims_log select 'c', id from range(50)")
    assert "TOO_MANY_CHANGES: 50 of the 152 rows" in shapes.run("learning").text("learning")
