"""Keys that show every change through the optional side of joins, judged and computed."""

from __future__ import annotations

import functools
import re
import sqlite3
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.plans import chain, columns, node, question, tree
from .test_delta_terms import as_tables, change, terms

DBT = Dbt()
FACTS, DIMS = "spark_catalog.shop.facts", "spark_catalog.shop.dims"
F, G = (f"Relation {FACTS}[k#{id_},v#{id_ + 1}] parquet" for id_ in (1, 5))
D, E = (f"Relation {DIMS}[k#{id_},v#{id_ + 1}] parquet" for id_ in (3, 7))
LEFT = "Join LeftOuter, (k#1 = k#3)"
DF = node(LEFT, D, F)
NUMBERS = "(select 0 as i union all select 1 union all select 3)"
ROW_NUMBER = "row_number() windowspecdefinition({0}) AS r#20], [{0}], [v#2 DESC NULLS LAST]"


def delta_plan(plan: str, names: str, *changed: str, unique: Any = ()) -> dict[str, Any]:
    found: dict[str, Any] = DBT(
        "_affected_keys_plan",
        tree(DBT, plan),
        columns(names),
        list(changed or (FACTS,)),
        list(unique),
        False,
    )
    return found


# name -> (query, its plan, the columns, the keys, the tables that change)
AFFECTED: dict[str, tuple[str, str, str, list[str], tuple[str, ...]]] = {
    "groups": (
        "select d.k as k, sum(f.v) as t from shop.dims d left join shop.facts f on f.k = d.k"
        " where d.v > 0 group by d.k",
        question(
            "k#10, t#11L",
            "Aggregate [k#3], [k#3 AS k#10, sum(v#2) AS t#11L]",
            node("Filter (v#4 > 0)", DF),
        ),
        "k int; t bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "some_group_keys": (
        "select d.v as k, f.v as v, count(*) as n from shop.dims d left join shop.facts f"
        " on f.k = d.k group by d.v, f.v",
        question(
            "k#10, v#11, n#12L",
            "Aggregate [v#4, v#2], [v#4 AS k#10, v#2 AS v#11, count(1) AS n#12L]",
            DF,
        ),
        "k int; v int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "rows": (
        "select d.k as k, f.v as v from shop.dims d left join shop.facts f on f.k = d.k",
        question("k#3, v#2", "Project [k#3, v#2]", DF),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "chain": (
        "select a.v as k, b.v as v from shop.facts a left join shop.dims d on a.k = d.k"
        " left join shop.facts b on b.k = d.v",
        question(
            "k#10, v#6",
            "Project [v#2 AS k#10, v#6]",
            node("Join LeftOuter, (k#5 = v#4)", node(LEFT, F, D), G),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "the_end_of_a_chain": (
        "select d.v as k, b.v as v from shop.dims a left join shop.dims d on a.k = d.k"
        " left join shop.facts b on b.k = d.v",
        question(
            "k#10, v#2",
            "Project [v#4 AS k#10, v#2]",
            node("Join LeftOuter, (k#1 = v#4)", node("Join LeftOuter, (k#7 = k#3)", E, D), F),
        ),
        "k int; v int",
        ["k"],
        (FACTS,),
    ),
    "nested": (
        "select d.k as k, e.v as v from shop.dims d left join (shop.facts f left join shop.dims e"
        " on e.k = f.v) on f.k = d.k and d.v > 0",
        question(
            "k#3, v#8",
            "Project [k#3, v#8]",
            node(
                "Join LeftOuter, ((k#1 = k#3) AND (v#4 > 0))",
                D,
                node("Join LeftOuter, (k#7 = v#2)", F, E),
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_below": (
        "select d.k as k, g.n as v from shop.dims d left join (select k, count(*) as n"
        " from shop.facts where v > 0 group by k) g on g.k = d.k and d.v = 1",
        question(
            "k#3, n#12L",
            "Project [k#3, n#12L AS v#13L]",
            node(
                "Join LeftOuter, ((k#1 = k#3) AND (v#4 = 1))",
                D,
                node("Aggregate [k#1], [k#1, count(1) AS n#12L]", node("Filter (v#2 > 0)", F)),
            ),
        ).replace("n#12L\n", "v#13L\n"),
        "k int; v bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "union_below": (
        "select d.k as k, u.v as v from shop.dims d left join (select k, v from shop.facts"
        " union all select v, k from shop.dims) u on u.k = d.k",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            node(LEFT, D, node("Union false, false", F, node("Project [v#8, k#7]", E))),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "union_of_groups": (
        "select k, count(*) as n from shop.facts group by k union all select v, k from shop.dims"
        " union all select v + 1, max(k) from shop.facts group by v + 1",
        question(
            "k#1, n#12L",
            node(
                "Union false, false",
                node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F),
                node("Project [v#4, cast(k#3 as bigint) AS k#14L]", D),
                node("Aggregate [(v#6 + 1)], [(v#6 + 1) AS v#15, max(k#5) AS m#16]", G),
            ),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "union_of_an_outer_join": (
        "select v as n, k as k from shop.facts union all select f.v as n, d.k as k"
        " from shop.dims d left join shop.facts f on f.k = d.k",
        question(
            "n#11, k#10",
            node(
                "Union false, false",
                node("Project [v#6 AS n#11, k#5 AS k#10]", G),
                node("Project [v#2 AS n#12, k#3 AS k#13]", DF),
            ),
        ),
        "n int; k int",
        ["k"],
        (FACTS, DIMS),
    ),
    "union_of_labelled_ctes": (
        "with a as (select 1 as src, k, sum(v) as n from shop.facts group by k), b as (select 2"
        " as src, v as k, count(*) as n from shop.facts group by v) select * from a union all"
        " select * from b",
        question(
            "src#30, k#31, n#32L",
            node(
                "WithCTE",
                node(
                    "CTERelationDef 0, false",
                    node("Aggregate [k#1], [1 AS src#20, k#1, sum(v#2) AS n#21L]", F),
                ),
                node(
                    "CTERelationDef 1, false",
                    node("Aggregate [v#6], [2 AS src#22, v#6 AS k#23, count(1) AS n#24L]", G),
                ),
                node(
                    "Union false, false",
                    "CTERelationRef 0, true, [src#30, k#31, n#32L], false, false",
                    "CTERelationRef 1, true, [src#33, k#34, n#35L], false, false",
                ),
            ),
        ),
        "src int; k int; n bigint",
        ["src", "k"],
        (FACTS,),
    ),
    "union_with_a_total": (
        "select 'total' as kind, null as k, count(*) as n from shop.facts union all"
        " select 'k', k, count(*) from shop.facts group by k",
        question(
            "kind#20, k#21, n#22L",
            node(
                "Union false, false",
                node(
                    "Aggregate [total AS kind#20, cast(null as int) AS k#21, count(1) AS n#22L]", F
                ),
                node("Aggregate [k#5], [k AS k#23, k#5, count(1) AS n#24L]", G),
            ),
        ),
        "kind string; k int; n bigint",
        ["kind", "k"],
        (FACTS,),
    ),
    "self": (
        "select a.k as k, a.v as v, b.v as w from shop.facts a left join shop.facts b on a.v = b.k",
        question(
            "k#1, v#2, w#10",
            "Project [k#1, v#2, v#6 AS w#10]",
            node("Join LeftOuter, (v#2 = k#5)", F, G),
        ),
        "k int; v int; w int",
        ["k", "v"],
        (FACTS,),
    ),
    "shares": (
        "select d.k as k, f.v as v, count(*) over (partition by d.k) as n"
        " from shop.dims d left join shop.facts f on f.k = d.k",
        question(
            "k#3, v#2, n#20L",
            "Project [k#3, v#2, n#20L]",
            "Window [count(1) windowspecdefinition(k#3) AS n#20L], [k#3]",
            DF,
        ),
        "k int; v int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "latest": (
        "select k, v from (select d.k as k, f.v as v, row_number() over (partition by d.k"
        " order by f.v desc) as r from shop.dims d left join shop.facts f on f.k = d.k) q"
        " where r = 1",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            "Filter (r#20 = 1)",
            "Project [k#3, v#2, r#20]",
            "Window [" + ROW_NUMBER.format("k#3"),
            DF,
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "latest_below": (
        "select d.k as k, q.v as v from shop.dims d left join (select k, v from (select k, v,"
        " row_number() over (partition by k order by v desc) as r from shop.facts) where r = 1) q"
        " on q.k = d.k",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            node(
                LEFT,
                D,
                node("Filter (r#20 = 1)", node("Window [" + ROW_NUMBER.format("k#1"), F)),
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "latest_in_the_condition": (
        "select d.k as k, q.v as v from shop.dims d left join (select k, v, row_number() over"
        " (partition by k order by v desc) as r from shop.facts) q on q.k = d.k and q.r = 1",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            node(
                "Join LeftOuter, ((k#1 = k#3) AND (r#20 = 1))",
                D,
                node("Window [" + ROW_NUMBER.format("k#1"), F),
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "first_of_the_first": (
        "select k, v from (select k, v, row_number() over (partition by k order by w) as r2 from"
        " (select d.k as k, f.v as v, d.v as w, row_number() over (partition by d.k, d.v"
        " order by f.v desc) as r from shop.dims d left join shop.facts f on f.k = d.k) p"
        " where r = 1) q where r2 = 1",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            "Filter (r2#21 = 1)",
            "Window [row_number() windowspecdefinition(k#3) AS r2#21], [k#3], [v#4 ASC]",
            "Filter (r#20 = 1)",
            "Window [" + ROW_NUMBER.format("k#3, v#4"),
            DF,
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_on_the_preserved_side": (
        "select t.k as k, d.v as v, t.n as n from (select k, count(*) as n from shop.facts"
        " group by k) t left join shop.dims d on d.k = t.k where t.k < 2",
        question(
            "k#1, v#4, n#12L",
            "Project [k#1, v#4, n#12L]",
            "Filter (k#1 < 2)",
            node(
                "Join LeftOuter, (k#3 = k#1)",
                node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F),
                D,
            ),
        ),
        "k int; v int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_in_an_inner_join": (
        "select d.v as k, g.n as n, e.v as v from shop.dims d join (select k, count(*) as n"
        " from shop.facts group by k) g on g.k = d.k left join shop.dims e on e.k = g.n",
        question(
            "k#10, n#12L, v#8",
            "Project [v#4 AS k#10, n#12L, v#8]",
            node(
                "Join LeftOuter, (k#7 = n#12L)",
                node(
                    "Join Inner, (k#1 = k#3)",
                    D,
                    node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F),
                ),
                E,
            ),
        ),
        "k int; n bigint; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_of_groups": (
        "select k, max(n) as n from (select d.k as k, f.v as v, count(*) as n from shop.dims d"
        " left join shop.facts f on f.k = d.k group by d.k, f.v) q group by k",
        question(
            "k#10, n#13L",
            "Aggregate [k#10], [k#10, max(n#12L) AS n#13L]",
            "Aggregate [k#3, v#2], [k#3 AS k#10, v#2 AS v#11, count(1) AS n#12L]",
            DF,
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "joined_groups": (
        "select d.v as k, g.n as n from shop.dims d join (select k, count(*) as n from shop.facts"
        " group by k) g on g.k = d.k",
        question(
            "k#10, n#12L",
            "Project [v#4 AS k#10, n#12L]",
            node(
                "Join Inner, (k#1 = k#3)", D, node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F)
            ),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_of_some_groups": (
        "select k, max(n) as n from (select k, v, count(*) as n from shop.facts group by k, v) q"
        " group by k",
        question(
            "k#1, n#13L",
            "Aggregate [k#1], [k#1, max(n#12L) AS n#13L]",
            node("Aggregate [k#1, v#2], [k#1, v#2, count(1) AS n#12L]", F),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS,),
    ),
    "ranked_groups": (
        "select k, n, rank() over (partition by k order by n) as r from (select k, v, count(*) as n"
        " from shop.facts group by k, v) q",
        question(
            "k#1, n#12L, r#20",
            "Project [k#1, n#12L, r#20]",
            "Window [rank(n#12L) windowspecdefinition(k#1) AS r#20], [k#1], [n#12L ASC]",
            node("Aggregate [k#1, v#2], [k#1, v#2, count(1) AS n#12L]", F),
        ),
        "k int; n bigint; r int",
        ["k"],
        (FACTS,),
    ),
    "a_hidden_key": (
        "select k, count(*) as n from shop.facts group by k, v",
        question("k#1, n#12L", node("Aggregate [k#1, v#2], [k#1, count(1) AS n#12L]", F)),
        "k int; n bigint",
        ["k"],
        (FACTS,),
    ),
    # SQLite has no ROLLUP: each row once for each number of a grouping set.
    "rolled_up": (
        "select case when i < 3 then k end as k, case when i < 1 then v end as v, count(*) as n"
        f" from shop.facts cross join {NUMBERS} group by 1, 2, i",
        question(
            "k#20, v#21, n#12L",
            "Aggregate [k#20, v#21, spark_grouping_id#22L], [k#20, v#21, count(1) AS n#12L]",
            "Expand [[k#1, v#2, k#30, v#31, 0], [k#1, v#2, k#30, null, 1],"
            " [k#1, v#2, null, null, 3]], [k#1, v#2, k#20, v#21, spark_grouping_id#22L]",
            "Project [k#1, v#2, k#1 AS k#30, v#2 AS v#31]",
            F,
        ),
        "k int; v int; n bigint",
        ["k", "v"],
        (FACTS,),
    ),
    "rolled_up_over_an_outer_join": (
        "select case when i < 3 then d.v end as k, case when i < 1 then f.v end as v, i as g,"
        " count(f.k) as n from shop.dims d left join shop.facts f on f.k = d.k"
        f" cross join {NUMBERS} group by 1, 2, 3",
        question(
            "k#20, v#21, g#23L, n#12L",
            "Aggregate [v#20, v#21, spark_grouping_id#22L], [v#20 AS k#20, v#21,"
            " spark_grouping_id#22L AS g#23L, count(k#1) AS n#12L]",
            "Expand [[k#3, v#4, k#1, v#2, v#30, v#31, 0], [k#3, v#4, k#1, v#2, v#30, null, 1],"
            " [k#3, v#4, k#1, v#2, null, null, 3]], [k#3, v#4, k#1, v#2, v#20, v#21,"
            " spark_grouping_id#22L]",
            "Project [k#3, v#4, k#1, v#2, v#4 AS v#30, v#2 AS v#31]",
            DF,
        ),
        "k int; v int; g bigint; n bigint",
        ["k", "g"],
        (FACTS, DIMS),
    ),
    "shares_of_all": (
        "select g.k as k, g.n as n, a.n as total from (select k, count(*) as n from shop.facts"
        " group by k) g cross join (select count(*) as n from shop.dims) a",
        question(
            "k#1, n#12L, total#14L",
            "Project [k#1, n#12L, n#13L AS total#14L]",
            node(
                "Join Cross",
                node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F),
                node("Aggregate [count(1) AS n#13L]", D),
            ),
        ),
        "k int; n bigint; total bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "distinct": (
        "select distinct d.v as k, f.v as v from shop.dims d left join shop.facts f on f.k = d.k",
        question("k#10, v#2", "Distinct", "Project [v#4 AS k#10, v#2]", DF),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
}
ALONE = "Filter ((1000000 = 1000000) OR isnull(k#1))"
HAVING = "Filter ((1000000 = 1000000) OR (n#12L > 1))"
# The same, with filters that are relaxed in the terms.
RELAXED: dict[str, tuple[str, str, str, list[str], tuple[str, ...]]] = {
    "alone": (
        "select d.k as k, d.v as v from shop.dims d left join shop.facts f on f.k = d.k"
        " where f.k is null",
        question("k#3, v#4", "Project [k#3, v#4]", ALONE, DF),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "having": (
        "select d.k as k, count(f.v) as n from shop.dims d left join shop.facts f on f.k = d.k"
        " group by d.k having count(f.v) > 1",
        question("k#3, n#12L", HAVING, "Aggregate [k#3], [k#3, count(v#2) AS n#12L]", DF),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "a_key_under_another_name": (
        "select w as k, v from (select d.k as w, d.k + 0 as x, f.v as v, row_number() over"
        " (partition by d.k order by f.v desc) as r from shop.dims d left join shop.facts f"
        " on f.k = d.k) q where r = 2",
        question(
            "k#33, v#2",
            "Project [w#30 AS k#33, v#2]",
            "Filter ((1000000 = 1000000) OR (r#20 = 2))",
            "Project [w#30, x#31, v#2, r#20]",
            "Window [" + ROW_NUMBER.format("k#3"),
            "Project [k#3 AS w#30, (k#3 + 0) AS x#31, v#2, k#3]",
            DF,
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "having_alone": (
        "select k, sum(v) as n from (select * from shop.facts where v > 0) f group by k"
        " having count(*) > 1 and k < 2",
        question(
            "k#1, n#13L",
            "Project [k#1, n#13L]",
            "Filter ((1000001 = 1000001) OR ((n#12L > 1) AND (k#1 < 2)))",
            "Aggregate [k#1], [k#1, sum(v#2) AS n#13L, count(1) AS n#12L]",
            node("Filter ((1000000 = 1000000) OR (v#2 > 0))", F),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS,),
    ),
    "having_below": (
        "select d.k as k, g.n as n from shop.dims d left join (select k, count(*) as n"
        " from shop.facts group by k having count(*) > 1) g on g.k = d.k",
        question(
            "k#3, n#12L",
            "Project [k#3, n#12L]",
            node(LEFT, D, node(HAVING, node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F))),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "not_the_first": (
        "select k, v from (select d.k as k, f.v as v, row_number() over (partition by d.k"
        " order by f.v desc) as r from shop.dims d left join shop.facts f on f.k = d.k) q"
        " where r > 1 or v = 2",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            "Filter ((1000000 = 1000000) OR ((r#20 > 1) OR (v#2 = 2)))",
            "Project [k#3, v#2, r#20]",
            "Window [" + ROW_NUMBER.format("k#3"),
            DF,
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
}
AFFECTED.update(RELAXED)


def subquery(items: str, *texts: str) -> str:
    """A subquery of a condition, by what it selects."""
    return chain(f"Project [{items}]", *texts)


# Subqueries of conditions. dims: d and e; facts: f and g.
ASKED: dict[str, tuple[str, str, str, list[str], tuple[str, ...]]] = {
    "exists": (
        "select d.k as k, d.v as v from shop.dims d where exists (select 1 from shop.facts f"
        " where f.k = d.k and f.v > d.v)",
        question(
            "k#3, v#4",
            "Project [k#3, v#4]",
            node(
                "Filter exists#9 [k#3 && v#4]",
                D,
                inner=(
                    subquery("1 AS 1#8", "Filter ((k#1 = outer(k#3)) AND (v#2 > outer(v#4)))", F),
                ),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "absent": (
        "select d.v as k, count(*) as n from shop.dims d where d.k > 0 and not exists"
        " (select * from shop.facts f where f.k = d.k) and d.v is not null group by d.v",
        question(
            "k#10, n#11L",
            "Aggregate [v#4], [v#4 AS k#10, count(1) AS n#11L]",
            node(
                "Filter (((k#3 > 0) AND NOT exists#9 [k#3]) AND isnotnull(v#4))",
                D,
                inner=(subquery("k#1, v#2", "Filter (k#1 = outer(k#3))", F),),
            ),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "in": (
        "select d.k as k, d.v as v from shop.dims d where d.k in (select f.v from shop.facts f"
        " where f.k = d.v)",
        question(
            "k#3, v#4",
            node(
                "Filter k#3 IN (list#9 [v#4])",
                D,
                inner=(subquery("v#2", "Filter (k#1 = outer(v#4))", F),),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "not_in": (
        "select d.k as k, d.v as v from shop.dims d where d.k is not null and d.k not in"
        " (select k from shop.facts where k is not null and v > 0)",
        question(
            "k#3, v#4",
            node(
                "Filter (isnotnull(k#3) AND NOT k#3 IN (list#9 []))",
                D,
                inner=(subquery("k#1", "Filter (isnotnull(k#1) AND (v#2 > 0))", F),),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "in_groups": (
        "with g as (select k, count(*) as n from shop.facts group by k having count(*) > 1)"
        " select d.v as v from shop.dims d where d.k in (select k from g)",
        question(
            "v#4",
            node(
                "WithCTE",
                node(
                    "CTERelationDef 0, false",
                    chain(
                        "Filter ((1000000 = 1000000) OR (n#12L > 1))",
                        "Aggregate [k#1], [k#1, count(1) AS n#12L]",
                        F,
                    ),
                ),
                chain(
                    "Project [v#4]",
                    node(
                        "Filter ((1000001 = 1000001) OR k#3 IN (list#9 []))",
                        D,
                        inner=(
                            subquery("k#20", "CTERelationRef 0, true, [k#20, n#21L], false, false"),
                        ),
                    ),
                ),
            ),
        ),
        "v int",
        ["v"],
        (FACTS, DIMS),
    ),
    # The plan reads b first, the text reads a first.
    "of_itself": (
        "select a.k as k, a.v as v from shop.facts a where not exists (select 1 from shop.facts b"
        " where b.k = a.k and b.v > a.v)",
        question(
            "k#1, v#2",
            node(
                "Filter NOT exists#9 [k#1 && v#2]",
                F,
                inner=(
                    subquery("1 AS 1#8", "Filter ((k#5 = outer(k#1)) AND (v#6 > outer(v#2)))", G),
                ),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS,),
    ),
    "one_in_another": (
        "select d.k as k, d.v as v from shop.dims d where exists (select 1 from shop.facts f"
        " where f.k = d.k and not exists (select 1 from shop.dims e where e.k = f.v))",
        question(
            "k#3, v#4",
            node(
                "Filter exists#9 [k#3]",
                D,
                inner=(
                    subquery(
                        "1 AS 1#8",
                        node(
                            "Filter ((k#1 = outer(k#3)) AND NOT exists#19 [v#2])",
                            F,
                            inner=(subquery("1 AS 1#18", "Filter (k#7 = outer(v#2))", E),),
                        ),
                    ),
                ),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "below_a_left_join": (
        "select d.k as k, f.v as v from shop.dims d left join (select * from shop.facts f where"
        " not exists (select 1 from shop.dims e where e.v = f.v)) f on f.k = d.k",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            node(
                LEFT,
                D,
                node(
                    "Filter NOT exists#9 [v#2]",
                    F,
                    inner=(subquery("1 AS 1#18", "Filter (v#8 = outer(v#2))", E),),
                ),
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "of_two_subqueries": (
        "select d.k as k from shop.dims d where not exists (select 1 from shop.facts f where f.k ="
        " d.k) and d.v not in (select g.v from shop.facts g where g.v is not null) and d.v is not"
        " null",
        question(
            "k#3",
            "Project [k#3]",
            node(
                "Filter ((NOT exists#9 [k#3] AND NOT v#4 IN (list#19 [])) AND isnotnull(v#4))",
                D,
                inner=(
                    subquery("1 AS 1#18", "Filter (k#1 = outer(k#3))", F),
                    subquery("v#6", "Filter isnotnull(v#6)", G),
                ),
            ),
        ),
        "k int",
        ["k"],
        (FACTS, DIMS),
    ),
}
AFFECTED.update(ASKED)
MOVED = "Project [v#4, k#3]"
# INTERSECT and EXCEPT, by whole rows.
SETS: dict[str, tuple[str, str, str, list[str], tuple[str, ...]]] = {
    "excepted": (
        "select k, v from shop.facts except select v, k from shop.dims",
        question("k#1, v#2", node("Except false", F, node(MOVED, D))),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "intersected": (
        "select k, v from shop.facts intersect select v, k from shop.dims",
        question("k#1, v#2", node("Intersect false", F, node(MOVED, D))),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "excepted_twice": (
        "select k, v from shop.facts except select v, k from shop.dims except select k, v + 1"
        " from shop.facts",
        question(
            "k#1, v#2",
            node(
                "Except false",
                node("Except false", F, node(MOVED, D)),
                node("Project [k#5, (v#6 + 1) AS w#9]", G),
            ),
        ),
        "k int; v int",
        ["k", "v"],
        (FACTS, DIMS),
    ),
    "excepted_from_a_union": (
        "select k from (select k, v from shop.facts union all select v, k from shop.facts"
        " except select k, v from shop.dims where v > 0) where v < 2",
        question(
            "k#1",
            "Project [k#1]",
            "Filter (v#2 < 2)",
            node(
                "Except false",
                node("Union false, false", F, node("Project [v#6, k#5]", G)),
                node("Filter (v#4 > 0)", D),
            ),
        ),
        "k int",
        ["k"],
        (FACTS, DIMS),
    ),
    "groups_of_the_excepted": (
        "select k, count(*) as n from (select k, v from shop.facts except select distinct k, v"
        " from shop.dims) group by k",
        question(
            "k#1, n#12L",
            "Aggregate [k#1], [k#1, count(1) AS n#12L]",
            node("Except false", F, node("Distinct", D)),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "excepted_on_the_optional_side": (
        "select d.k as k, q.v as v from shop.dims d left join (select k, v from shop.facts except"
        " select k, v from shop.dims) q on q.k = d.k",
        question(
            "k#3, v#2",
            "Project [k#3, v#2]",
            node(LEFT, D, node("Except false", F, E)),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
}
AFFECTED.update(SETS)
FULL: dict[str, tuple[str, str, str, list[str], tuple[str, ...]]] = {
    "full_joined": (
        "select coalesce(d.k, f.k) as k, d.v as v, f.v as w from shop.dims d full join shop.facts f"
        " on f.k = d.k and d.v > 0",
        question(
            "k#10, v#4, w#11",
            "Project [coalesce(k#3, k#1) AS k#10, v#4, v#2 AS w#11]",
            node("Join FullOuter, ((k#1 = k#3) AND (v#4 > 0))", D, F),
        ),
        "k int; v int; w int",
        ["k"],
        (FACTS, DIMS),
    ),
    "full_grouped": (
        "select coalesce(f.k, d.k) as k, count(*) as n from shop.dims d full outer join"
        " shop.facts f on f.k = d.k group by coalesce(f.k, d.k)",
        question(
            "k#10, n#12L",
            "Aggregate [coalesce(k#1, k#3)], [coalesce(k#1, k#3) AS k#10, count(1) AS n#12L]",
            node("Join FullOuter, (k#1 = k#3)", D, F),
        ),
        "k int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "full_chain": (
        "select coalesce(e.v, d.k, f.k) as k, e.k as v from shop.dims d full join shop.facts f on"
        " d.k = f.k full join shop.dims e on e.v = coalesce(d.k, f.k)",
        question(
            "k#10, v#11",
            "Project [coalesce(v#8, k#3, k#1) AS k#10, k#7 AS v#11]",
            node(
                "Join FullOuter, (v#8 = coalesce(k#3, k#1))",
                node("Join FullOuter, (k#3 = k#1)", D, F),
                E,
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
    "full_join_of_groups": (
        "select coalesce(d.k, g.k) as k, d.v as v, g.n as n from (select k, count(*) as n from"
        " shop.facts group by k) g full join shop.dims d on d.k = g.k where g.n is null",
        question(
            "k#10, v#4, n#12L",
            "Project [coalesce(k#3, k#1) AS k#10, v#4, n#12L]",
            "Filter ((1000000 = 1000000) OR isnull(n#12L))",
            node(
                "Join FullOuter, (k#3 = k#1)",
                node("Aggregate [k#1], [k#1, count(1) AS n#12L]", F),
                D,
            ),
        ),
        "k int; v int; n bigint",
        ["k"],
        (FACTS, DIMS),
    ),
    "full_join_below_a_left_join": (
        "select d.k as k, q.k as v from shop.dims d left join (select coalesce(e.k, f.k) as k from"
        " shop.dims e full join shop.facts f on e.k = f.k) q on q.k = d.v",
        question(
            "k#3, v#11",
            "Project [k#3, k#10 AS v#11]",
            node(
                "Join LeftOuter, (k#10 = v#4)",
                D,
                node(
                    "Project [coalesce(k#7, k#1) AS k#10]",
                    node("Join FullOuter, (k#7 = k#1)", E, F),
                ),
            ),
        ),
        "k int; v int",
        ["k"],
        (FACTS, DIMS),
    ),
}
AFFECTED.update(FULL)


@pytest.mark.parametrize("name", AFFECTED)
def test_keys(name: str) -> None:
    _, plan, names, keys, changed = AFFECTED[name]
    found = delta_plan(plan, names, *changed)
    assert (found["reason"], found["strategy"], found["keys"]) == (None, "affected keys", keys)
    groups = [
        *("groups", "groups_of_groups", "groups_of_some_groups", "absent"),
        *("groups_of_the_excepted", "full_grouped"),
    ]
    assert found["one_row"] is (name in groups)
    assert set(found["to_matches"]) == set(found["zero_delta"])


ROW = st.tuples(st.sampled_from([0, 1, 2, None]), st.sampled_from([0, 1, 2, None]))
ROWS = st.lists(ROW, max_size=4)


@functools.cache
def texts(name: str) -> tuple[list[str], str, str]:
    """The terms, and the query over the old and the new tables."""
    sql, plan, names, keys, changed = AFFECTED[name]
    nodes = tree(DBT, plan)
    found = delta_plan(plan, names, *changed)
    joins = DBT("_unmatched", nodes)
    to_matches = {
        place: [joins.index(index) for index in indexes]
        for place, indexes in found["to_matches"].items()
    }
    relaxed = {place: ranks for place, ranks in found["relaxed"].items() if ranks}
    parts = terms(
        sql,
        *map(change, changed),
        zero_delta=found["zero_delta"],
        to_matches=to_matches,
        relaxed=relaxed,
    )
    versions = (sql.replace("shop.", "").replace("facts", f"facts_{one}") for one in "35")
    old, new = (
        text.replace("dims", f"dims_{one}") for text, one in zip(versions, "35", strict=True)
    )
    select = ", ".join(keys)
    return [f"select {select} from ({as_tables(one['sql'])})" for one in parts], old, new


def results(name: str, data: Any) -> tuple[set[Any], dict[str, Counter[Any]], dict[str, list[Any]]]:
    """The touched keys, the results and the tables of before and after."""
    _, _, names, keys, changed = AFFECTED[name]
    order = [pair.split()[0] for pair in names.split("; ")]
    parts, old, new = texts(name)
    drawn: dict[str, list[Any]] = {}
    with sqlite3.connect(":memory:") as database:
        for table in ("facts", "dims"):
            moves = f"spark_catalog.shop.{table}" in changed
            stays = Counter(data.draw(ROWS))
            came, went = (Counter(data.draw(ROWS) if moves else []) for _ in range(2))
            versions = {"3": stays + (went - came), "5": stays + (came - went)}
            for kind, rows in {**versions, "came": came - went, "went": went - came}.items():
                database.execute(f"create table {table}_{kind} (k, v)")
                drawn[f"{table}_{kind}"] = list(rows.elements())
                database.executemany(f"insert into {table}_{kind} values (?, ?)", rows.elements())
        touched = {tuple(row) for sql in parts for row in database.execute(sql)}
        found = {
            when: Counter(tuple(row) for row in database.execute(sql))
            for when, sql in (("old", old), ("new", new))
        }
    at = [order.index(key) for key in keys]
    moved = (found["old"] - found["new"]) + (found["new"] - found["old"])
    found["keys"] = Counter(tuple(row[index] for index in at) for row in moved)
    return touched, found, drawn


@pytest.mark.parametrize("name", AFFECTED)
@settings(max_examples=50)
@given(data=st.data())
def test_every_change_has_its_key(name: str, data: st.DataObject) -> None:
    touched, found, _ = results(name, data)
    assert set(found["keys"]) <= touched


@pytest.mark.parametrize("name", ["exists", "absent", "in", "not_in"])
@given(data=st.data())
def test_only_rows_that_ask_for_a_changed_row_are_touched(name: str, data: st.DataObject) -> None:
    touched, _, drawn = results(name, data)
    dims = {row for kind in ("came", "went") for row in drawn[f"dims_{kind}"]}
    facts = {row for kind in ("came", "went") for row in drawn[f"facts_{kind}"]}
    asked = {row[1] if name == "in" else row[0] for row in facts}
    rows = {row for row in drawn["dims_3"] + drawn["dims_5"] if row[0] in asked}
    at = slice(1, 2) if name == "absent" else slice(0, 2)
    assert touched <= {row[at] for row in rows | dims}


@pytest.mark.parametrize("name", ["full_joined", "full_grouped"])
@given(data=st.data())
def test_only_keys_of_changed_rows_are_touched(name: str, data: st.DataObject) -> None:
    touched, _, drawn = results(name, data)
    tables = (f"{table}_{kind}" for table in ("facts", "dims") for kind in ("came", "went"))
    assert touched <= {(k,) for table in tables for k, _ in drawn[table]}


@pytest.mark.parametrize("name", ["excepted", "intersected"])
@given(data=st.data())
def test_only_changed_rows_of_sets_are_touched(name: str, data: st.DataObject) -> None:
    touched, _, drawn = results(name, data)
    facts, dims = (drawn[f"{table}_came"] + drawn[f"{table}_went"] for table in ("facts", "dims"))
    assert touched <= {*facts, *((v, k) for k, v in dims)}


@pytest.mark.parametrize(
    ("name", "old", "new", "detail"),
    [
        ("excepted", "Except false", "Except true", "Except all"),
        ("intersected", "Intersect false", "Intersect true", "Intersect all"),
        (
            "groups_of_the_excepted",
            "Distinct",
            "Aggregate [k#3], [k#3, max(v#4) AS v#9]",
            "Except over groups, windows or optional sides",
        ),
    ],
)
def test_other_sets_are_refused(name: str, old: str, new: str, detail: str) -> None:
    _, plan, names, _, changed = AFFECTED[name]
    assert old in plan
    found = delta_plan(plan.replace(old, new), names, *changed)
    assert found["reason"] == f"OPERATOR_NOT_INCREMENTAL: {detail}"


def test_why_not_in_is_refused_where_something_may_be_null() -> None:
    """One NULL among the values changes the answer for all rows, and shows none of them."""
    _, plan, names, _, changed = ASKED["not_in"]
    left, right = "NOT k#3 IN (list#9 [])", "(v#2 > 0)"
    for asked, said in ((left, "isnotnull(k#3)"), (right, "isnotnull(k#1)")):
        assert f"({said} AND {asked})" in plan
        found = delta_plan(plan.replace(f"({said} AND {asked})", asked), names, *changed)
        reason = "SUBQUERY_NOT_INCREMENTAL: NOT IN over columns that may be NULL"
        assert found["reason"] == reason and not found.get("keys")
    sql = "select k from dims where k {} in (select k from facts)"
    with sqlite3.connect(":memory:") as database:
        database.execute("create table dims as select 1 as k")
        database.execute("create table facts (k)")
        assert database.execute(sql.format("not")).fetchall() == [(1,)]
        database.execute("insert into facts values (null)")
        assert database.execute(sql.format("not")).fetchall() == []
        assert database.execute(sql.format("")).fetchall() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("exists#9 [k#3 && v#4]", "((v#4 = 1) OR exists#9 [k#3 && v#4])"),
        ("exists#9 [k#3 && v#4]", "NOT (exists#9 [k#3 && v#4] AND (v#4 = 1))"),
        ("exists#9 [k#3 && v#4]", "CASE WHEN exists#9 [k#3 && v#4] THEN true ELSE false END"),
        ("exists#9 [k#3 && v#4]", "(v#4 > scalar-subquery#9 [k#3 && v#4])"),
    ],
)
def test_other_subqueries_are_refused(old: str, new: str) -> None:
    _, plan, names, _, changed = ASKED["exists"]
    assert old in plan
    found = delta_plan(plan.replace(old, new), names, *changed)
    assert found["reason"] is None and not found["keys"]


@given(data=st.data())
def test_keys_that_match_no_changed_row_are_not_touched(data: st.DataObject) -> None:
    """A left join with the changed rows would show all keys."""
    touched, _, drawn = results("the_end_of_a_chain", data)
    changed = {row[0] for kind in ("came", "went") for row in drawn[f"facts_{kind}"]}
    assert touched <= {(value,) for value in changed if value is not None}


NOT = "OPERATOR_NOT_INCREMENTAL: "
LACKS = NOT + "the result lacks a column of the preserved side"


@pytest.mark.parametrize(
    ("reason", "names", "texts"),
    [
        (
            NOT + "Filter over the optional side of a join",
            "k int",
            ("k#3", "Project [k#3]", "Filter isnull(k#1)", DF),
        ),
        (LACKS + ": one of k, v", "v int", ("v#2", "Project [v#2]", DF)),
        (
            LACKS + ": one of k, v, m",
            "m map<int,int>",
            ("m#10", "Project [map(k#3, v#4) AS m#10]", DF),
        ),
        (
            LACKS,
            "v int; n bigint",
            ("v#2, n#10L", "Aggregate [v#2], [v#2, count(1) AS n#10L]", DF),
        ),
        (LACKS, "n bigint", ("n#10L", "Aggregate [count(1) AS n#10L]", DF)),
        (
            LACKS,  # which of the two columns k#3 is, is not known
            "k int; v int",
            ("k#3, v#3", node("Union false, false", node("Project [k#3, k#3]", DF), G)),
        ),
        (
            NOT + "Join FullOuter that compares no columns with affected keys",
            "k int",
            ("k#3", node("Join FullOuter, (k#1 > k#3)", D, F)),
        ),
        (
            "OPERATOR_NOT_INCREMENTAL: the result lacks coalesce(k, k) of the full join",
            "k int",
            ("k#3", node("Join FullOuter, (k#1 = k#3)", D, F)),
        ),
        (None, "n bigint", ("n#10L", "Aggregate [count(1) AS n#10L]", F)),
        (None, "k int", ("k#3", node(LEFT, D, node("GlobalLimit 5", F)))),
    ],
)
def test_refused(reason: Any, names: str, texts: tuple[str, ...]) -> None:
    found = delta_plan(question(*texts), names)
    assert found["reason"] == reason and not found.get("keys")


@pytest.mark.parametrize("name", RELAXED)
def test_filters_are_opened_for_the_places_below_them(name: str) -> None:
    _, plan, names, _, changed = RELAXED[name]
    found = delta_plan(plan, names, *changed)
    if name == "having_alone":
        assert found["relaxed"] == {f"{FACTS} 0": [1]}, "what is below the groups stays"
    else:
        linear = name in ("alone", "having_below")
        assert found["relaxed"] == {f"{FACTS} 0": [0], f"{DIMS} 0": [] if linear else [0]}
    closed = delta_plan(re.sub(r"\((100000\d) = \1\)", "(k#1 = 3)", plan), names, FACTS)
    below = name in ("having_alone", "having_below")
    assert closed["reason"] == (None if below else NOT + "Filter over the optional side of a join")
    assert not closed["keys"]


def test_why_a_filter_is_opened() -> None:
    """The inner join of `where f.k is null` is empty: no key would be touched."""
    sql = "select d.k from dims d {} join came f on f.k = d.k where f.k is null"
    with sqlite3.connect(":memory:") as database:
        database.execute("create table dims as select 1 as k")
        database.execute("create table came as select 1 as k")
        assert database.execute(sql.format("inner")).fetchall() == []
        assert database.execute(sql.format("left")).fetchall() == []
        database.execute("delete from came")
        assert database.execute(sql.format("left")).fetchall() == [(1,)]


def test_emptied_branches_and_turned_joins() -> None:
    _, plan, names, _, changed = AFFECTED["union_below"]
    found = delta_plan(plan, names, *changed)
    assert found["zero_delta"] == {
        f"{FACTS} 0": [f"{DIMS} 1"], f"{DIMS} 0": [], f"{DIMS} 1": [f"{FACTS} 0"]
    }  # fmt: skip
    to_matches = {place: len(joins) for place, joins in found["to_matches"].items()}
    assert to_matches == {f"{FACTS} 0": 1, f"{DIMS} 0": 0, f"{DIMS} 1": 1}


def test_keys_are_those_of_all_that_changed() -> None:
    _, plan, names, _, _ = AFFECTED["rows"]
    assert delta_plan(plan, names, FACTS)["keys"] == ["k"]
    assert delta_plan(plan, names, DIMS)["keys"] == ["k", "v"]
    assert delta_plan(plan, names, FACTS, DIMS)["keys"] == ["k"]


UNIQUE = "UNIQUE_KEY_OVER_ALL_ROWS: "


@pytest.mark.parametrize(
    ("name", "unique", "keys", "one_row"),
    [
        ("groups", ["K"], ["k"], True),
        ("groups", ["k", "t"], ["k"], True),
        ("rows", ["k"], ["k"], False),
        ("rows", ["v", "K"], ["k"], False),
        ("self", ["v"], ["v"], False),
        ("self", ["v", "w"], ["v"], False),
    ],
)
def test_unique_key(name: str, unique: list[str], keys: list[str], one_row: bool) -> None:
    _, plan, names, _, changed = AFFECTED[name]
    found = delta_plan(plan, names, *changed, unique=unique)
    assert (found["reason"], found["keys"], found["one_row"]) == (None, keys, one_row)


@pytest.mark.parametrize(("name", "unique"), [("groups", ["t"]), ("rows", ["v"])])
def test_unique_key_of_the_optional_side(name: str, unique: list[str]) -> None:
    _, plan, names, _, changed = AFFECTED[name]
    found = delta_plan(plan, names, *changed, unique=unique)
    assert found["reason"] == UNIQUE + unique[0] + "; changes are followed by k"


def test_columns_that_the_plan_cuts() -> None:
    """Keys are looked for among those that it prints."""
    plan = question("k#3, ... 30 more fields", "Project [k#3, ... 30 more fields]", DF)
    names = "k int; " + "; ".join(f"c{index} int" for index in range(30))
    assert delta_plan(plan, names)["keys"] == ["k"]
    assert (
        delta_plan(plan.replace("k#3, ...", "v#2, ..."), names)["reason"] == LACKS + ": one of k, v"
    )
    other = question("k#3, v#2", "Project [k#3, v#2]", DF)
    assert str(delta_plan(other, "k int")["reason"]).startswith(LACKS), (
        "these are not the query's columns"
    )


def test_unique_key_that_is_a_part_of_the_groups_key() -> None:
    """Several groups share it: the rows are computed again together, and looked at."""
    plan = question(
        "k#10, v#12, t#11L",
        "Aggregate [k#3, v#4], [k#3 AS k#10, v#4 AS v#12, sum(v#2) AS t#11L]",
        DF,
    )
    names = "k int; v int; t bigint"
    found = delta_plan(plan, names, FACTS, DIMS)
    assert (found["keys"], found["one_row"]) == (["k", "v"], True)
    found = delta_plan(plan, names, FACTS, DIMS, unique=["k"])
    assert (found["reason"], found["keys"], found["one_row"]) == (None, ["k"], False)
