"""What the changes of a table reach above the optional side of joins."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, EQUAL, FACTS, GROUPED, MORE, RANKED, find, leaf, node, question, tree

DBT = Dbt()
LEFT = f"Join LeftOuter, {EQUAL}"


def path(
    *texts: str, table: str = "facts", turn: int = 0, coarse: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The climb; `joins` says which operators were turned."""
    nodes = tree(DBT, question("k#5", *texts))
    found: dict[str, Any] = DBT("_covered_path", nodes, leaf(nodes, table, turn), coarse)
    found["joins"] = [nodes[index]["text"] for index in found["turned"]]
    return found


def covered(*texts: str, table: str = "facts") -> Any:
    """The ids of the columns, or the reason."""
    found = path(*texts, table=table)
    sure = found["sure"]
    return found["reason"] or (None if sure is None else set(sure))


NOT = "OPERATOR_NOT_INCREMENTAL: "
BEYOND = " over the optional side of a join"


def test_all_columns_while_it_is_linear() -> None:
    for texts in [(FACTS,), ("Filter (k#2 > 1)", FACTS), (node("Join Inner, x", FACTS, DIMS),)]:
        assert path(*texts)["sure"] is None and path(*texts)["joins"] == []
    assert path(node(LEFT, DIMS, FACTS), table="dims")["sure"] is None


def test_the_columns_of_the_preserved_side() -> None:
    found = path(node(LEFT, DIMS, FACTS))
    assert (found["sure"], found["joins"]) == (["5", "6"], [f"LeftOuter, {EQUAL}"])
    assert covered(node(f"Join RightOuter, {EQUAL}", FACTS, DIMS)) == {"5", "6"}


def test_what_is_computed_from_them() -> None:
    items = "Project [k#5, upper(name#6) AS u#20, concat(name#6, s#4) AS c#21, 1 AS one#22, s#4]"
    assert covered(items, node(LEFT, DIMS, FACTS)) == {"5", "6", "20", "22"}


def test_filters() -> None:
    join = node(LEFT, DIMS, FACTS)
    assert covered("Filter (name#6 = x)", join) == {"5", "6"}
    for condition in ("isnull(id#1L)", "((k#5 > 1) OR (amt#3 > 2))", "exists#9 [k#5]"):
        assert covered(f"Filter {condition}", join) == NOT + "Filter" + BEYOND
    below = node(LEFT, DIMS, node("Filter isnull(id#1L)", FACTS))
    assert covered(below) == {"5", "6"}, "below the join it is a part of the optional side"


def test_groups() -> None:
    items = (
        "Aggregate [k#5, upper(name#6), s#4], [k#5, upper(name#6) AS u#20, s#4, count(1) AS n#21L]"
    )
    assert covered(items, node(LEFT, DIMS, FACTS)) == {"5", "20"}
    having = covered("Filter (n#21L > 1)", items, node(LEFT, DIMS, FACTS))
    assert having == NOT + "Filter" + BEYOND


def test_the_top_group() -> None:
    items = "Aggregate [k#5], [k#5, count(1) AS n#21L]"
    plan = ("Sort [k#5 ASC]", "Project [k#5]", items, node(LEFT, DIMS, FACTS))
    nodes = tree(DBT, question("k#5", *plan))
    assert path(*plan)["core"] == find(nodes, "Aggregate")
    for above in ("Filter (k#5 > 1)", RANKED):
        assert path(above, *plan)["core"] is None
    assert path(node("Join Inner", node(items, node(LEFT, DIMS, FACTS)), MORE))["core"] is None


def test_groups_on_the_optional_side() -> None:
    """Only what they are grouped by may be looked at."""
    assert covered(node(LEFT, DIMS, node(GROUPED, FACTS))) == {"5", "6"}
    by_value = node("Join LeftOuter, ((k#2 = k#5) AND (n#10L > 2))", DIMS, node(GROUPED, FACTS))
    assert covered(by_value) == NOT + "Join LeftOuter" + BEYOND
    assert path(by_value)["joins"] == []


def test_windows() -> None:
    join = node(LEFT, DIMS, FACTS)
    window = "Window [row_number() windowspecdefinition(x) AS rn#12], [k#5, s#4], [id#1L ASC]"
    assert covered(window, join) == {"5"}
    assert covered("Filter (rn#12 = 1)", "Project [k#5, rn#12]", window, join) == {"5"}
    assert covered("Filter (rn#12 = 2)", window, join) == NOT + "Filter" + BEYOND
    twice = covered("Filter (rn#12 = 1)", "Filter (rn#12 <= 3)", window, join)
    assert twice == NOT + "Filter" + BEYOND
    other = window.replace("rn#12", "rn#14").replace("s#4", "name#6")
    both = covered("Filter (rn#14 = 1)", "Filter (rn#12 = 1)", other, window, join)
    assert both == NOT + "Filter" + BEYOND, "no row may be the first of both"
    chosen = ("Filter (rn#14 = 1)", other, "Filter (rn#12 = 1)", window)
    assert covered(*chosen, join) == {"5"}, "one of the first is the first"
    between = covered("Filter (rn#12 = 1)", node("Join Inner", node(window, join), MORE))
    assert between == NOT + "Filter" + BEYOND


