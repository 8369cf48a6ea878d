"""The shapes of queries that FAST follows, and those that it refuses, as data.

The tables of docs/fast-internals.md are written from here: ``python -m tests.functional.shapes``.
"""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "fast-internals.md"
BEGIN, END = "<!-- tests/functional/shapes.py -->\n", "<!-- end -->\n"

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
    "gathered_sorted": (
        "select k, array_join(sort_array(collect_set(s), false), ',') as names, size(array_agg(id))"
        " as n, listagg(distinct s, '/') within group (order by s desc) as list, sort_array("
        f"collect_list(amt))[1] as second from {S}facts group by k"
    ),
    "over_values": (
        "select k, not late as early, -n as less, ~lo as low, a like z as alike from (select k,"
        " max(id > 300) as late, count(*) as n, min(id) as lo, min(s) as a, max(s) as z"
        f" from {S}facts group by k)"
    ),
    "first_rows": (
        f"select id, k, amt from {S}facts where id % 119 <> 5 and id <> 10 order by amt desc, id"
        " limit 40"
    ),
    "first_groups": (
        f"with f as (select * from {S}facts) select s, count(*) as n, max(id) as top from f"
        " where s is not null group by s order by top desc, s limit 3"
    ),
    "labelled": f"select k, 'count(*)' as label, count(*) as n from {S}facts group by k",
    "small_parts": (
        "select k, sum(cast(amt as decimal(18, 8)) + 0.00000001BD) as total, sum(cast(amt as"
        f" decimal(30, 4)) + if(id % 7 = 0, null, 1BD)) as wide from {S}facts group by k"
    ),
    "smallest_parts": (
        "select k, sum(cast(amt as decimal(30, 10)) + 0.0000000001BD) as total"
        f" from {S}facts group by k"
    ),
    "means": (
        "select s, count(*) as n, sum(amt) as total, avg(amt) as mean, sum(k) as ks, avg(k) as mk"
        f" from {S}facts group by s"
    ),
    "counted_means": (
        f"select k, avg(amt) as mean, count(amt) as c, sum(amt) as total from {S}facts group by k"
    ),
    "cte_over_join": (
        f"with joined as (select f.*, d.name from {S}facts f join {S}dims d on f.k = d.k),"
        " grouped as (select name, count(*) as n, sum(amt) as total from joined group by name)"
        " select name as label, total, n from grouped order by 1"
    ),
    # CTEs as dbt's style guide has them: read several times, here and in a staging view.
    "cte_twice": f"with c as (select k from {S}facts) select a.k from c a join c b on a.k = b.k",
    "import_ctes": (
        f"with events as (select * from {S}facts), per_k as (select k, count(*) as n, sum(amt) as"
        " total from events group by k), latest as (select k, max(day) as last_day from Events"
        " where amt > 5 group by k) select p.k, p.n, p.total, l.last_day from per_k p join latest"
        " as l on l.k = p.k"
    ),
    "customers": (
        f"with customers as (select * from {S}dims), orders as (select * from {S}facts), sums as"
        " (select k, count(*) as n, sum(amt) as total from orders group by k), firsts (customer,"
        " first_day) as (select k, min(day) from orders where s is not null group by k), final as"
        " (select c.k, c.name, coalesce(sums.n, 0) as n, sums.total, firsts.first_day from"
        " customers c left join sums on sums.k = c.k left join firsts on firsts.customer = c.k)"
        " select * from final"
    ),
    "customers_staged": (
        f"select c.k, c.name, a.n, b.first_day from {S}dims c left join (select customer, count(*)"
        f" as n from {S}staged group by customer) a on a.customer = c.k left join (select customer,"
        f" min(day) as first_day from {S}staged where amt > 5 group by customer) b"
        " on b.customer = c.k"
    ),
    "counted_beside": (
        f"with d as (select * from {S}dims) select f.id, c.n, d.name from {S}facts f join"
        f" (with src as (select * from {S}facts) select k, count(*) as n from src group by k) c"
        " on c.k = f.k join d on d.k = f.k where c.n > 3"
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
    # Names of the columns that FAST's own statements might take for a table's.
    "named_as_tables": f"select id % 4 as q, k as a, count(distinct s) as s, max(amt) as v"
    f" from {S}facts group by 1, 2",
    "valued_as_tables": f"select k, count(*) as n, sum(amt) as q, min(id) as a from {S}facts"
    " group by k",
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
    # Filters over groups, windows and outer joins.
    "having": f"select k, count(*) as n from {S}facts group by k having count(*) > 60",
    "having_hidden": (
        f"select s, count(*) as n from {S}facts where amt > 3 group by s"
        " having max(id) % 2 = 1 or s is null and sum(amt) > 9"
    ),
    "where_over_groups": (
        f"with facts as (select * from {S}facts where amt < 30), per_k as (select k, sum(amt) as"
        " total, avg(amt) as mean from facts group by k having count(*) > 5), final as (select *"
        " from per_k where total % 3 > 0 or k = 99) select * from final"
    ),
    "not_first": (
        "select k, id, rn from (select *, row_number() over (partition by k order by amt desc, id)"
        f" as rn from {S}facts) where rn between 2 and 4"
    ),
    "latest_kept": (
        "select k, id, amt from (select *, row_number() over (partition by k order by id desc) as"
        f" rn from {S}facts) where rn = 1 and s is not null"
    ),
    "second_of_each": (
        "select who as customer, id from (select k as who, id, row_number() over (partition by k"
        f" order by id desc) as rn from {S}facts) where rn = 2"
    ),
    "above_mean": (
        f"select k, id, amt from (select *, avg(amt) over (partition by k) as mean from {S}facts)"
        " where amt > mean and k in (1, 2, 3, 99)"
    ),
    "labels": (
        "select k, case when count(*) > 60 then 'many, really' else 'few' end as label from"
        f" {S}facts group by k having count(*) > 1"
    ),
    "labels_united": (
        f"select k, 'dims, all' as src, 1L as n, name as note from {S}dims union all select k,"
        f" 'facts' as src, count(*) as n, 'per k, counted' as note from {S}facts group by k"
    ),
    "by_label": (
        "select if(amt > 20, 'big, very', 'small') as size, count(*) as n, sum(Amt) as total from"
        f" {S}facts group by if(amt > 20, 'big, very', 'small')"
    ),
    "some_distinct": f"select * from (select distinct k, s from {S}facts) where k + length(s) > 3",
    # Over groups and windows.
    "groups_joined": (
        f"with per_k as (select k, count(*) as n, sum(amt) as total from {S}facts group by k),"
        f" per_day as (select k, max(day) as last from {S}facts where s is not null group by k)"
        " select p.k, d.name, p.n, p.total, q.last from per_k p join per_day q on q.k = p.k"
        f" join {S}dims d on d.k = p.k where p.total > 10"
    ),
    "groups_of_groups": (
        "select k, count(*) as names, max(n) as most from (select k, s, count(*) as n from"
        f" {S}facts group by k, s) group by k"
    ),
    "left_in_a_list": (
        f"select d.k, e.name from {S}dims e, (select d.k, f.id from {S}dims d left join"
        f" {S}facts f on f.k = d.k where f.id is null) d where e.k = d.k"
    ),
    "ranked_groups": (
        "select k, s, n from (select k, s, count(*) as n, row_number() over (partition by k order"
        f" by count(*) desc, s) as place from {S}facts group by k, s) where place <= 2"
    ),
    "hidden_key": f"select k, count(*) as n from {S}facts group by k, s",
    # Rows of several levels, told apart by grouping_id(), by grouping() of each key, or not at all.
    "rolled_up": (
        "select k, s, count(*) as n, sum(amt) as total, grouping_id() as level"
        f" from {S}facts group by rollup (k, s)"
    ),
    "rolled_up_alike": (
        f"select k, s, count(*) as n, sum(amt) as total from {S}facts group by k, s with rollup"
    ),
    "cubed": (
        "select k, day(day) as of_month, grouping(k) as all_k, count(*) as n, min(amt) as lo,"
        f" sum(amt) as total, avg(amt) as mean, grouping(day(day)) as all_days from {S}facts"
        " group by cube (k, day(day))"
    ),
    "grouping_sets": (
        "select d.name, f.s, grouping_id() as level, count(*) as n, sum(f.amt) as total"
        f" from {S}facts f join {S}dims d on d.k = f.k"
        " group by grouping sets ((d.name, f.s), (d.name), ())"
    ),
    "rolled_up_left": (
        "select d.name, d.k % 2 as odd, grouping_id() as level, count(f.id) as n"
        f" from {S}dims d left join {S}facts f on f.k = d.k group by rollup (d.name, d.k % 2)"
        " having count(f.id) <> 60"
    ),
    "part_of_all": (
        f"select g.k, g.n, a.n as of_all from (select k, count(*) as n from {S}facts group by k) g"
        f" cross join (select count(*) as n from {S}facts) a"
    ),
    "window_joined": (
        "select d.name, f.k, f.id, f.t from (select k, id, sum(amt) over (partition by k) as t"
        f" from {S}facts) f join {S}dims d on d.k = f.k where f.t % 2 = 0"
    ),
    # UNION ALL of more than rows.
    "united_groups": (
        f"select k, count(*) as n from {S}facts group by k union all select k, 1 from {S}dims"
    ),
    "united_reports": (
        "with by_k as (select 'k' as kind, k as value, count(*) as n, sum(amt) as total from"
        f" {S}facts group by k), by_day as (select 'day', cast(day(day) as int), count(*),"
        f" sum(amt) from {S}facts group by day(day)) select * from by_k union all select * from"
        " by_day"
    ),
    "united_total": (
        f"select 'all' as kind, null as k, count(*) as n, sum(amt) as total from {S}facts union all"
        f" select 'k', k, count(*), sum(amt) from {S}facts group by k"
    ),
    "united_left": (
        f"select d.k, f.id from {S}dims d left join {S}facts f on f.k = d.k union all"
        f" select k, id from {S}facts where k is null"
    ),
    "united_window": (
        f"with u as (select k, k as root, id, amt from {S}facts where id % 2 = 0 union all"
        f" select k, cast(id % 7 as int) as root, id, amt from {S}facts where id % 2 = 1)"
        " select k, root, id, sum(amt) over (partition by k) as of_group from u"
    ),
    "united_ctes": (
        f"with f as (select 'facts' as src, k, s as label from {S}facts where amt < 20), d as"
        f" (select 'dims', k, name from {S}dims) select * from f union all select * from d"
    ),
    "united_subqueries": (
        f"with a as (select k, sum(amt) as total from {S}facts where k in (select k from {S}dims"
        f" where name <> 'd1') group by k), b as (select k, sum(id) from {S}facts f where id % 3"
        f" = 0 and exists (select 1 from {S}dims d where d.k = f.k and d.name like 'd%') group by"
        f" k) select k, sum(total) as total from (select * from a union all select * from b) t"
        " group by k"
    ),
    # Semi and anti joins whose right side changes.
    "present": (
        f"select d.k, d.name from {S}dims d where d.name <> 'd1' and exists (select * from {S}facts"
        " f where f.k = d.k and f.amt < 3 + d.k)"
    ),
    "absent": (
        f"select name from {S}dims d where not exists (select 1 from {S}facts f where f.k = d.k)"
    ),
    "in_groups": (
        f"with big as (select k from {S}facts group by k having count(*) > 60) select d.name,"
        f" avg(d.k) as mean from {S}dims d where d.k in (select k from big) group by d.name"
    ),
    "not_in": (
        f"select k, name from {S}dims where k is not null and k not in (select k from {S}facts"
        " where k is not null and amt < 3) and name is not null"
    ),
    "semi_joined": (
        f"select f.id, f.amt from {S}facts f left semi join {S}dims d on d.k = f.k"
        " and d.name <> 'd3'"
    ),
    "anti_joined": (
        f"select d.k, d.name, e.name as next from {S}dims d left join {S}dims e on e.k = d.k + 1"
        f" anti join (select k, max(amt) as top from {S}facts group by k) t on t.k = d.k"
    ),
    "excepted": f"select k from {S}facts except select k from {S}dims",
    "intersected": f"select k from {S}facts intersect select k from {S}dims",
    "full_joined": (
        f"select coalesce(d.k, f.k) as k, d.name, f.id from {S}dims d full join {S}facts f"
        " on f.k = d.k"
    ),
    "newest_of_each": (
        f"select a.k, a.id, a.amt from {S}facts a where not exists (select 1 from {S}facts b"
        " where b.k <=> a.k and b.id > a.id)"
    ),
    "absent_counted": (
        f"with f as (select * from {S}facts where amt < 20), d as (select * from {S}dims) select"
        " d.name, count(*) as n from d where not exists (select * from f where f.k = d.k and"
        f" f.s is not null) and d.k in (select k + 1 from {S}facts) group by d.name"
    ),
    "left_alone": (
        f"select d.k, d.name from {S}dims d left join {S}facts f on f.k = d.k where f.id is null"
    ),
    "left_having": (
        f"select d.k, count(f.id) as n from {S}dims d left join {S}facts f on f.k = d.k"
        " group by d.k having count(f.id) <> 60"
    ),
    "left_of_having": (
        f"select d.k, d.name, t.n from {S}dims d left join (select k, count(*) as n from {S}facts"
        " group by k having count(*) % 2 = 0) t on t.k = d.k where t.n > 60 or d.k > 5"
    ),
    "nested": (
        "select n, count(*) as ks from"
        f" (select k, count(*) as n from {S}facts group by k) group by n"
    ),
    "groups_by_label": (
        "select case when n > 60 then 'many, really' else 'few' end as label, count(*) as ks,"
        f" max(n) as most from (select k, count(*) as n from {S}facts group by k) group by 1"
    ),
    "cohorts": (
        f"with firsts as (select k, min(day) as since from {S}facts group by k) select"
        f" year(f.since) as cohort, count(*) as n, sum(t.amt) as amt from {S}facts t join firsts f"
        " on f.k = t.k group by year(f.since)"
    ),
    "second": (
        f"select d.name, f.id from {S}dims d, (select k, id from (select *, sum(amt) over"
        f" (partition by k) as t from {S}facts) where t > 30) f where d.k = f.k"
    ),
    "joined_by_value": (
        f"select t.k, d.name from (select k, count(*) as n from {S}facts group by k) t"
        f" join {S}dims d on d.k = t.n % 12"
    ),
    "kept_by_groups": (
        f"select s, count(*) as n, sum(amt) as amt from {S}facts where k in (select k from"
        f" {S}facts group by k having sum(amt) > 700) group by s"
    ),
    "left_counted": (
        f"select n, count(*) as ks from (select d.k, count(f.id) as n from {S}dims d left join"
        f" {S}facts f on f.k = d.k group by d.k) group by n"
    ),
    "left_by_label": (
        f"with j as (select f.id, f.amt, d.name from {S}facts f left join {S}dims d on d.k = f.k)"
        " select name, sum(amt) as amt, count(*) as n from j group by name"
    ),
    "within_bounds": (
        f"with bounds as (select min(k) as low, min(name) as first from {S}dims) select"
        f" id, k from {S}facts cross join bounds where k > low and s <> first"
        f" and day > (select min(date'2020-01-01' - cast(k as int)) from {S}dims where k < 3)"
    ),
    "ranked_by_part": (
        "select k, n, rank() over (partition by part order by n) as place, part from (select k,"
        f" n, n % 3 as part from (select k, count(*) as n from {S}facts group by k))"
    ),
}
# What a Spark prints of these is not read: `Aggregate [(k#4 % 2)#5, spark_grouping_id#6L]`.
COMPLETE_ON = {"4.0": {"cubed", "rolled_up_left"}}
UNIQUE = {
    "keyed_rows": "id", "first_rows": "id", "left_unique": "id", "left_groups": "k",
    "left_self": "id",
    "left_grouped": ["k", "label"], "left_latest": "k", "left_first": "k",
    "customers": "k", "customers_staged": "k",
    "where_over_groups": "k", "latest_kept": "k", "left_alone": "k",
}  # fmt: skip
# name -> (query, the reason why it is refreshed in full)
REFUSED = {
    "above_average": (
        f"select k, count(*) as n from {S}facts group by k"
        f" having count(*) > (select count(*) / count(distinct k) from {S}facts)",
        "SUBQUERY_NOT_INCREMENTAL: the value of a subquery is another one",
    ),
    "overall_having": (
        f"select count(*) as n from {S}facts having count(*) > 2",
        "AGGREGATE_NOT_TOP_NODE: Filter over Aggregate",
    ),
    "newest_counted": (
        "select s, count(*) as n from (select *, row_number() over (partition by k order by day)"
        f" as place from {S}facts) where place = 1 group by s",
        "AGGREGATE_NOT_TOP_NODE: Aggregate over Window; a subquery whose order leaves rows open",
    ),
    "grouped_means": (
        "select top, count(*) as ks from (select k, avg(id) as top from"
        f" {S}facts group by k) group by top",
        "AGGREGATE_NOT_TOP_NODE: Aggregate over Aggregate; a mean beside a changed table",
    ),
    "limited": (
        f"select k, n from (select k, count(*) as n from {S}facts group by k order by n desc, k"
        " limit 3) where n > 1",
        "OPERATOR_NOT_INCREMENTAL: Limit",
    ),
    "limited_by_ties": (
        f"select id, amt from {S}facts order by amt desc limit 5",
        "OPERATOR_NOT_INCREMENTAL: LIMIT: its ORDER BY leaves rows open",
    ),
    "rolled_up_labels": (
        f"select coalesce(s, 'all') as s, count(*) as n from {S}facts group by rollup (s)",
        "OPERATOR_NOT_INCREMENTAL: the result lacks the group key s, grouping_id()",
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
        "OPERATOR_NOT_INCREMENTAL: the result lacks coalesce(k, k) of the full join",
    ),
    "not_in_of_null": (
        f"select name from {S}dims where k not in (select k from {S}facts where s = 'new')",
        "SUBQUERY_NOT_INCREMENTAL: NOT IN over columns that may be NULL",
    ),
    "present_or_not": (
        f"select name from {S}dims d where k < 3 or exists (select 1 from {S}facts f where f.k ="
        " d.k)",
        "SUBQUERY_NOT_INCREMENTAL",
    ),
    "whole_window": (
        f"select id, sum(amt) over (order by id) as run from {S}facts",
        "WINDOW_WITHOUT_PARTITION_BY",
    ),
    "gathered": (
        f"select k, collect_list(s) as names from {S}facts group by k",
        "EXPRESSION_NOT_DETERMINISTIC: collect_list",
    ),
    "sessions": (
        "select s, min(day) as since, count(*) as n from (select s, day, cast(day as timestamp)"
        f" as at from {S}facts) group by s, session_window(at, '2 days')",
        "OPERATOR_NOT_INCREMENTAL: session_window",
    ),
    "sketched": (
        f"select k, hll_sketch_agg(id) as sketch from {S}facts group by k",
        "EXPRESSION_NOT_DETERMINISTIC: hll_sketch_agg",
    ),
    "encrypted": (
        f"select id, aes_encrypt(s, '0000111122223333') as secret from {S}facts",
        "EXPRESSION_NOT_DETERMINISTIC: aes_encrypt",
    ),
    "of_files": (
        f"select id, _metadata.file_name as file from {S}facts",
        "EXPRESSION_NOT_DETERMINISTIC: _metadata",
    ),
    "twice": (
        f"with c as (select k from {S}facts) select a.k from (table c) a join c b on a.k = b.k",
        "OPERATOR_NOT_INCREMENTAL: a CTE that is read 2 times; the CTE c stays: it is read by"
        " TABLE",
    ),
}

