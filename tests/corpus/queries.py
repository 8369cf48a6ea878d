"""The queries of the corpus and their tables: shapes of FAST, TPC-H, and a few more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.functional.shapes import DATED, DATED_REFUSED, REFUSED, SHAPES, UNIQUE, S
from tests.unit.kit.harness import Dbt

NAMESPACE = "spark_catalog.shop"
# The times of the queries that ask for them, and those as of which they were refreshed before.
NOW = {"day": "2024-02-27", "moment": "2024-02-27 12:00:00.000000Z"}
THEN = {"day": "2024-02-16", "moment": "2024-02-16 12:00:00.000000Z"}
TPCH = Path(__file__).resolve().parents[1] / "differential" / "tpch"
TABLES = {
    "facts": "id bigint, k int, amt decimal(10,2), s string, day date",
    "dims": "k int, name string",
    "prices": "k int, code char(3), price double, props map<string,int>, at timestamp",
    "wide": ", ".join(f"c{number} int" for number in range(100)),
    "region": "r_regionkey bigint, r_name string, r_comment string",
    "nation": "n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string",
    "supplier": (
        "s_suppkey bigint, s_name string, s_address string, s_nationkey bigint, s_phone string,"
        " s_acctbal decimal(15,2), s_comment string"
    ),
    "customer": (
        "c_custkey bigint, c_name string, c_address string, c_nationkey bigint, c_phone string,"
        " c_acctbal decimal(15,2), c_mktsegment string, c_comment string"
    ),
    "part": (
        "p_partkey bigint, p_name string, p_mfgr string, p_brand string, p_type string,"
        " p_size int, p_container string, p_retailprice decimal(15,2), p_comment string"
    ),
    "partsupp": (
        "ps_partkey bigint, ps_suppkey bigint, ps_availqty int, ps_supplycost decimal(15,2),"
        " ps_comment string"
    ),
    "orders": (
        "o_orderkey bigint, o_custkey bigint, o_orderstatus string, o_totalprice decimal(15,2),"
        " o_orderdate date, o_orderpriority string, o_clerk string, o_shippriority int,"
        " o_comment string"
    ),
    "lineitem": (
        "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int,"
        " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2),"
        " l_tax decimal(15,2), l_returnflag string, l_linestatus string, l_shipdate date,"
        " l_commitdate date, l_receiptdate date, l_shipinstruct string, l_shipmode string,"
        " l_comment string"
    ),
}
# name -> (text, columns)
VIEWS = {
    "joined": (
        "with d as (select * from shop.dims), f as (select * from shop.facts)"
        " select d.name, f.amt, f.id from d left join f on f.k = d.k",
        "name string, amt decimal(10,2), id bigint",
    ),
    "staged": (
        "with source as (select * from shop.facts), renamed as (select id, k as customer, amt, day"
        " from source) select * from renamed",
        "id bigint, customer int, amt decimal(10,2), day date",
    ),
    "copied": (
        "with f as (select * from shop.facts) select a.id, a.k from (table f) a join f"
        " on f.id = a.id",
        "id bigint, k int",
    ),
}
WIDE = ", ".join(f"c{number}" for number in range(100))
OTHERS = {
    "chars": "select code, count(*) as n, max(at) as last from shop.prices group by code",
    "of_doubles": (
        "select p.k, p.code, f.total from shop.prices p join (select k, sum(price) as total"
        " from shop.prices group by k) f on f.k = p.k"
    ),
    "of_maps": "select k, props['a'] as a, size(props) as n from shop.prices where price > 1e0",
    "exploded": "select k, key, value from shop.prices lateral view explode(props) as key, value",
    # Two sets that are the same, one set, and literals that read like numbers of sets.
    "sets_twice": (
        "select k, grouping_id() as level, count(*) as n from shop.facts group by grouping sets"
        " ((k), (), (k))"
    ),
    "set_of_all": "select count(*) as n from shop.facts group by grouping sets (())",
    "one_set": "select k, s, count(*) as n from shop.facts group by grouping sets ((k, s))",
    "some_of_sets": (
        "select k, s, grouping(s) as all_s, count(*) as n from shop.facts group by k, rollup (s)"
    ),
    "too_few_of_sets": (
        "select k, s, grouping(s) as all_s, count(*) as n from shop.facts group by rollup (k, s)"
    ),
    "rolled_up_expressions": (
        "select upper(s) as s, k % 2 as odd, max(amt) as top, grouping_id() as level from"
        " shop.facts group by cube (upper(s), k % 2)"
    ),
    "unpivoted": (
        "select id, named, value from (select id, k, cast(day(day) as int) as `1` from shop.facts)"
        " unpivot include nulls (value for named in (k, `1`))"
    ),
    "counted_unpivoted": (
        "select named, count(*) as n from (select id, k, cast(day(day) as int) as `1` from"
        " shop.facts) unpivot include nulls (value for named in (k, `1`)) group by named"
    ),
    "pivoted": "select * from (select k, s from shop.facts) pivot (count(*) for s in ('a', 'b'))",
    "listed": (
        "select f.id, v.label from shop.facts f join values (1, 'one'), (2, 'two') as v (k, label)"
        " on v.k = f.k"
    ),
    "in_a_list": "select id from shop.facts where k in (select k from shop.dims where name > 'd')",
    # CTEs: shadowed, renamed, quoted, in another case, in subqueries, without a reader.
    "ctes_shadowed": (
        "with facts as (select k, amt from shop.facts), t as (with facts as (select k, amt from"
        " facts where amt > 5) select k, count(*) as n from facts group by k) select t.k, t.n, u.m,"
        " v.lo from t join (select k, count(*) as m from facts group by k) u on u.k = t.k join"
        " (select k, min(amt) as lo from facts group by k) v on v.k = t.k"
    ),
    "ctes_renamed": (
        "with `Of K` (key, `the sum`) as (select k, sum(amt) from shop.facts group by k), unread as"
        " (select * from shop.dims) select a.key, b.`the sum` from `of k` a join `OF K` as b"
        " on b.key = a.key where exists (select 1 from `Of K` where `Of K`.key = a.key)"
    ),
    "ctes_united": (
        "with f as (select * from shop.facts) select k, s from f where amt > 2 union all select k,"
        " s from f where k in (select k from f where s = 'x, (1) AS y#2') -- end"
    ),
    "ctes_unread": "with d as (select * from shop.dims) select k, s from shop.facts",
    "ctes_chained": (
        "with a as (select k, amt from shop.facts), b as (select x.k, y.amt from a x join a y using"
        " (k)), c as (select x.k, y.amt from b x join b y using (k)) select k, count(*) as n from c"
        " group by k"
    ),
    "ctes_of_a_hint": (
        "with d as (select * from shop.dims) select /*+ broadcast(d) */ a.k, b.name from"
        " d join d as a on a.k = d.k join d as b on b.k = a.k"
    ),
    "ctes_that_stay": "select id, k from shop.copied",
    "hinted": (
        "select /*+ broadcast(d) */ f.id, d.name from shop.facts f join shop.dims d using (k)"
    ),
    "spread": "select /*+ repartition(3, k) */ k, id from shop.facts",
    # The first rows: by all columns, of a window, by what the result lacks, by an expression.
    "limited_rows": "select s, k from shop.facts order by k desc nulls first, s limit 7",
    "limited_window": (
        "select k, id from (select k, id, rank() over (partition by k order by amt) as n from"
        " shop.facts) where n < 3 order by id, 1 limit 100"
    ),
    "limited_final": (
        "with f as (select * from shop.facts), totals as (select k, count(*) as n, sum(amt) as"
        " total from f where s <> 'limit 5' group by k), final as (select k as key, total, n from"
        " totals order by total desc, k limit 10) select key, n, total from final"
    ),
    "limited_twice": (
        "with top as (select k, id from shop.facts order by id, k limit 10)"
        " select a.k, b.id from top a join top b on a.id = b.k"
    ),
    "limited_above_limit": (
        "select id from (select id from shop.facts order by id limit 9) order by id limit 5"
    ),
    "limited_by_hidden": "select id from shop.facts order by amt, id limit 5",
    "limited_by_expression": "select distinct s from shop.facts order by lower(s), s limit 5",
    "limited_pipe": "from shop.facts |> select id |> order by id |> limit 5",
    "limited_unordered": "select id from shop.facts limit 5",
    "offset_by": "select id from shop.facts order by id limit 5 offset 2",
    "odd_names": (
        "select k as `a, b`, 'x#1, (y' as `sum(k)`, count(*) as n from shop.facts group by 1"
    ),
    "wide_rows": f"select {WIDE} from shop.wide where c0 > 1",
    "wide_groups": (
        "select c0, " + ", ".join(f"sum(c{number}) as s{number}" for number in range(1, 100))
        + " from shop.wide group by c0"
    ),
    "few_of_wide": "select c0, c99, count(*) as n from shop.wide group by c0, c99",
}  # fmt: skip


def _asked() -> dict[str, dict[str, Any]]:
    """The queries that ask for the time, with that of NOW: see _dated."""
    dbt = Dbt()
    found = {}
    for name, query in {**DATED, **DATED_REFUSED}.items():
        found[name] = dbt("_dated", query.replace(S, "shop."), NOW["day"], NOW["moment"])
    return found


ASKED = _asked()


def _queries() -> dict[str, str]:
    found = {**SHAPES, **{name: query for name, (query, _) in REFUSED.items()}}
    found = {name: query.replace(S, "shop.") for name, query in found.items()}
    for file in sorted(TPCH.glob("*.sql")):
        found[file.stem] = file.read_text(encoding="utf-8").replace("tpch.", "shop.")
    return {**found, **OTHERS, **{name: one["sql"] for name, one in ASKED.items()}}


QUERIES = _queries()


def unique_key(name: str) -> list[str]:
    """The unique_key that a query's view has."""
    key = UNIQUE.get(name, [])
    return [key] if isinstance(key, str) else list(key)


def pairs(columns: str) -> list[tuple[str, str]]:
    """'name type, name type' as a list; a type may hold commas without a blank behind them."""
    found = [column.split(" ", 1) for column in columns.split(", ")]
    return [(name, type_) for name, type_ in found]