def test_first_ranks_on_the_optional_side() -> None:
    assert covered(node(LEFT, DIMS, node("Filter (rn#12 = 1)", node(RANKED, FACTS)))) == {"5", "6"}
    on_rank = node("Join LeftOuter, ((k#2 = k#5) AND (rn#12 = 1))", DIMS, node(RANKED, FACTS))
    assert covered(on_rank) == {"5", "6"}
    assert covered(on_rank.replace("= 1))", "= 2))")) == NOT + "Join LeftOuter" + BEYOND
    filtered = node("Filter (rn#12 <= 3)", node(RANKED, FACTS))
    again = covered(node("Join LeftOuter, ((k#2 = k#5) AND (rn#12 = 1))", DIMS, filtered))
    assert again == NOT + "Join LeftOuter" + BEYOND


def test_a_cte_has_new_ids() -> None:
    define = node("CTERelationDef 0, false", node("Project [k#5, s#4]", node(LEFT, DIMS, FACTS)))
    ref = "CTERelationRef 0, true, [k#30, s#31], false, false"
    plan = node("WithCTE", define, node("Project [k#30 AS key#32]", ref))
    assert covered(plan) == {"30", "32"}
    other = plan.replace("[k#30, s#31]", "[k#30, s#31, x#33]")
    assert covered(other) == set(), "which is which is not known"


def test_a_cte_that_the_plan_cuts() -> None:
    items = "Project [k#5, ... 2 more fields]"
    define = node("CTERelationDef 0, false", node(items, node(LEFT, DIMS, FACTS)))
    ref = "CTERelationRef 0, true, [k#30, ... 2 more fields], false, false"
    assert covered(node("WithCTE", define, node("Project [k#30 AS key#32]", ref))) == {"30", "32"}


def test_a_cte_on_the_optional_side() -> None:
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#30, n#31L, total#32], false, false"
    plan = node("WithCTE", define, node("Join LeftOuter, (k#30 = k#5)", DIMS, ref))
    assert covered(plan) == {"5", "6"}
    assert covered(plan.replace("(k#30", "(n#31L")) == NOT + "Join LeftOuter" + BEYOND


def test_unions_and_exploded_rows_below() -> None:
    union = node("Union false, false", FACTS, MORE)
    found = path(node(LEFT, DIMS, union))
    assert list(found["unions"].values()) == [0] and found["sure"] == ["5", "6"]
    exploded = "Generate explode(a#9), false, [x#10]"
    assert covered(node(LEFT, DIMS, node(exploded, FACTS))) == {"5", "6"}
    assert covered(exploded, node(LEFT, DIMS, FACTS)) == NOT + "Generate"


def test_a_union_above() -> None:
    """The columns of the first branch are those of the result."""
    left = node("Project [name#6, k#5, amt#3]", node(LEFT, DIMS, FACTS))
    other = "Project [note#8, k#7, k#7 AS n#20]"
    assert covered(node("Union false, false", left, node(other, MORE))) == {"6", "5"}
    found = path(node("Union false, false", node(other, MORE), left))
    assert set(found["sure"]) == {"8", "7"} and list(found["unions"].values()) == [1]
    fewer = node("Project [note#8, ... 2 more fields]", MORE)
    assert covered(node("Union false, false", fewer, left)) == set()
    twice = node("Project [k#7, k#7, k#7]", MORE)
    assert covered(node("Union false, false", twice, left)) == set()


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("GlobalLimit 5", node(LEFT, DIMS, FACTS)), NOT + "Limit"),
        ((node(LEFT, DIMS, node("GlobalLimit 5", FACTS)),), NOT + "Limit"),
        ((node("Join FullOuter", DIMS, FACTS),), NOT + "Join FullOuter"),
        ((node("Join LeftSemi, x", DIMS, FACTS),), NOT + "Join LeftSemi"),
        ((node("Join LeftAnti, x", DIMS, FACTS),), NOT + "Join LeftAnti"),
        (("SomeNewOperator", FACTS), NOT + "SomeNewOperator"),
        ((node("Filter exists#9 [k#5]", DIMS, inner=(FACTS,)),), "SUBQUERY_NOT_INCREMENTAL"),
    ],
)
def test_refused(texts: tuple[str, ...], reason: str) -> None:
    assert covered(*texts) == reason


def test_conditions_that_the_plan_cuts() -> None:
    join = node(LEFT, DIMS, FACTS)
    condition = "Filter coalesce(k#5, ... 30 more fields)"
    assert covered(condition, join) == NOT + "Filter" + BEYOND
    items = "Project [coalesce(k#5, ... 30 more fields) AS c#20, k#5 AS d#21, ... 9 more fields]"
    assert covered(items, join) == {"5", "6", "21"}
    groups = "Aggregate [f(k#5, ... 3 more fields)], [f(k#5, ... 3 more fields) AS c#20]"
    assert covered(groups, join) == set()


@pytest.mark.parametrize("over", [GROUPED, RANKED, "Distinct"])
def test_values_that_are_alike(over: str) -> None:
    """0.0 and -0.0 are one group and two texts; below it they are what they are."""
    text = "Project [cast(k#2 as string) AS t#20, k#2]"
    assert {"2", "20"} <= set(path(text, over, FACTS)["sure"] or ["2", "20"])
    assert path(text, over, FACTS, coarse=("2",))["sure"].count("20") == 0
    assert "2" in path(text, over, FACTS, coarse=("2",))["sure"]
    below = path(over.replace("k#2", "t#20"), text, FACTS, coarse=("2",))["sure"]
    assert "20" in below
