"""What lies between a table and the result: each rule."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import (
    DIMS,
    EQUAL,
    FACTS,
    GROUPED,
    RANKED,
    find,
    leaf,
    node,
    question,
    tree,
)

DBT = Dbt()
SUM = "Window [sum(amt#3) windowspecdefinition(k#2, x) AS t#13], [k#2]"
REF = "CTERelationRef 0, true, [id#20L, k#21], false, false"


def path(plan: str, table: str = "facts") -> dict[str, Any]:
    nodes = tree(DBT, plan)
    found: dict[str, Any] = DBT("_linear_path", nodes, leaf(nodes, table))
    found["ops"] = nodes[found["core"]]["op"] if found["core"] is not None else None
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
    "beside_a_subquery": asked(node("Filter exists#9 [k#2]", FACTS, inner=(DIMS,))),
}


@pytest.mark.parametrize("plan", LINEAR.values(), ids=LINEAR)
def test_linear(plan: str) -> None:
    assert path(plan) == {
        "reason": None, "core": None, "ops": None, "windows": [], "filters": [], "unions": {}
    }  # fmt: skip


OVER = "AGGREGATE_NOT_TOP_NODE: "
NOT = "OPERATOR_NOT_INCREMENTAL: "
TWICE = node("Join Inner", REF, REF)
REFUSED = {
    "limit": (NOT + "Limit", asked("GlobalLimit 5", "LocalLimit 5", FACTS)),
    "limit_below": (NOT + "Limit", asked(GROUPED, "GlobalLimit 5", FACTS)),
    "offset": (NOT + "Offset", asked("Offset 5", FACTS)),
    "rollup": (NOT + "Expand", asked(GROUPED, "Expand [[k#2, 0]], [k#9, g#10L]", FACTS)),
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
    "first_groups": (OVER + "GlobalLimit over Aggregate", asked("GlobalLimit 5", GROUPED, FACTS)),
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
    ("texts", "core"),
    [
        ((GROUPED, "Project [k#2, amt#3]", FACTS), "Aggregate"),
        (("Project [k#2, n#10L AS m#14L]", GROUPED, "Filter (id#1L > 3)", FACTS), "Aggregate"),
        (("Sort [k#2 ASC NULLS FIRST], true", GROUPED, FACTS), "Aggregate"),
        (("Distinct", "Project [k#2]", FACTS), "Distinct"),
        ((RANKED, "Project [k#2, id#1L]", FACTS), "Window"),
    ],
)
def test_what_ends_the_linear_part(texts: tuple[str, ...], core: str) -> None:
    found = path(asked(*texts))
    assert (found["reason"], found["ops"]) == (None, core)


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
    assert (found["reason"], found["core"]) == (None, second)
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