# Queries whose WHERE over rows asks for the time. At another time they follow what it lets in, and
# what it does not any more.
RECENT = f"recent as (select * from {S}facts where day > current_date() - 10)"
DATED = {
    "recent_rows": f"select id, k, amt from {S}facts where day >= current_date() - 30 and amt > 2",
    "recent_sums": (
        "select k, count(*) as n, sum(amt) as total, min(day) as since"
        f" from {S}facts where day between current_date - 30 and current_date() - 1 group by k"
    ),
    "recent_total": (
        f"select count(*) as n, max(amt) as most from {S}facts where day > curdate() - 7"
    ),
    "recent_imported": (
        f"with {RECENT}, dims as (select * from {S}dims) select d.name, count(*) as n,"
        " count(distinct r.s) as names from recent r join dims d on r.k = d.k group by d.name"
    ),
    "recent_optional": (
        f"with {RECENT} select d.k, d.name, r.total from {S}dims d left join"
        " (select k, sum(amt) as total from recent group by k having count(*) > 1) r on d.k = r.k"
    ),
    "recent_latest": (
        f"with {RECENT} select k, id, day from (select *, row_number() over"
        " (partition by k order by day desc, id) as n from recent) where n = 1"
    ),
    "recent_or_old": (
        f"select id, 'new' as age from {S}facts where day > current_date() - 3 union all"
        f" select id, 'old' from {S}facts where amt > 30 and day <= current_date() - 3 and k < 5"
    ),
    "recent_staged": (
        f"select customer, sum(amt) as total from {S}staged"
        " where coalesce(day < current_date() - 20, true) -- or none\n group by customer"
    ),
    "recent_moments": (
        f"select id, k from {S}facts where cast(day as timestamp) between"
        " now() - interval 9 days and current_timestamp"
    ),
    "recent_both_times": (
        f"select k, count(*) as n from {S}facts where day > current_date() - 30"
        " and cast(day as timestamp) < now() - interval 36 hours group by k"
    ),
    "recent_or_unknown": (
        f"select f.id, d.name from {S}facts f left join {S}dims d on f.k = d.k"
        " where f.day > current_date() - 5 or d.name is null"
    ),
    "recent_pairs": (
        f"with {RECENT} select a.k, count(*) as n from recent a join recent b on a.k = b.k"
        " group by a.k"
    ),
}
# The day is asked for elsewhere: the first refresh of a day is COMPLETE, by DATE_CHANGED.
DATED_REFUSED = {
    "day_in_a_column": (
        f"select id, datediff(current_date(), day) as age from {S}facts where id < 50"
    ),
    "day_in_a_subquery": (
        f"select k from {S}dims d where not exists (select 1 from {S}facts f"
        " where f.k = d.k and f.day > current_date() - 4)"
    ),
    "day_in_having": (
        f"select k, max(day) as last from {S}facts group by k having last < current_date()"
    ),
    "day_over_groups": (
        f"select k, last from (select k, max(day) as last from {S}facts group by k)"
        " where last < current_date() - 2"
    ),
    "day_in_on": (
        f"select d.k, f.id from {S}dims d left join {S}facts f on f.k = d.k"
        " and f.day > current_date() - 4"
    ),
    "day_over_a_union": (
        f"select k, day from (select k, day from {S}facts union all select k, date'2024-02-20'"
        f" from {S}dims) where day > current_date() - 4"
    ),
    "day_below_nested": (
        f"select n, count(*) as ks from (select k, count(*) as n from {S}facts where"
        " day > current_date() - 20 group by k) group by n"
    ),
    "day_beside_its_literal": (
        f"select id from {S}facts where day > current_date() - 30 and day <> date'2024-02-16'"
        " and day <> date'2024-02-27'"
    ),
}

