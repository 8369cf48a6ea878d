"""UNION ALL: while one branch changes, the others hold no rows."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, MORE, chain, leaf, node, question, tree

DBT = Dbt()


def others(plan: str, table: str = "facts", turn: int = 0, nested: bool = True) -> Any:
    """The names of the emptied tables, or the reason."""
    nodes = tree(DBT, question("k#2", plan))
    path = DBT("_linear_path", nodes, leaf(nodes, table, turn))
    assert path["reason"] is None
    found = DBT("_other_branches", nodes, path, nested)
    if isinstance(found, str):
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


def test_one_table_in_both_branches() -> None:
    plan = union(FACTS, chain("Project [k#2]", FACTS))
    assert others(plan) == ["facts"]
    assert others(plan, turn=1) == ["facts"]


def with_cte(define: str, plan: str) -> str:
    return node("WithCTE", node("CTERelationDef 0, false", define), plan)


def test_groups_and_outer_joins_in_other_branches() -> None:
    """Over tables without rows they have none, whatever changes of these would need."""
    plan = union(FACTS, node(GROUPED, MORE), node("Join LeftOuter", DIMS, DIMS))
    assert others(plan) == ["more", "dims", "dims"]


def test_ctes() -> None:
    """A branch is what is read in it, wherever it is defined."""
    assert others(with_cte(DIMS, union(FACTS, REF))) == ["dims"]
    assert others(with_cte(FACTS, union(REF, DIMS))) == ["dims"]
    assert others(with_cte(DIMS, union(FACTS, REF, node("Sort x", REF)))) == ["dims"]
    assert others(with_cte(DIMS, node("Join Inner", union(FACTS, MORE), REF))) == ["more"]
    assert others(with_cte(DIMS, union(node("Join Inner", FACTS, REF), MORE))) == ["more"]
    assert others(with_cte(DIMS, union(FACTS, MORE))) == ["more"], "nobody reads it"


def test_one_table_in_two_ctes() -> None:
    second = node("CTERelationDef 1, false", FACTS)
    plan = node(
        "WithCTE",
        node("CTERelationDef 0, false", FACTS),
        second,
        union(REF, REF.replace("Ref 0", "Ref 1")),
    )
    assert others(plan, nested=False) == ["facts"]
    assert others(plan, turn=1, nested=False) == ["facts"]
    assert others(plan) == UNION_ALL + "a CTE and a table read twice"


UNION_ALL = "OPERATOR_NOT_INCREMENTAL: UNION ALL with "
REF = "CTERelationRef 0, true, [k#20], false, false"
READ = {
    "rows_of_nothing": (UNION_ALL + "LocalRelation", union(FACTS, "LocalRelation [x#1]")),
    "a_range": (UNION_ALL + "Range", union(FACTS, "Range (0, 10, step=1)")),
    "one_row": (UNION_ALL + "OneRowRelation", union(FACTS, chain("Project [1]", "OneRowRelation"))),
    "a_limit": (UNION_ALL + "GlobalLimit", union(FACTS, node("GlobalLimit 5", DIMS))),
    "a_rollup": (UNION_ALL + "Expand", union(FACTS, node("Expand [[x#1]]", DIMS))),
    "a_subquery": (
        UNION_ALL + "subqueries",
        union(node("Filter exists#9 [k#2]", FACTS, inner=(DIMS,)), MORE),
    ),
    "a_cte_with_a_limit": (
        UNION_ALL + "GlobalLimit",
        with_cte(node("GlobalLimit 5", DIMS), union(FACTS, REF)),
    ),
    "a_cte_that_is_read_elsewhere": (
        "OPERATOR_NOT_INCREMENTAL: a CTE that is read 2 times",
        with_cte(DIMS, node("Join Inner", union(FACTS, REF), REF)),
    ),
    "a_count_of_all": (
        "OPERATOR_NOT_INCREMENTAL: a branch of UNION ALL",
        union(FACTS, node("Aggregate [count(1) AS n#20L]", DIMS)),
    ),
}


def test_a_key_too_many_does_no_harm() -> None:
    nodes = tree(DBT, question("k#2", union(FACTS, node("Aggregate [count(1) AS n#20L]", DIMS))))
    path = DBT("_linear_path", nodes, leaf(nodes, "facts"))
    assert DBT("_other_branches", nodes, path, True, True) == [leaf(nodes, "dims")]


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
    plan = node("WithCTE", define, node("Join Inner", union(FACTS, DIMS), REF))
    assert others(plan, turn=1) == UNION_ALL + "a CTE and a table read twice"
    plan = node(
        "WithCTE", define.replace("facts", "more"), node("Join Inner", union(FACTS, DIMS), REF)
    )
    assert others(plan) == ["dims"]
