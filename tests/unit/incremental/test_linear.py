"""What is linear between a table and the result, row by row and branch by branch."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import (
    DIMS,
    EQUAL,
    FACTS,
    GROUPED,
    MORE,
    RANKED,
    chain,
    columns,
    find,
    leaf,
    node,
    question,
    tree,
)
from ..kit.records import as_said

# What lies between a table and the result: each rule.


DBT = Dbt()
SUM = "Window [sum(amt#3) windowspecdefinition(k#2, x) AS t#13], [k#2]"
EXPAND = "Expand [[k#2, 0], [null, 1]], [k#9, spark_grouping_id#10L]"
REF = "CTERelationRef 0, true, [id#20L, k#21], false, false"


def path(plan: str, table: str = "facts") -> dict[str, Any]:
    nodes = tree(DBT, plan)
    found: dict[str, Any] = DBT("_linear_path", nodes, leaf(nodes, table))
    found["ops"] = nodes[found["boundary"]]["op"] if found["boundary"] is not None else None
    return found


def asked(*texts: str) -> str:
    return question("k#2", *texts)


LINEAR = {
    "alone": asked(FACTS),
    "filter_and_projection": asked("Project [k#2]", "Filter (id#1L > 3)", FACTS),
    "inner_join": asked("Project [k#2]", node(f"Join Inner, {EQUAL}", FACTS, DIMS)),
    "cross_join": asked(node("Join Cross", DIMS, FACTS)),
    "kept_by_a_left_join": asked(node(f"Join LeftOuter, {EQUAL}", FACTS, DIMS)),
    "kept_by_a_right_join": asked(node(f"Join RightOuter, {EQUAL}", DIMS, FACTS)),
    "semi_join": asked(node(f"Join LeftSemi, {EQUAL}", FACTS, DIMS)),
    "anti_join": asked(node(f"Join LeftAnti, {EQUAL}", FACTS, DIMS)),
    "exploded": asked("Project [x#9]", "Generate explode(a#8), true, [x#9]", FACTS),
    "ordered": asked("Sort [k#2 ASC NULLS FIRST], true", FACTS),
    "a_view": asked("View (`spark_catalog`.`shop`.`v`, [k#2])", "Project [k#2]", FACTS),
    "a_cte": asked(node("WithCTE", node("CTERelationDef 0, false", FACTS), REF)),
    "unpivoted": asked("Project [k#9]", EXPAND, FACTS),
    "beside_a_subquery": asked(node("Filter exists#9 [k#2]", FACTS, inner=(DIMS,))),
}


@pytest.mark.parametrize("plan", LINEAR.values(), ids=LINEAR)
def test_linear(plan: str) -> None:
    assert path(plan) == {
        "reason": None, "boundary": None, "ops": None, "windows": [], "filters": [], "unions": {}
    }  # fmt: skip


OVER = "AGGREGATE_NOT_TOP_NODE: "
NOT = "OPERATOR_NOT_INCREMENTAL: "
TWICE = node("Join Inner", REF, REF)
REFUSED = {
    "limit": (NOT + "Limit", asked("GlobalLimit 5", "LocalLimit 5", FACTS)),
    "limit_below": (NOT + "Limit", asked(GROUPED, "GlobalLimit 5", FACTS)),
    "offset": (NOT + "Offset", asked("Offset 5", FACTS)),
    "unpivoted_groups": (OVER + "Expand over Aggregate", asked(EXPAND, GROUPED, FACTS)),
    "except": (NOT + "Except", asked(node("Except false", FACTS, DIMS))),
    "full_join": (NOT + "Join FullOuter", asked(node("Join FullOuter", FACTS, DIMS))),
    "right_side": (NOT + "Join LeftOuter", asked(node(f"Join LeftOuter, {EQUAL}", DIMS, FACTS))),
    "left_side": (NOT + "Join RightOuter", asked(node("Join RightOuter, x", FACTS, DIMS))),
    "semi_side": (NOT + "Join LeftSemi", asked(node(f"Join LeftSemi, {EQUAL}", DIMS, FACTS))),
    "anti_side": (NOT + "Join LeftAnti", asked(node(f"Join LeftAnti, {EQUAL}", DIMS, FACTS))),
    "having": (OVER + "Filter over Aggregate", asked("Filter (n#10L > 2)", GROUPED, FACTS)),
    "nested": (
        OVER + "Aggregate over Aggregate",
        asked("Aggregate [n#10L], [n#10L, count(1) AS m#14L]", GROUPED, FACTS),
    ),
    "joined_groups": (
        OVER + "Join over Aggregate",
        asked(node("Join Inner", node(GROUPED, FACTS), DIMS)),
    ),
    "united_groups": (
        OVER + "Union over Aggregate",
        asked(node("Union false, false", node(GROUPED, FACTS), DIMS)),
    ),
    "first_groups": ("OPERATOR_NOT_INCREMENTAL: Limit", asked("GlobalLimit 5", GROUPED, FACTS)),
    "ranked_groups": (OVER + "Window over Aggregate", asked(RANKED, GROUPED, FACTS)),
    "grouped_ranks": (OVER + "Aggregate over Window", asked(GROUPED, RANKED, FACTS)),
    "distinct_ranks": (OVER + "Distinct over Window", asked("Distinct", RANKED, FACTS)),
    "distinct_groups": (OVER + "Distinct over Aggregate", asked("Distinct", GROUPED, FACTS)),
    "having_distinct": (OVER + "Filter over Distinct", asked("Filter x", "Distinct", FACTS)),
    "exploded_groups": (
        OVER + "Generate over Aggregate",
        asked("Generate explode(array(n#10L)), false, [x#9L]", GROUPED, FACTS),
    ),
    "cte_twice": (
        NOT + "a CTE that is read 2 times",
        asked(node("WithCTE", node("CTERelationDef 0, false", FACTS), TWICE)),
    ),
    "in_a_subquery": (
        "SUBQUERY_NOT_INCREMENTAL",
        asked(node("Filter exists#9 [k#5]", DIMS, inner=(node("Project [1 AS 1#8]", FACTS),))),
    ),
    "in_a_scalar_subquery": (
        "SUBQUERY_NOT_INCREMENTAL",
        asked(node("Project [scalar-subquery#9 [] AS x#8]", DIMS, inner=(FACTS,))),
    ),
    "a_cte_of_a_subquery": (
        "SUBQUERY_NOT_INCREMENTAL",
        asked(
            node(
                "WithCTE",
                node("CTERelationDef 0, false", FACTS),
                node("Filter exists#9 [k#5]", DIMS, inner=(node("Project [1 AS 1#8]", REF),)),
            )
        ),
    ),
    "unknown": (NOT + "SomeNewOperator", asked("SomeNewOperator", FACTS)),
}


@pytest.mark.parametrize(("reason", "plan"), REFUSED.values(), ids=REFUSED)
def test_refused(reason: str, plan: str) -> None:
    assert path(plan)["reason"] == reason


@pytest.mark.parametrize(
    ("texts", "boundary"),
    [
        ((GROUPED, "Project [k#2, amt#3]", FACTS), "Aggregate"),
        (("Project [k#2, n#10L AS m#14L]", GROUPED, "Filter (id#1L > 3)", FACTS), "Aggregate"),
        (("Sort [k#2 ASC NULLS FIRST], true", GROUPED, FACTS), "Aggregate"),
        ((GROUPED, EXPAND, FACTS), "Aggregate"),
        (("Distinct", "Project [k#2]", FACTS), "Distinct"),
        ((RANKED, "Project [k#2, id#1L]", FACTS), "Window"),
    ],
)
def test_what_ends_the_linear_part(texts: tuple[str, ...], boundary: str) -> None:
    found = path(asked(*texts))
    assert (found["reason"], found["ops"]) == (None, boundary)


def test_groups_of_a_cte_that_is_read_once() -> None:
    groups = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    main = node("Project [k#21 AS label#22]", REF)
    found = path(asked(node("WithCTE", groups, main)))
    assert (found["reason"], found["ops"]) == (None, "Aggregate")


def test_windows_and_their_filters() -> None:
    plan = asked("Project [k#2]", "Filter (rn#12 = 1)", "Project [k#2, rn#12]", SUM, RANKED, FACTS)
    nodes = tree(DBT, plan)
    found = path(plan)
    first, second = find(nodes, "Window"), find(nodes, "Window", 1)
    assert (found["reason"], found["boundary"]) == (None, second)
    assert found["windows"] == [second, first]
    assert found["filters"] == [find(nodes, "Filter")]


def test_a_filter_below_a_window_is_none_over_it() -> None:
    found = path(asked(RANKED, "Filter (id#1L > 3)", FACTS))
    assert (found["reason"], found["filters"]) == (None, [])


def test_branches_of_a_union() -> None:
    inner = node("Union false, false", "LocalRelation [x#30]", node("Project [k#2]", FACTS))
    plan = asked(GROUPED, node("Union false, false", DIMS, inner))
    nodes = tree(DBT, plan)
    found = path(plan)
    outer = find(nodes, "Union")
    assert found["unions"] == {outer: 1, find(nodes, "Union", 1): 1}
    assert path(plan, "dims")["unions"] == {outer: 0}


# UNION ALL: while one branch changes, the others hold no rows.


def others(plan: str, table: str = "facts", turn: int = 0, nested: bool = True) -> Any:
    """The names of the zero_delta tables, or the reason."""
    nodes = tree(DBT, question("k#2", plan))
    path = DBT("_linear_path", nodes, leaf(nodes, table, turn))
    assert path["reason"] is None
    found = DBT("_zero_delta", nodes, path, nested)
    if isinstance(found, dict):
        return found
    return [nodes[index]["text"].split("[")[0].split(".")[-1] for index in found]


def union(*branches: str) -> str:
    return node("Union false, false", *branches)


def test_no_union() -> None:
    assert others(node("Join Inner", FACTS, DIMS)) == []
    assert others(node("Filter exists#9 [k#2]", FACTS, inner=(DIMS,))) == []


def test_every_other_branch() -> None:
    plan = union(chain("Project [k#2]", "Filter (k#2 > 1)", FACTS), DIMS, node("Sort x", MORE))
    assert others(plan) == ["dims", "more"]
    assert others(plan, "dims") == ["facts", "more"]


def test_joins_in_branches() -> None:
    plan = union(node("Join Inner", FACTS, DIMS), MORE)
    assert others(plan) == ["more"], "what its own branch joins stays"
    assert others(plan, "more") == ["facts", "dims"]


def test_a_table_outside_stays() -> None:
    plan = node("Join Inner", union(FACTS, DIMS), MORE)
    assert others(plan) == ["dims"]
    assert others(plan, "more") == []


def test_unions_of_unions() -> None:
    plan = union(union(FACTS, DIMS), MORE)
    assert others(plan) == ["dims", "more"]
    assert others(plan, "more") == ["facts", "dims"]


def test_subqueries_that_filters_ask() -> None:
    """A branch without rows of its own has none, whatever its subqueries have."""
    plan = union(node("Filter exists#9 [k#2]", FACTS, inner=(MORE,)), DIMS)
    assert others(plan) == ["dims"]
    assert others(plan, "dims") == ["facts"]


def test_unions_in_subqueries() -> None:
    """What asks them stays."""
    asks = node("Filter exists#9 [k#5]", DIMS, inner=(union(FACTS, MORE),))
    nodes = tree(DBT, question("k#5", union(asks, MORE)))
    path = DBT("_affected_path", nodes, leaf(nodes, "facts"))
    assert DBT("_zero_delta", nodes, path, True, True) == [
        leaf(nodes, "more"),
        leaf(nodes, "more", 1),
    ]


def test_one_table_in_both_branches() -> None:
    plan = union(FACTS, chain("Project [k#2]", FACTS))
    assert others(plan) == ["facts"]
    assert others(plan, turn=1) == ["facts"]


def with_cte(define: str, plan: str) -> str:
    return node("WithCTE", node("CTERelationDef 0, false", define), plan)


def test_groups_rollups_and_outer_joins_in_other_branches() -> None:
    """Over tables without rows they have none, whatever changes of these would need."""
    plan = union(FACTS, chain(GROUPED, EXPAND, MORE), node("Join LeftOuter", DIMS, DIMS))
    assert others(plan) == ["more", "dims", "dims"]


def test_ctes() -> None:
    """A branch is what is read in it, wherever it is defined."""
    assert others(with_cte(DIMS, union(FACTS, CTE_REF))) == ["dims"]
    assert others(with_cte(FACTS, union(CTE_REF, DIMS))) == ["dims"]
    assert others(with_cte(DIMS, union(FACTS, CTE_REF, node("Sort x", CTE_REF)))) == ["dims"]
    assert others(with_cte(DIMS, node("Join Inner", union(FACTS, MORE), CTE_REF))) == ["more"]
    assert others(with_cte(DIMS, union(node("Join Inner", FACTS, CTE_REF), MORE))) == ["more"]
    assert others(with_cte(DIMS, union(FACTS, MORE))) == ["more"], "nobody reads it"


def test_one_table_in_two_ctes() -> None:
    second = node("CTERelationDef 1, false", FACTS)
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", FACTS),
        second,
        union(CTE_REF, CTE_REF.replace("Ref 0", "Ref 1")),
    )
    assert others(plan, nested=False) == ["facts"]
    assert others(plan, turn=1, nested=False) == ["facts"]
    assert others(plan) == UNION_ALL + "a CTE and a table read twice"


UNION_ALL = "OPERATOR_NOT_INCREMENTAL: UNION ALL with "
CTE_REF = "CTERelationRef 0, true, [k#20], false, false"
READ = {
    "rows_of_nothing": (UNION_ALL + "LocalRelation", union(FACTS, "LocalRelation [x#1]")),
    "a_range": (UNION_ALL + "Range", union(FACTS, "Range (0, 10, step=1)")),
    "one_row": (UNION_ALL + "OneRowRelation", union(FACTS, chain("Project [1]", "OneRowRelation"))),
    "a_limit": (UNION_ALL + "GlobalLimit", union(FACTS, node("GlobalLimit 5", DIMS))),
    "a_subquery": (
        UNION_ALL + "subqueries",
        union(node("Project [scalar-subquery#9 [] AS x#8]", FACTS, inner=(DIMS,)), MORE),
    ),
    "a_cte_with_a_limit": (
        UNION_ALL + "GlobalLimit",
        with_cte(node("GlobalLimit 5", DIMS), union(FACTS, CTE_REF)),
    ),
    "a_cte_that_is_read_elsewhere": (
        "OPERATOR_NOT_INCREMENTAL: a CTE that is read 2 times",
        with_cte(DIMS, node("Join Inner", union(FACTS, CTE_REF), CTE_REF)),
    ),
    "a_count_of_all": (
        "OPERATOR_NOT_INCREMENTAL: a branch of UNION ALL",
        union(FACTS, node("Aggregate [count(1) AS n#20L]", DIMS)),
    ),
}


def test_a_key_too_many_does_no_harm() -> None:
    nodes = tree(DBT, question("k#2", union(FACTS, node("Aggregate [count(1) AS n#20L]", DIMS))))
    path = DBT("_linear_path", nodes, leaf(nodes, "facts"))
    assert DBT("_zero_delta", nodes, path, True, True) == [leaf(nodes, "dims")]


@pytest.mark.parametrize(
    ("sql", "nested"),
    [
        ("with c as (select 1) select * from c", False),
        ("select * from (WITH c as (select 1) select * from c)", True),
        ("with c as ( -- all\n with d as (select 1) select * from d) select * from c", True),
        ("select '(with' as a, (with_c) from t", False),
    ],
)
def test_nests_ctes(sql: str, nested: bool) -> None:
    assert DBT("_nests_ctes", DBT("_words", sql)) is nested


@pytest.mark.parametrize(("reason", "plan"), READ.values(), ids=READ)
def test_branches_that_are_not_emptied_with_their_tables(reason: str, plan: str) -> None:
    assert others(plan) == reason


def test_a_cte_of_a_subquery_and_a_table_read_twice() -> None:
    """Printed in front: the first place of the plan need not be the first of the text."""
    define = node("CTERelationDef 0, false", FACTS)
    plan = node("WithCTE", define, node("Join Inner", union(FACTS, DIMS), CTE_REF))
    assert others(plan, turn=1) == UNION_ALL + "a CTE and a table read twice"
    plan = node(
        "WithCTE", define.replace("facts", "more"), node("Join Inner", union(FACTS, DIMS), CTE_REF)
    )
    assert others(plan) == ["dims"]


# Rows that come and go one by one, or are each a group.


TWO = columns("k int; s string")


def test_rows() -> None:
    assert as_said(DBT("_row_delta_plan", TWO)) == {
        "reason": None, "strategy": "row delta", "keys": ["k", "s"], "values": {}, "one_row": False
    }  # fmt: skip


@pytest.mark.parametrize("type_", ["map<string,int>", "array<map<int,int>>", "variant"])
def test_rows_that_cannot_be_compared(type_: str) -> None:
    found = as_said(DBT("_row_delta_plan", [*TWO, {"name": "m", "type": type_}]))
    assert found == {"reason": "OPERATOR_NOT_INCREMENTAL: rows with m cannot be compared"}
    found = DBT("_distinct_delta_plan", [], 0, [{"name": "m", "type": type_}], True)
    assert found["reason"]["detail"] == "rows with m cannot be compared"


def distinct(items: str, names: Any, *texts: str, sure: bool = True) -> Any:
    nodes = tree(DBT, question(items, *texts, FACTS))
    return as_said(DBT("_distinct_delta_plan", nodes, find(nodes, "Distinct"), names, sure))


def test_distinct() -> None:
    found = distinct("k#2, s#4", TWO, "Distinct", "Project [k#2, s#4]")
    assert found == {
        "reason": None, "strategy": "affected keys", "keys": ["k", "s"],
        "values": {}, "one_row": True
    }  # fmt: skip


def test_distinct_with_columns_left_out() -> None:
    """The rows are no longer unique; they are followed all the same."""
    below = ("Distinct", "Project [k#2, s#4]")
    for above, item in [("Project [k#2]", "k#2"), ("Project [upper(s#4) AS k#9]", "k#9")]:
        found = distinct(item, columns("k int"), above, *below)
        assert (found["reason"], found["one_row"]) == (None, False)


def test_distinct_in_a_plan_that_does_not_tell() -> None:
    assert not distinct("k#2, s#4", TWO, "Distinct", "Project [k#2, s#4]", sure=False)["one_row"]
    assert not distinct("x#2, s#4", TWO, "Distinct", "Project [x#2, s#4]")["one_row"]


def test_unchanged() -> None:
    found = DBT("_empty_delta_plan")
    assert (found["strategy"], found["terms"], found["keys"]) == ("nothing", [], [])