ROWS, GROUPS, KEYS = "row delta", "aggregate delta", "affected keys"
OVER = ", over a derived table"
# name -> (what the query is, how it is followed once all its tables changed)
FOLLOWED = {
    "counted": ("`k, count(*), sum(amt) ... group by k`", GROUPS),
    "summed": ("`k, sum(amt) ... group by k`", GROUPS),
    "extremes": ("`k, min(amt), max(day), count(s) ... group by k`", GROUPS),
    "only_min": ("`upper(s), min(id) ... group by upper(s)`", GROUPS),
    "overall": ("`count(*), sum(amt), max(id)` without `GROUP BY`", GROUPS),
    "gathered_sorted": (
        "`sort_array(collect_set(s))`, `size(array_agg(id))`, `listagg` in its own order",
        KEYS,
    ),
    "over_values": (
        "`not`, `-`, `~`, `like` over a subquery's `max`, `count`, `min`",
        KEYS,
    ),
    "first_rows": ("`... order by amt desc, id limit 40`, `unique_key: id`", "first rows"),
    "first_groups": (
        "a CTE, `s, count(*), max(id) as top ... group by s order by top desc, s limit 3`",
        "first rows",
    ),
    "labelled": ("`k, 'count(*)', count(*)`: a text that reads like a value", KEYS),
    "small_parts": (
        "sums of eight decimal places, and of 38 digits with four of them",
        GROUPS,
    ),
    "smallest_parts": ("sum of 38 digits with ten decimal places", KEYS),
    "means": (
        "`s, count(*), sum(amt), avg(amt), sum(k), avg(k) ... group by s`",
        GROUPS,
    ),
    "counted_means": ("`k, avg(amt), count(amt), sum(amt) ... group by k`", GROUPS),
    "cte_over_join": ("CTEs over a join, grouped, renamed, ordered", GROUPS),
    "cte_twice": ("a CTE joined with itself", ROWS),
    "import_ctes": ("import CTE, read by two CTEs of groups that are joined", KEYS),
    "customers": (
        "import CTEs, `customers left join sums ... left join firsts`, `unique_key: k`",
        KEYS,
    ),
    "customers_staged": ("the same, over a staging view with CTEs", KEYS),
    "counted_beside": (
        "facts joined with counts of them, `(with ... )` in brackets, filtered",
        KEYS,
    ),
    "self_join": ("`facts a join facts b`, grouped", GROUPS),
    "other_values": (
        "`avg`, `count(distinct)`, sum of doubles, `sum(amt) / count(*)`",
        KEYS,
    ),
    "distinct_rows": ("`select distinct k, s`", KEYS),
    "named_as_tables": ("columns called `q`, `a`, `s`, `v`", KEYS),
    "valued_as_tables": ("a sum called `q`, a minimum called `a`", GROUPS),
    "latest": (
        "`row_number() over (partition by k order by id desc)`, `where rn = 1`",
        KEYS,
    ),
    "shares": ("`sum(amt) over (partition by k)`", KEYS),
    "rows": ("filter and projection", ROWS),
    "bag": ("projection with equal rows", ROWS),
    "keyed_rows": ("filter and projection with `unique_key: id`", ROWS),
    "joined_rows": ("inner join of two tables", ROWS),
    "unioned": ("`UNION ALL` of two tables", ROWS),
    "left_grouped": (
        "`dims d left join facts f`, `group by d.k, upper(d.name)`, `unique_key`",
        KEYS,
    ),
    "left_rows": ("`d.name, f.id, f.amt` without `GROUP BY`", "affected keys, by name"),
    "left_unique": ("`facts f left join dims d`, `unique_key: id`", "affected keys, by id"),
    "left_groups": ("CTEs: dims left join facts grouped by k, `unique_key: k`", KEYS),
    "left_first": ("`left join (row_number() ...) f on f.k = d.k and f.rn = 1`", KEYS),
    "left_of_groups": ("`(facts grouped by k) t left join dims d on d.k = t.k`", KEYS),
    "left_chain": ("three left joins in a row, two of them of one table", KEYS),
    "left_nested": ("`dims d left join (facts f left join dims e on ...) on ...`", KEYS),
    "left_self": ("`facts a left join facts b`, `unique_key: id`", KEYS),
    "left_union": ("`dims d left join (facts union all dims)`, grouped", KEYS),
    "right_grouped": ("`facts f right join dims d`, `count(distinct)`, grouped", KEYS),
    "left_latest": ("first ranks over and below left joins, `unique_key: k`", KEYS),
    "left_distinct": (
        "`select distinct d.name, f.s` over a left join, `using (k)`",
        "affected keys, by name",
    ),
    "left_view": ("a SQL view with a left join of CTEs, grouped", KEYS),
    "having": ("`group by k having count(*) > 60`", KEYS),
    "having_hidden": ("`having` over values that the result lacks", KEYS),
    "where_over_groups": (
        "CTEs: groups with `having`, then `where`, `unique_key: k`",
        KEYS,
    ),
    "not_first": ("`where rn between 2 and 4` over `row_number()`", KEYS),
    "latest_kept": ("`where rn = 1 and s is not null`, `unique_key: k`", KEYS),
    "second_of_each": ("`k as who`, `where rn = 2`", KEYS),
    "above_mean": ("`where amt > avg(amt) over (partition by k)`", KEYS),
    "labels": ("`case when count(*) > 60 then 'many, really' ...`, `having`", KEYS),
    "labels_united": ("groups and rows, each with texts like 'dims, all'", KEYS),
    "by_label": ("`group by if(amt > 20, 'big, very', 'small')`", GROUPS),
    "some_distinct": ("`where` over `select distinct`", KEYS),
    "groups_joined": ("two CTEs of groups and `dims`, joined by k, filtered", KEYS),
    "groups_of_groups": ("`group by k` over `group by k, s`", KEYS),
    "ranked_groups": ("`row_number()` over groups, `where place <= 2`", KEYS),
    "hidden_key": ("`k, count(*) ... group by k, s`", "affected keys, by k"),
    "rolled_up": (
        "`k, s, count(*), sum(amt), grouping_id() ... group by rollup (k, s)`",
        GROUPS,
    ),
    "rolled_up_alike": ("`k, s, count(*), sum(amt) ... group by k, s with rollup`", KEYS),
    "cubed": (
        "`grouping()` of both keys, `count`, `min`, `sum`, `avg` ... `group by cube (k, ...)`",
        GROUPS,
    ),
    "grouping_sets": (
        "`grouping_id() ... facts join dims ... group by grouping sets ((name, s), (name), ())`",
        GROUPS,
    ),
    "rolled_up_left": (
        "`dims left join facts ... group by rollup (...) having ...`, with `grouping_id()`",
        KEYS,
    ),
    "part_of_all": ("groups `cross join` a count of all", "affected keys, all rows"),
    "window_joined": ("a window below a join, filtered", KEYS),
    "united_groups": ("groups, and rows of dims, in a `UNION ALL`", KEYS),
    "united_reports": (
        "CTEs of groups by k and by day, `select 'k' as kind, ...`, united",
        KEYS,
    ),
    "united_total": ("groups and a total, `select 'all' as kind, null as k, ...`", KEYS),
    "united_left": ("a left join in a `UNION ALL`", KEYS),
    "united_window": (
        "a window by k over a `UNION ALL` that has k twice in one branch",
        KEYS,
    ),
    "united_ctes": ("`UNION ALL` of two CTEs", ROWS),
    "united_subqueries": (
        "CTEs of groups `where k in (...)` and `where exists (...)`, united and grouped again",
        KEYS,
    ),
    "present": ("`where exists (select * from facts ...)`", KEYS),
    "absent": ("`where not exists (... facts ...)`", "affected keys, by name"),
    "in_groups": (
        "a CTE of groups with `having`, `where k in (select k from ...)`",
        KEYS,
    ),
    "not_in": ("`where k not in (select k ...)`, both with `k is not null`", KEYS),
    "semi_joined": ("`facts left semi join dims`", KEYS),
    "anti_joined": ("`dims left join dims anti join (facts ... group by k)`", KEYS),
    "excepted": ("`select k from facts except select k from dims`", KEYS),
    "intersected": ("`select k from facts intersect select k from dims`", KEYS),
    "full_joined": ("`coalesce(d.k, f.k) ... full join ... on f.k = d.k`", KEYS),
    "newest_of_each": ("`facts a where not exists (... facts b ... b.id > a.id)`", KEYS),
    "absent_counted": (
        "CTEs, `not exists (... f ...)` and `in (select ... facts)`, grouped",
        KEYS,
    ),
    "left_alone": (
        "`dims left join facts f ... where f.id is null`, `unique_key: k`",
        KEYS,
    ),
    "left_having": ("`dims left join facts ... group by d.k having ...`", KEYS),
    "left_of_having": (
        "`dims left join (facts ... group by k having ...)`, filtered",
        KEYS,
    ),
    "nested": ("a `GROUP BY` of the counts of a `GROUP BY`", GROUPS + OVER),
    "groups_by_label": (
        "`case when n > 60 then 'many, really' ...` over groups, grouped by it",
        GROUPS + OVER,
    ),
    "cohorts": (
        "a CTE `k, min(day) ... group by k`, joined, and grouped by `year(since)`",
        GROUPS + OVER,
    ),
    "second": (
        "a filtered window in a list: `from dims d, (select ... where t > 30) f`",
        ROWS + OVER,
    ),
    "joined_by_value": ("groups joined by a value: `on d.k = t.n % 12`", ROWS + OVER),
    "kept_by_groups": (
        "`s, count(*), sum(amt) ... where k in (select k ... having sum(amt) > 700)`",
        KEYS + OVER,
    ),
    "left_counted": (
        "`dims left join facts ... group by d.k`, grouped by its counts",
        GROUPS + OVER,
    ),
    "left_in_a_list": ("`left_alone` in a list: `from dims e, (select ...)`", ROWS + OVER),
    "left_by_label": (
        "a CTE of `facts left join dims`, grouped by `d.name`",
        GROUPS + OVER,
    ),
    "within_bounds": (
        "`cross join (select min(k), ... from dims)`, `day > (select min(...) ...)`",
        ROWS + OVER,
    ),
    "ranked_by_part": (
        "`rank() over (partition by n % 3 ...)` over groups",
        KEYS + OVER,
    ),
}
# name -> what the query is
NOT_FOLLOWED = {
    "above_average": "`group by k having count(*) > (select ... from facts)`",
    "overall_having": "`count(*) ... having count(*) > 2` without `GROUP BY`",
    "newest_counted": "`row_number() ... order by day` with ties, `where place = 1`, counted by s",
    "grouped_means": "a `GROUP BY` of the averages of a `GROUP BY`",
    "limited": "`limit` in a subquery",
    "limited_by_ties": "`id, amt ... order by amt desc limit 5`, without a `unique_key`",
    "rolled_up_labels": "`coalesce(s, 'all'), count(*) ... group by rollup (s)`",
    "left_then_inner": "`dims left join facts f ... join dims e on e.k = f.k`",
    "left_values": "`dims left join facts f ... group by f.s`",
    "right_using": "`facts right join dims using (k)`: as an inner join, k is that of facts",
    "full": "`dims full join facts`",
    "twice": "a CTE that is joined with itself, once as `(table c)`",
    "not_in_of_null": "`where k not in (select k from facts ...)`",
    "present_or_not": "`where k < 3 or exists (... facts ...)`",
    "whole_window": "`over (order by id)`",
    "gathered": "`collect_list(s)`, which nothing sorts",
    "sessions": "`group by s, session_window(at, '2 days')`",
    "sketched": "`hll_sketch_agg(id)`",
    "encrypted": "`aes_encrypt(s, ...)`, with a random vector",
    "of_files": "`_metadata.file_name`",
}

# name -> (what the query is, how it is followed on another day)
ANOTHER_DAY = {
    "recent_rows": ("`where day >= current_date() - 30 and amt > 2`", ROWS),
    "recent_sums": (
        "`k, count(*), sum(amt), min(day) ... where day between current_date - 30 and ...`,"
        " grouped",
        GROUPS,
    ),
    "recent_total": ("`count(*), max(amt) ... where day > curdate() - 7`, no `GROUP BY`", GROUPS),
    "recent_imported": ("an import CTE with the filter, joined, `count(distinct s)`", KEYS),
    "recent_optional": ("the same CTE, grouped with `having`, `dims left join` it", KEYS),
    "recent_latest": ("the same CTE, `row_number() ...`, `where n = 1`", KEYS),
    "recent_or_old": ("`UNION ALL` of two filters, one for each side of a day", ROWS),
    "recent_staged": (
        "`where coalesce(day < current_date() - 20, true)` over a staging view, grouped",
        GROUPS,
    ),
    "recent_moments": ("`between now() - interval 9 days and current_timestamp`", ROWS),
    "recent_both_times": ("a filter on the day and on the moment, grouped", GROUPS),
    "recent_or_unknown": (
        "`facts f left join dims d ... where f.day > ... or d.name is null`",
        ROWS,
    ),
    "recent_pairs": ("a CTE with the filter, joined with itself, grouped", GROUPS),
}
# name -> what the query is; on another day it is COMPLETE
NOT_ANOTHER_DAY = {
    "day_in_a_column": "`datediff(current_date(), day) as age`",
    "day_in_a_subquery": "`where not exists (... f.day > current_date() - 4)`",
    "day_in_having": "`group by k having max(day) < current_date()`",
    "day_over_groups": "`where last < current_date() - 2` over groups",
    "day_in_on": "`left join facts f on f.k = d.k and f.day > ...`",
    "day_over_a_union": "`where day > ...` over a `UNION ALL`",
    "day_below_nested": "a filter below a `GROUP BY` of the counts of a `GROUP BY`",
    "day_beside_its_literal": "the new day is a literal of the query as well",
}


def tables() -> str:
    """The three tables as Markdown."""
    lines = ["| shape (`SHAPES`) | query | strategy |", "|---|---|---|"]
    lines += [f"| {name} | {query} | {way} |" for name, (query, way) in FOLLOWED.items()]
    lines += ["", "| shape (`REFUSED`) | query | reason |", "|---|---|---|"]
    lines += [
        f"| {name} | {query} | `{REFUSED[name][1]}` |" for name, query in NOT_FOLLOWED.items()
    ]
    lines += ["", "| shape (`DATED`) | query | on another day |", "|---|---|---|"]
    lines += [f"| {name} | {query} | {way} |" for name, (query, way) in ANOTHER_DAY.items()]
    lines += [f"| {name} | {query} | COMPLETE |" for name, query in NOT_ANOTHER_DAY.items()]
    return "\n".join(lines) + "\n"


def documented(text: str) -> str:
    """A text with the tables between its two marks."""
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + tables() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCS.write_text(documented(DOCS.read_text()))
