"""Keys that show every change through the optional side of joins: the climb."""

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
    tables,
    tree,
)
from ..kit.records import as_reason, as_said

# What the changes of a table reach above the optional side of joins.


DBT = Dbt()
LEFT = f"Join LeftOuter, {EQUAL}"


def path(
    *texts: str, table: str = "facts", turn: int = 0, not_image_equal: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The climb; `joins` says which of them became inner joins."""
    nodes = tree(DBT, question("k#5", *texts))
    found: dict[str, Any] = DBT("_affected_path", nodes, leaf(nodes, table, turn), not_image_equal)
    found["joins"] = [nodes[index]["text"] for index in found["to_matches"]]
    return found


def affected_ids(*texts: str, table: str = "facts") -> Any:
    """The ids of the columns, or the reason."""
    found = path(*texts, table=table)
    key_ids = found["key_ids"]
    return found["reason"] or (None if key_ids is None else set(key_ids))


NOT = "OPERATOR_NOT_INCREMENTAL: "
BEYOND = " over the optional side of a join"


def test_all_columns_while_it_is_linear() -> None:
    for texts in [(FACTS,), ("Filter (k#2 > 1)", FACTS), (node("Join Inner, x", FACTS, DIMS),)]:
        assert path(*texts)["key_ids"] is None and path(*texts)["joins"] == []
    assert path(node(LEFT, DIMS, FACTS), table="dims")["key_ids"] is None


def test_the_columns_of_the_preserved_side() -> None:
    found = path(node(LEFT, DIMS, FACTS))
    assert (found["key_ids"], found["joins"]) == (["5", "6"], [f"LeftOuter, {EQUAL}"])
    assert affected_ids(node(f"Join RightOuter, {EQUAL}", FACTS, DIMS)) == {"5", "6"}


def test_what_is_computed_from_them() -> None:
    items = "Project [k#5, upper(name#6) AS u#20, concat(name#6, s#4) AS c#21, 1 AS one#22, s#4]"
    assert affected_ids(items, node(LEFT, DIMS, FACTS)) == {"5", "6", "20", "22"}


def test_filters() -> None:
    join = node(LEFT, DIMS, FACTS)
    assert affected_ids("Filter (name#6 = x)", join) == {"5", "6"}
    assert affected_ids(node("Filter exists#9 [k#5]", join, inner=(MORE,))) == {"5", "6"}
    for condition in ("isnull(id#1L)", "((k#5 > 1) OR (amt#3 > 2))", "exists#9 [k#5 && id#1L]"):
        assert affected_ids(f"Filter {condition}", join) == NOT + "Filter" + BEYOND
    below = node(LEFT, DIMS, node("Filter isnull(id#1L)", FACTS))
    assert affected_ids(below) == {"5", "6"}, "below the join it is a part of the optional side"


def test_groups() -> None:
    items = (
        "Aggregate [k#5, upper(name#6), s#4], [k#5, upper(name#6) AS u#20, s#4, count(1) AS n#21L]"
    )
    assert affected_ids(items, node(LEFT, DIMS, FACTS)) == {"5", "20"}
    having = affected_ids("Filter (n#21L > 1)", items, node(LEFT, DIMS, FACTS))
    assert having == NOT + "Filter" + BEYOND


def test_the_top_group() -> None:
    items = "Aggregate [k#5], [k#5, count(1) AS n#21L]"
    plan = ("Sort [k#5 ASC]", "Project [k#5]", items, node(LEFT, DIMS, FACTS))
    nodes = tree(DBT, question("k#5", *plan))
    assert path(*plan)["boundary"] == find(nodes, "Aggregate")
    for above in ("Filter (k#5 > 1)", RANKED):
        assert path(above, *plan)["boundary"] is None
    assert path(node("Join Inner", node(items, node(LEFT, DIMS, FACTS)), MORE))["boundary"] is None


def test_groups_on_the_optional_side() -> None:
    """Only what they are grouped by may be looked at."""
    assert affected_ids(node(LEFT, DIMS, node(GROUPED, FACTS))) == {"5", "6"}
    by_value = node("Join LeftOuter, ((k#2 = k#5) AND (n#10L > 2))", DIMS, node(GROUPED, FACTS))
    assert affected_ids(by_value) == NOT + "Join LeftOuter" + BEYOND
    assert path(by_value)["joins"] == []


def test_windows() -> None:
    join = node(LEFT, DIMS, FACTS)
    window = "Window [row_number() windowspecdefinition(x) AS rn#12], [k#5, s#4], [id#1L ASC]"
    assert affected_ids(window, join) == {"5"}
    assert affected_ids("Filter (rn#12 = 1)", "Project [k#5, rn#12]", window, join) == {"5"}
    assert affected_ids("Filter (rn#12 = 2)", window, join) == NOT + "Filter" + BEYOND
    twice = affected_ids("Filter (rn#12 = 1)", "Filter (rn#12 <= 3)", window, join)
    assert twice == NOT + "Filter" + BEYOND
    other = window.replace("rn#12", "rn#14").replace("s#4", "name#6")
    both = affected_ids("Filter (rn#14 = 1)", "Filter (rn#12 = 1)", other, window, join)
    assert both == NOT + "Filter" + BEYOND, "no row may be the first of both"
    chosen = ("Filter (rn#14 = 1)", other, "Filter (rn#12 = 1)", window)
    assert affected_ids(*chosen, join) == {"5"}, "one of the first is the first"
    between = affected_ids("Filter (rn#12 = 1)", node("Join Inner", node(window, join), MORE))
    assert between == NOT + "Filter" + BEYOND


def test_first_ranks_on_the_optional_side() -> None:
    assert affected_ids(node(LEFT, DIMS, node("Filter (rn#12 = 1)", node(RANKED, FACTS)))) == {
        "5",
        "6",
    }
    on_rank = node("Join LeftOuter, ((k#2 = k#5) AND (rn#12 = 1))", DIMS, node(RANKED, FACTS))
    assert affected_ids(on_rank) == {"5", "6"}
    assert affected_ids(on_rank.replace("= 1))", "= 2))")) == NOT + "Join LeftOuter" + BEYOND
    filtered = node("Filter (rn#12 <= 3)", node(RANKED, FACTS))
    again = affected_ids(node("Join LeftOuter, ((k#2 = k#5) AND (rn#12 = 1))", DIMS, filtered))
    assert again == NOT + "Join LeftOuter" + BEYOND


def test_a_cte_has_new_ids() -> None:
    define = node("CTERelationDef 0, false", node("Project [k#5, s#4]", node(LEFT, DIMS, FACTS)))
    ref = "CTERelationRef 0, true, [k#30, s#31], false, false"
    plan = node("WithCTE", define, node("Project [k#30 AS key#32]", ref))
    assert affected_ids(plan) == {"30", "32"}
    other = plan.replace("[k#30, s#31]", "[k#30, s#31, x#33]")
    assert affected_ids(other) == set(), "which is which is not known"


def test_a_cte_that_the_plan_cuts() -> None:
    items = "Project [k#5, ... 2 more fields]"
    define = node("CTERelationDef 0, false", node(items, node(LEFT, DIMS, FACTS)))
    ref = "CTERelationRef 0, true, [k#30, ... 2 more fields], false, false"
    assert affected_ids(node("WithCTE", define, node("Project [k#30 AS key#32]", ref))) == {
        "30",
        "32",
    }


def test_a_cte_on_the_optional_side() -> None:
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#30, n#31L, total#32], false, false"
    plan = node("WithCTE", define, node("Join LeftOuter, (k#30 = k#5)", DIMS, ref))
    assert affected_ids(plan) == {"5", "6"}
    assert affected_ids(plan.replace("(k#30", "(n#31L")) == NOT + "Join LeftOuter" + BEYOND


def test_unions_and_exploded_rows_below() -> None:
    union = node("Union false, false", FACTS, MORE)
    found = path(node(LEFT, DIMS, union))
    assert list(found["unions"].values()) == [0] and found["key_ids"] == ["5", "6"]
    exploded = "Generate explode(a#9), false, [x#10]"
    assert affected_ids(node(LEFT, DIMS, node(exploded, FACTS))) == {"5", "6"}
    assert affected_ids(exploded, node(LEFT, DIMS, FACTS)) == NOT + "Generate"


def test_a_union_above() -> None:
    """The columns of the first branch are those of the result."""
    left = node("Project [name#6, k#5, amt#3]", node(LEFT, DIMS, FACTS))
    other = "Project [note#8, k#7, k#7 AS n#20]"
    assert affected_ids(node("Union false, false", left, node(other, MORE))) == {"6", "5"}
    found = path(node("Union false, false", node(other, MORE), left))
    assert set(found["key_ids"]) == {"8", "7"} and list(found["unions"].values()) == [1]
    fewer = node("Project [note#8, ... 2 more fields]", MORE)
    assert affected_ids(node("Union false, false", fewer, left)) == set()
    twice = node("Project [k#7, k#7, k#7]", MORE)
    assert affected_ids(node("Union false, false", twice, left)) == set()


SUBQUERY, LIMIT = "SUBQUERY_NOT_INCREMENTAL", "Limit"


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("GlobalLimit 5", node(LEFT, DIMS, FACTS)), NOT + "Limit"),
        ((node(LEFT, DIMS, node("GlobalLimit 5", FACTS)),), NOT + "Limit"),
        (
            (node("Join FullOuter", DIMS, FACTS),),
            NOT + "Join FullOuter that compares no columns with affected keys",
        ),
        ((node("Join ExistenceJoin(x), x", DIMS, FACTS),), NOT + "Join ExistenceJoin(x)"),
        (("SomeNewOperator", FACTS), NOT + "SomeNewOperator"),
        ((node("Filter (k#5 > scalar-subquery#9 [])", DIMS, inner=(FACTS,)),), SUBQUERY),
        ((node("Project [exists#9 [k#5] AS x#10]", DIMS, inner=(FACTS,)),), SUBQUERY),
        (
            (node("Filter exists#9 [k#5]", DIMS, inner=(node("GlobalLimit 5", FACTS),)),),
            NOT + LIMIT,
        ),
    ],
)
def test_refused(texts: tuple[str, ...], reason: str) -> None:
    assert affected_ids(*texts) == reason


def test_conditions_that_the_plan_cuts() -> None:
    join = node(LEFT, DIMS, FACTS)
    condition = "Filter coalesce(k#5, ... 30 more fields)"
    assert affected_ids(condition, join) == NOT + "Filter" + BEYOND
    items = "Project [coalesce(k#5, ... 30 more fields) AS c#20, k#5 AS d#21, ... 9 more fields]"
    assert affected_ids(items, join) == {"5", "6", "21"}
    groups = "Aggregate [f(k#5, ... 3 more fields)], [f(k#5, ... 3 more fields) AS c#20]"
    assert affected_ids(groups, join) == set()


@pytest.mark.parametrize("over", [GROUPED, RANKED, "Distinct"])
def test_values_that_are_alike(over: str) -> None:
    """0.0 and -0.0 are one group and two texts; below it they are what they are."""
    text = "Project [cast(k#2 as string) AS t#20, k#2]"
    assert {"2", "20"} <= set(path(text, over, FACTS)["key_ids"] or ["2", "20"])
    assert path(text, over, FACTS, not_image_equal=("2",))["key_ids"].count("20") == 0
    assert "2" in path(text, over, FACTS, not_image_equal=("2",))["key_ids"]
    below = path(over.replace("k#2", "t#20"), text, FACTS, not_image_equal=("2",))["key_ids"]
    assert "20" in below


# A join of the climb, by its kind, its side and its condition.


ROWS_BEYOND = "OPERATOR_NOT_INCREMENTAL: Join {} over the optional side of a join"
KNOWN, UNKNOWN = "(k#2 = k#5)", "(s#4 = name#6)"


def step(
    kind: str,
    condition: str,
    *,
    left: bool,
    key_ids: Any = ("1", "2"),
    equal_only: tuple[str, ...] = (),
) -> dict[str, Any]:
    """A join with the facts, which change, on the left or on the right."""
    sides = (FACTS, DIMS) if left else (DIMS, FACTS)
    nodes = tree(DBT, node(f"Join {kind}, {condition}", *sides))
    before = {
        "key_ids": key_ids and list(key_ids),
        "to_matches": [],
        "ranks": ["7"],
        "equal_only": equal_only,
    }
    found: dict[str, Any] = DBT("_affected_join", nodes, before, leaf(nodes, "facts"), 0)
    return found


def kept(key_ids: Any, **more: Any) -> dict[str, Any]:
    return {"boundary": None, "ranks": [], "key_ids": key_ids, **more}


BOTH = ["1", "2", "5", "6"]
MATCHED = kept(["5", "6"], to_matches=[0], equal_only=[], matched=True)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("kind", ["Inner", "Cross"])
def test_inner_joins(kind: str, left: bool) -> None:
    assert step(kind, KNOWN, left=left) == kept(BOTH)
    assert step(kind, KNOWN, left=left, key_ids=None) == kept(None)
    assert step(kind, UNKNOWN, left=left, key_ids=None) == kept(None)
    assert step(kind, UNKNOWN, left=left) == {"reason": ROWS_BEYOND.format(kind)}


@pytest.mark.parametrize(("kind", "left"), [("LeftOuter", True), ("RightOuter", False)])
def test_the_preserved_side(kind: str, left: bool) -> None:
    """A condition over other columns drops no row: what it adds is not known by affected keys."""
    assert step(kind, KNOWN, left=left) == kept(BOTH)
    assert step(kind, UNKNOWN, left=left) == kept(["1", "2"])
    assert step(kind, UNKNOWN, left=left, key_ids=None) == kept(None)


@pytest.mark.parametrize(("kind", "left"), [("LeftOuter", False), ("RightOuter", True)])
def test_the_optional_side(kind: str, left: bool) -> None:
    for key_ids in (None, ("1", "2")):
        assert step(kind, KNOWN, left=left, key_ids=key_ids) == MATCHED
    assert step(kind, UNKNOWN, left=left, key_ids=None) == MATCHED
    assert step(kind, UNKNOWN, left=left) == {"reason": ROWS_BEYOND.format(kind)}


@pytest.mark.parametrize(
    ("condition", "fine"),
    [
        (f"({KNOWN} AND (rn#7 = 1))", True),
        (f"({KNOWN} AND (rn#7 <= 3))", True),
        (f"({KNOWN} AND (rn#7 = 2))", False),
        (f"({KNOWN} AND (rn#8 = 1))", False),
        (f"({UNKNOWN} AND (rn#7 = 1))", False),
        (f"({KNOWN} OR (rn#7 = 1))", False),
        (f"({KNOWN} OR ({KNOWN} AND (rn#7 = 1)))", False),
        (f"NOT ({KNOWN} AND (rn#7 = 1))", False),
    ],
)
def test_first_ranks_in_the_condition(condition: str, fine: bool) -> None:
    found = step("LeftOuter", condition, left=False)
    if fine:
        assert found == MATCHED
        assert step("Inner", condition, left=False) == kept(BOTH)
    else:
        assert found == {"reason": ROWS_BEYOND.format("LeftOuter")}
    assert step("LeftOuter", condition, left=True) == kept(["1", "2"]), "it drops no row"
    assert step("LeftAnti", condition, left=True)["reason"], "it keeps those of later ranks"


@pytest.mark.parametrize("kind", ["LeftSemi", "LeftAnti"])
def test_joins_that_filter(kind: str) -> None:
    assert step(kind, KNOWN, left=True) == {"boundary": None, "ranks": []}
    assert step(kind, UNKNOWN, left=True) == {"reason": ROWS_BEYOND.format(kind)}


@pytest.mark.parametrize("kind", ["LeftSemi", "LeftAnti"])
def test_where_joins_that_filter_look_for_matches(kind: str) -> None:
    """The rows of the other side that match show their own columns."""
    matched = {**MATCHED, "to_matches": [0] if kind == "LeftAnti" else []}
    for key_ids in (None, ("1", "2")):
        assert step(kind, KNOWN, left=False, key_ids=key_ids) == matched
    assert step(kind, f"({KNOWN} AND (rn#7 = 1))", left=False) == matched
    assert step(kind, UNKNOWN, left=False) == {"reason": ROWS_BEYOND.format(kind)}


def asked(condition: str, *texts: str, above: tuple[str, ...] = ()) -> Any:
    """What carries keys above a filter of the dims that asks a subquery of the facts."""
    subquery = chain(*texts, FACTS)
    found = path(*above, node(f"Filter {condition}", DIMS, inner=(subquery,)))
    return found["reason"] or (found["key_ids"], len(found["to_matches"]), found["matched"])


ONE = "Project [1 AS 1#30]"
OF_K = "Filter (k#2 = outer(k#5))"
GROUPS = "Aggregate [k#2], [k#2, count(1) AS n#10L]"
AS_ROWS, ABSENT = (["5", "6"], 0, True), (["5", "6"], 1, True)


def test_subqueries_that_are_asked() -> None:
    assert asked("exists#9 [k#5]", ONE, OF_K) == AS_ROWS
    assert asked("((name#6 = x) AND exists#9 [k#5])", ONE, OF_K) == AS_ROWS
    assert asked("NOT exists#9 [k#5]", ONE, OF_K) == ABSENT
    assert asked("k#5 IN (list#9 [])", "Project [k#2]") == AS_ROWS
    assert asked("k#5 IN (list#9 [name#6])", "Project [k#2]", "Filter (s#4 = outer(name#6))") == (
        AS_ROWS
    )
    assert asked("((1000000 = 1000000) OR NOT exists#9 [k#5])", ONE, OF_K) == ABSENT
    assert asked("exists#9 [k#5]", ONE, OF_K, above=("Project [name#6]",)) == AS_ROWS


def test_subqueries_of_groups() -> None:
    """What they are asked for has to carry keys; what they are given may be anything."""
    assert asked("exists#9 [k#5]", ONE, OF_K, GROUPS) == AS_ROWS
    assert asked("exists#9 [k#5]", ONE, "Filter (n#10L = outer(k#5))", GROUPS) == (
        NOT + "Filter" + BEYOND
    )
    assert asked("k#5 IN (list#9 [])", "Project [k#2]", GROUPS) == AS_ROWS
    assert asked("k#5 IN (list#9 [])", "Project [n#10L]", GROUPS) == SUBQUERY
    assert asked("named_struct(k, k#5) IN (list#9 [])", "Project [k#2, n#10L]", GROUPS) == SUBQUERY


def test_not_in_asks_for_what_is_never_null() -> None:
    left, right = "(isnotnull(k#5) AND NOT k#5 IN (list#9 []))", "Filter isnotnull(k#2)"
    reason = SUBQUERY + ": NOT IN over columns that may be NULL"
    assert asked(left, "Project [k#2]", right) == ABSENT
    assert asked(left, "Project [k#2]", "Filter (isnotnull(k#2) AND (amt#3 > 1))") == ABSENT
    assert asked(left, "Project [k#2]", "Filter (isnotnull(k#2) OR (amt#3 > 1))") == reason
    assert asked(left, "Project [k#2]", "Filter isnotnull(s#4)") == reason
    assert asked(left, "Project [(k#2 / 0) AS k#22]", right) == reason
    assert asked(left, "Project [k#2]") == reason
    assert asked("NOT k#5 IN (list#9 [])", "Project [k#2]", right) == reason
    wide = "(isnotnull(k#5) AND NOT named_struct(k, k#5, n, name#6) IN (list#9 []))"
    assert asked(wide, "Project [k#2, s#4]", right) == reason


def test_columns_that_a_subquery_shares_are_not_known() -> None:
    subquery = chain(ONE, "Filter (k#5 = outer(k#5))", node("Join Inner, x", FACTS, DIMS))
    found = path(node("Filter exists#9 [k#5]", DIMS, inner=(subquery,)))
    assert (found["reason"], found["key_ids"]) == (None, [])


@pytest.mark.parametrize("kind", ["ExistenceJoin(exists#9)", "AsOf"])
def test_other_joins(kind: str) -> None:
    for left in (True, False):
        for key_ids in (None, ("1", "2")):
            found = step(kind, KNOWN, left=left, key_ids=key_ids)
            assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: Join {kind}"}


def test_the_columns_beside() -> None:
    """All that the other side names, but nothing that this side does."""
    inner = node("Join Inner, (k#2 = k#5)", node("Project [id#1L, k#2]", FACTS), DIMS)
    nodes = tree(DBT, node("Join LeftOuter, x", inner, node("Filter (k#7 > k#2)", MORE)))
    assert DBT("_other_side_ids", nodes, find(nodes, "Filter")) == ["5", "1", "6", "3", "4"] or set(
        DBT("_other_side_ids", nodes, find(nodes, "Filter"))
    ) == {"1", "3", "4", "5", "6"}
    assert set(DBT("_other_side_ids", nodes, find(nodes, "Join", 1))) == {"7", "8"}


def test_a_subquery_of_the_condition_is_no_side() -> None:
    plan = node("Join LeftOuter, exists#9 [k#5]", DIMS, FACTS, inner=(MORE,))
    nodes = tree(DBT, plan)
    assert set(DBT("_other_side_ids", nodes, leaf(nodes, "facts"))) == {"5", "6"}


def test_ids_below_end_with_the_subtree() -> None:
    nodes = tree(DBT, node("Join Inner", node("Filter (id#1L > 3)", FACTS), DIMS))
    assert DBT("_ids_below", nodes, 1) == ["1", "2", "3", "4"]
    assert DBT("_ids_below", nodes, 3) == ["5", "6"]


def test_covered_join_values_that_are_alike() -> None:
    """They find what they are equal to, and nothing else."""
    for key_ids in (None, ("1", "2")):
        for condition in (KNOWN, "(k#5 <=> k#2)"):
            assert "reason" not in step(
                "Inner", condition, left=True, key_ids=key_ids, equal_only=("2",)
            )
        for condition in ("(cast(k#2 as string) = name#6)", "(k#2 <= k#5)", "(k#2 = (k#5 + 1))"):
            found = step("Inner", condition, left=True, key_ids=key_ids, equal_only=("2",))
            assert found["reason"] == ROWS_BEYOND.format("Inner"), condition
    assert step("LeftOuter", KNOWN, left=False, equal_only=("2",))["equal_only"] == []


# Single operators of the climb.


def climbed(name: str, text: str, key_ids: Any, **path: Any) -> dict[str, Any]:
    (one,) = tree(DBT, text)
    before = {"key_ids": key_ids, "ranks": [], "equal_only": [], **path}
    found: dict[str, Any] = DBT(f"_affected_{name}", one, before)
    return found


GROUPS = "Aggregate [k#2, (id#1L + k#2)], [k#2, (id#1L + k#2) AS g#9L, max(k#2) AS m#10]"


def test_covered_steps_groups() -> None:
    assert climbed("groups", GROUPS, None)["key_ids"] == ["2", "9"]
    assert climbed("groups", GROUPS, ["2"])["key_ids"] == ["2"]
    assert climbed("groups", GROUPS, ["1"])["key_ids"] == []
    assert climbed("groups", "Aggregate [max(k#2) AS m#10]", None)["key_ids"] == [], (
        "one group of all"
    )


def test_covered_steps_windows() -> None:
    assert climbed("window", RANKED, None) == {"key_ids": ["2"], "ranks": ["12"], "boundary": None}
    assert climbed("window", RANKED, ["1", "3"])["key_ids"] == []
    overall = "Window [sum(amt#3) windowspecdefinition(x) AS t#13], [id#1L ASC NULLS FIRST]"
    assert climbed("window", overall, None) == {"key_ids": [], "ranks": [], "boundary": None}


@pytest.mark.parametrize("key_ids", [None, ["2"]])
def test_covered_steps_filters(key_ids: Any) -> None:
    assert climbed("filter", "Filter (k#2 > 3)", key_ids) == {"boundary": None}
    assert ("reason" in climbed("filter", "Filter (k#3 > 3)", key_ids)) is (key_ids is not None)


def test_one_filter_of_first_ranks() -> None:
    text = "Filter (rn#12 <= 3)"
    assert climbed("filter", text, [], ranks=["12", "13"]) == {"boundary": None, "ranks": []}
    assert "reason" in climbed("filter", text, [], ranks=["13"])
    assert "reason" in climbed("filter", "Filter (rn#12 > 3)", [], ranks=["12"])


def test_items() -> None:
    text = "Project [k#2, k#2 AS a#20, s#4 AS b#21, (k#2 + 1) AS c#22]"
    assert climbed("items", text, ["2"]) == {"key_ids": ["2", "20", "22"]}
    assert climbed("items", text, None) == {}


def test_covered_steps_values_that_are_alike() -> None:
    """They are passed on as they are; what is made of them may be another one for each."""
    text = "Project [k#2, k#2 AS a#20, (k#2 + 1) AS c#22, (k#2 = s#4) AS d#23]"
    assert climbed("items", text, ["2", "4"], equal_only=["2"])["key_ids"] == ["2", "4", "20", "23"]
    for key_ids in (None, ["1", "2"]):
        assert climbed("groups", GROUPS, key_ids, equal_only=["2"])["key_ids"] == ["2"]
        assert "reason" in climbed("filter", "Filter (k#2 > 3)", key_ids, equal_only=["2"])
        assert climbed("filter", "Filter (k#2 <=> id#1L)", key_ids, equal_only=["2"]) == {
            "boundary": None
        }


def test_distinct() -> None:
    nodes = tree(DBT, node("Distinct", node("Project [k#2, s#4 AS b#21]", DIMS)))
    before = {"key_ids": None, "equal_only": [], "not_image_equal": []}
    assert DBT("_affected_distinct", nodes, before, 0) == {}
    before["not_image_equal"] = ["2"]
    assert DBT("_affected_distinct", nodes, before, 0) == {
        "key_ids": ["2", "21"],
        "equal_only": ["2"],
    }
    before["key_ids"] = ["21"]
    assert DBT("_affected_distinct", nodes, before, 0)["key_ids"] == ["21"]


def reference(key_ids: Any, plan: str, ref: str = "k#30, n#31L") -> Any:
    nodes = tree(DBT, node("WithCTE", node("CTERelationDef 0, false", plan), f"{REF}[{ref}]"))
    path = {"key_ids": key_ids, "ranks": ["6"]}
    return DBT("_affected_reference", nodes, path, 1, len(nodes) - 1)


REF = "CTERelationRef 0, true, "


def test_references() -> None:
    assert reference(["5"], DIMS) == {"key_ids": ["30"], "ranks": ["31"]}
    assert reference(None, DIMS) == {}
    cut = DIMS.replace("name#6", "... 4 more fields")
    assert reference(["5"], cut, "k#30, ... 4 more fields") == {"key_ids": ["30"], "ranks": []}


def test_references_that_are_not_understood() -> None:
    unknown = {"key_ids": [], "ranks": []}
    assert reference(["5"], DIMS, "k#30") == unknown
    assert reference(["5"], DIMS, "k#30, n#31, m#32") == unknown
    wide = node("Join Inner", "Relation c.s.w[a#5, ... 9 more fields] parquet", DIMS)
    assert reference(["5"], wide, "a#30, b#31, c#32, d#33") == unknown
    inner = node("WithCTE", node("CTERelationDef 1, false", DIMS), DIMS)
    assert reference(["5"], inner) == unknown


def test_labels_with_commas() -> None:
    """Printed without their quotes: what follows the comma is no constant."""
    label = "CASE WHEN (count(1) > 2) THEN many, really ELSE few END AS label#20"
    assert climbed("groups", f"Aggregate [k#2], [k#2, {label}]", None)["key_ids"] == ["2"]
    label = "CASE WHEN (t#13 > 2) THEN big, very ELSE small END AS label#20"
    assert climbed("items", f"Project [k#2, {label}]", ["2"])["key_ids"] == ["2"]
    by_label = "Aggregate [CASE WHEN (t#13 > 2) THEN many, really ELSE few END], [{}, count(1) AS"
    label = label.replace("big, very", "many, really").replace("small", "few")
    assert climbed("groups", by_label.format(label) + " n#21L]", ["2"])["key_ids"] == []
    assert climbed("groups", by_label.format(label) + " n#21L]", None)["key_ids"] == ["20"]


def test_a_literal_that_reads_like_a_count() -> None:
    items = "Aggregate [k#2, count(1)], [k#2, count(1) AS label#20, count(1) AS n#21L]"
    assert climbed("groups", items, None)["key_ids"] == ["2"]


# The optional side of outer joins, with the engine asked about the text with inner joins.


D, F, M = (f"spark_catalog.shop.{name}" for name in ("dims", "facts", "more"))
OPTIONAL = node("Join LeftOuter, (k#2 = k#5)", DIMS, FACTS)
SQL = "select d.k, f.s from shop.dims d left join shop.facts f on f.k = d.k"
LINEAR = NOT + "Join LeftOuter"


def delta_plan(
    plan: str, sql: str = SQL, *, inner_plan: str | None = None, k: str = "bigint", **more: Any
) -> Any:
    """What is found, and the texts that the engine was asked about."""
    dbt = Dbt()
    plan = question("k#5, s#4", plan)
    inner = question("k#5, s#4", inner_plan) if inner_plan else plan.replace("LeftOuter", "Inner")
    dbt.engine.explains("k: int, s: string", plan, inner, more.pop("relaxed", None))
    reads = {
        "plan": more.pop("seen", plan),
        "truncated": False,
        "text": sql,
        "bound_text": sql,
        "nested": dbt("_nests_ctes", dbt("_words", sql)),
        "occurrences": [name for name in (D, F, M) for _ in range(plan.count(f" {name}["))],
        "columns": tables(plan, k=k, s="string"),
        **more.pop("reads", {}),
    }
    reason = more.pop("reason", LINEAR)
    asked = {"reads": reads, "columns": columns("k int; s string")}
    found = dbt("_affected_keys", asked, [], more.pop("changed", [F]), as_refused(reason))
    assert not more
    return as_said(found), [one.sql for one in dbt.engine.log]


def as_refused(text: str) -> Any:
    """A reason why a query is not linear; of some of them it is known that keys may be found."""
    reason = as_reason(text)
    may = text.startswith((NOT + "the result lacks", NOT + "a filter over a window"))
    return {**(reason or {}), "also": ["keys_may_be_found"] if may else []}


def test_turned_joins_by_their_order_in_the_text() -> None:
    found, asked = delta_plan(OPTIONAL)
    assert (found["reason"], found["keys"], found["to_matches"]) == (None, ["k"], {f"{F} 0": [0]})
    assert "shop.dims d left join shop.facts f" in asked[0]
    assert "shop.dims d inner join shop.facts f" in asked[1]
    assert len(asked) == 2


def test_of_two_joins_the_one_that_was_climbed_through() -> None:
    sql = SQL + " left join shop.more m on m.k = d.k"
    plan = node("Join LeftOuter, (k#7 = k#5)", OPTIONAL, MORE)
    first = node("Join LeftOuter, (k#7 = k#5)", OPTIONAL.replace("LeftOuter", "Inner"), MORE)
    found, asked = delta_plan(plan, sql, inner_plan=first)
    assert (found["reason"], found["to_matches"]) == (None, {f"{F} 0": [0]})
    assert "d inner join shop.facts f on f.k = d.k left join shop.more" in asked[1]
    second = node("Join Inner, (k#7 = k#5)", OPTIONAL, MORE)
    found, asked = delta_plan(plan, sql, inner_plan=second, changed=[M])
    assert found["to_matches"] == {f"{M} 0": [1]} and found["keys"] == ["k", "s"]
    found, asked = delta_plan(plan, sql, inner_plan=second, changed=[F])
    assert found == {"reason": "SOURCE_NOT_BOUND: Join LeftOuter is not found in the text"}


def test_each_text_is_asked_about_once() -> None:
    plan = node("Join LeftOuter, (k#2 = k#5)", DIMS, node("Join Inner, (k#2 = k#7)", FACTS, MORE))
    sql = "select d.k, f.s from shop.dims d left join (shop.facts f join shop.more m on f.k = m.k)"
    found, asked = delta_plan(plan, sql, changed=[F, M])
    assert found["to_matches"] == {f"{F} 0": [0], f"{M} 0": [0]} and len(asked) == 2


def test_what_the_engine_makes_of_the_turned_text() -> None:
    found, _ = delta_plan(OPTIONAL, inner_plan=node("Join Inner, (k#2 = k#5)", FACTS, DIMS))
    assert found == {"reason": "SOURCE_NOT_BOUND: Join LeftOuter is not found in the text"}
    found, asked = delta_plan(OPTIONAL, SQL.replace("left join", "join"))
    assert found["reason"]["code"] == "SOURCE_NOT_BOUND" and len(asked) == 1


@pytest.mark.parametrize(
    ("reason", "plan"),
    [
        (
            NOT + "Join FullOuter that compares no columns with affected keys",
            node("Join FullOuter, x", DIMS, FACTS),
        ),
        (LINEAR, node("Join LeftOuter, x", DIMS, node("GlobalLimit 5", FACTS))),
        (NOT + "Limit", chain("GlobalLimit 5", OPTIONAL)),
        (NOT + "Filter over the optional side of a join", chain("Filter isnull(k#2)", OPTIONAL)),
    ],
)
def test_reasons(reason: str, plan: str) -> None:
    assert delta_plan(plan)[0] == {"reason": reason}


def test_a_plan_that_is_cut() -> None:
    """What it leaves out may be the reason."""
    filtered = chain("Filter (c40#99 > 2)", OPTIONAL)
    found, _ = delta_plan(filtered, reads={"truncated": True})
    assert (
        found["reason"] == NOT + "Filter over the optional side of a join (the plan is truncated)"
    )
    full = node("Join LeftOuter, x", DIMS, node("GlobalLimit 5", FACTS))
    assert delta_plan(full, reads={"truncated": True})[0] == {"reason": LINEAR}


def test_without_an_outer_join_nothing_is_asked() -> None:
    assert delta_plan(node("Join AsOf, x", DIMS, FACTS)) == ({"reason": LINEAR}, [])


@pytest.mark.parametrize("reason", ["SOURCE_NOT_BOUND: x", "INPUT_NOT_IN_DELTA: y"])
def test_other_reasons_stay(reason: str) -> None:
    assert delta_plan(OPTIONAL, reason=reason) == ({"reason": reason}, [])
    found, _ = delta_plan(OPTIONAL, reason="AGGREGATE_NOT_TOP_NODE: Join over Aggregate")
    assert found["keys"] == ["k"]


GROUPED_NODE = "Aggregate [k#2], [k#2, max(s#4) AS m#9]"
HAVING = "Filter ((1000001 = 1000001) OR (m#9 > x))"
BELOW = "Filter ((1000000 = 1000000) OR NOT (s#4 = y))"
GROUPS_SQL = (
    "select k, max(s) as s from shop.facts where s <> 'y' group by k having max(s) > 'x' and k > 1"
)
OVER = "AGGREGATE_NOT_TOP_NODE: Filter over Aggregate"
FILTERED = chain("Filter (m#9 > x)", GROUPED_NODE, FACTS)


def grouped(*above: str) -> str:
    """The plan of groups and what stands over them."""
    return question("k#2, s#10", "Project [k#2, m#9 AS s#10]", *above, GROUPED_NODE, BELOW, FACTS)


def test_over_groups() -> None:
    """One question, with all filters relaxed; in the terms the one over the groups is."""
    found, asked = delta_plan(
        FILTERED, GROUPS_SQL, reason=OVER, relaxed=grouped(HAVING), changed=[F]
    )
    assert (found["reason"], found["strategy"], found["keys"]) == (None, "affected keys", ["k"])
    assert (found["relaxed"], found["text"]) == ({f"{F} 0": [1]}, GROUPS_SQL)
    assert [one.split("step=")[1].split()[0] for one in asked] == ["explain"]
    assert "where 1000000 = 1000000 or s <> 'y' group by" in asked[0]
    assert "having 1000001 = 1000001 or max(s) > 'x' and k > 1" in asked[0]


@pytest.mark.parametrize(("k", "keys"), [("bigint", ["k"]), ("double", [])])
def test_what_is_made_of_a_group(k: str, keys: list[str]) -> None:
    """0.0 and -0.0 are one group and two texts."""
    text = "Project [cast(k#2 as string) AS k#21, m#9 AS s#10]"
    relaxed = question("k#21, s#10", text, HAVING, GROUPED_NODE, BELOW, FACTS)
    found, _ = delta_plan(FILTERED, GROUPS_SQL, k=k, reason=OVER, relaxed=relaxed)
    assert found.get("keys", []) == keys and (found["reason"] == OVER) is not bool(keys)


def test_the_text_as_it_is_where_no_filter_is_opened() -> None:
    found, _ = delta_plan(FILTERED, GROUPS_SQL, reason=OVER, relaxed=grouped("Filter (k#2 > 1)"))
    assert found["reason"] is None and "text" not in found


@pytest.mark.parametrize(
    "above",
    [
        "Filter (m#9 > x)",
        "Filter (((1000001 = 1000001) OR (m#9 > x)) AND (m#9 > z))",
        "Generate explode(array(m#9)), false, [x#11]",
    ],
)
def test_reasons_over_groups(above: str) -> None:
    """Of a filter, that no word of the text is it."""
    assert delta_plan(FILTERED, GROUPS_SQL, reason=OVER, relaxed=grouped(above))[0] == {
        "reason": OVER
    }


def test_filters_over_an_outer_join() -> None:
    sql = SQL + " where f.s is null"
    relaxed = question("k#5, s#4", "Filter ((1000000 = 1000000) OR isnull(s#4))", OPTIONAL)
    found, asked = delta_plan(chain("Filter isnull(s#4)", OPTIONAL), sql, relaxed=relaxed)
    assert (found["reason"], found["to_matches"]) == (None, {f"{F} 0": [0]})
    assert (found["relaxed"], found["text"]) == ({f"{F} 0": [0]}, sql)
    assert asked[1].count("inner join shop.facts f on f.k = d.k where 1000000 = 1000000 or") == 1


@pytest.mark.parametrize(
    ("reason", "asks"),
    [
        ("AGGREGATE_NOT_TOP_NODE", True),
        ("AGGREGATE_NOT_TOP_NODE: Join over Aggregate", True),
        (NOT + "a filter over a window", True),
        (NOT + "the result lacks the group key k", True),
        (NOT + "Limit", False),
        ("SUBQUERY_NOT_INCREMENTAL", False),
        ("WINDOW_WITHOUT_PARTITION_BY", False),
    ],
)
def test_what_may_be_covered_without_an_outer_join(reason: str, asks: bool) -> None:
    _, asked = delta_plan(grouped(), GROUPS_SQL, reason=reason)
    assert bool(asked) is asks


def test_a_table_that_the_plan_does_not_show() -> None:
    found, _ = delta_plan(OPTIONAL, reads={"occurrences": [D, F, F]})
    assert found == {"reason": f"SOURCE_NOT_BOUND: {F}"}


def test_the_users_own_text_goes_into_the_terms() -> None:
    """The engine is asked about the text in made names."""
    made = GROUPS_SQL.replace("'y'", "'mview_text0_'")
    asked = {"reason": OVER, "relaxed": grouped(HAVING)}
    found, texts = delta_plan(FILTERED, made, reads={"bound_text": GROUPS_SQL}, **asked)
    assert "or s <> 'mview_text0_' group by" in texts[0] and found["text"] == GROUPS_SQL


def test_a_number_of_the_users_own_text() -> None:
    """Its filters are not relaxed in the terms, so they are not in what is asked."""
    own = GROUPS_SQL.replace("'y'", "'no. 1000001'")
    found, texts = delta_plan(FILTERED, GROUPS_SQL, reads={"bound_text": own}, reason=OVER)
    assert found == {"reason": OVER} and "1000000 = 1000000" not in texts[0]


def test_a_plan_that_is_not_understood() -> None:
    odd = grouped(HAVING).replace("m#9 AS s#10", "m#9 AS s")
    found, _ = delta_plan(FILTERED, GROUPS_SQL, reason=OVER, relaxed=odd)
    assert found == {"reason": NOT + "a plan that is not understood"}


def test_a_cte_in_brackets_and_a_table_read_twice() -> None:
    """The plan may name the table in another order."""
    plan = node("Join LeftOuter, (k#7 = k#5)", OPTIONAL, FACTS.replace("#", "#1"))
    define = node("CTERelationDef 0, false", MORE)
    plan = node("WithCTE", define, plan)
    twice = "an outer join with a CTE and a table read twice"
    sql = f"{SQL} left join (with m as (select 1) select * from shop.facts) x on x.k = d.k"
    assert delta_plan(plan, sql)[0] == {"reason": NOT + twice}
    found, _ = delta_plan(plan, SQL + " left join shop.facts x on x.k = d.k", inner_plan=plan)
    assert found["reason"] != NOT + twice


def test_a_filter_over_a_table_read_twice() -> None:
    """As for joins: it would be relaxed for the other place."""
    both = node("Join Inner, (k#2 = k#12)", FACTS, FACTS.replace("#", "#1"))
    seen = chain("Filter (m#9 > x)", GROUPED_NODE, both)
    relaxed = question("k#2, s#10", "Project [k#2, m#9 AS s#10]", HAVING, GROUPED_NODE, both)
    sql = "select k, max(s) as s from shop.facts f join ({}) x using (k) group by k having 1 < 2"
    asked = {"reason": OVER, "relaxed": relaxed, "changed": [F]}
    nested, plain = (
        sql.format(words + "select k from shop.facts") for words in ("with m as (select 1) ", "")
    )
    twice = "a filter with a CTE and a table read twice"
    assert delta_plan(seen, nested, **asked)[0] == {"reason": NOT + twice}
    assert delta_plan(seen, plain, **asked)[0]["reason"] is None


# Attributes of which two values may be equal and not the same.


def not_image_equal(plan: str, amt: str = "double", s: str = "string") -> set[str]:
    dbt = Dbt()
    return set(
        dbt("_not_image_equal_ids", tree(dbt, plan), {"columns": tables(FACTS, amt=amt, s=s)})
    )


@pytest.mark.parametrize(
    ("amt", "s", "ids"),
    [
        ("double", "string", {"3", "11"}),
        ("array<float>", "string", {"3", "11"}),
        ("bigint", "string collate UTF8_LCASE", {"4"}),
        ("bigint", "string", set()),
    ],
)
def test_by_the_types_of_columns(amt: str, s: str, ids: set[str]) -> None:
    assert not_image_equal(chain(GROUPED, FACTS), amt, s) == ids


def test_nothing_is_asked_without_a_group() -> None:
    dbt = Dbt()
    reads = {"columns": tables(FACTS, amt="double")}
    assert dbt("_not_image_equal_ids", tree(dbt, node("Project [amt#3]", FACTS)), reads) == []
    assert not dbt.engine.log


def test_names_in_any_case_and_nothing_but_names() -> None:
    plan = chain("Project [AMT#23, flamt#24, amt#25L]", GROUPED, FACTS)
    assert not_image_equal(plan) >= {"3", "23", "25"} and "24" not in not_image_equal(plan)


def test_what_is_made_of_them() -> None:
    items = "Project [amt#3 AS a#20, (k#2 + 1) AS b#21, (a#20 * 2) AS c#22, k#2]"
    assert not_image_equal(chain(items, GROUPED, FACTS)) == {"3", "11", "20", "22"}


def test_a_cast_to_another_type() -> None:
    items = (
        "Project [cast(amt#3 as int) AS a#20, cast((amt#3 + 1) as decimal(10,2)) AS b#21,"
        " cast(k#2 as float) AS c#22, (cast(amt#3 as int) + cast(k#2 as int)) AS d#23,"
        " cast(amt#3 as array<double>) AS e#24]"
    )
    assert not_image_equal(chain(items, GROUPED, FACTS)) == {"3", "11", "22", "23", "24"}
    assert not_image_equal(chain(items, GROUPED, FACTS), "bigint") == {"22"}


def test_what_is_coarse_by_itself() -> None:
    items = "Project [collate(s#4, UTF8_LCASE) AS a#20, CASE WHEN x THEN 0.0 ELSE -0.0 END AS b#21]"
    assert not_image_equal(chain(items, GROUPED, FACTS), "bigint") == {"20", "21"}
    values = node("Join Inner", "LocalRelation [x#30, y#31]", node(GROUPED, FACTS))
    assert not_image_equal(values, "bigint") == {"30", "31"}


def test_exploded() -> None:
    plan = chain(GROUPED, "Generate explode(amt#3), false, [x#30]", FACTS)
    assert not_image_equal(plan, "array<double>") == {"3", "11", "30"}


def test_through_ctes_and_unions() -> None:
    define = node("CTERelationDef 0, false", node("Project [k#2, amt#3 AS a#20]", FACTS))
    ref = "CTERelationRef 0, true, [k#40, a#41], false, false"
    assert not_image_equal(node("WithCTE", define, node("Distinct", ref))) == {"3", "20", "41"}
    unknown = ref.replace("a#41", "a#41, z#42")
    assert not_image_equal(node("WithCTE", define, node("Distinct", unknown))) >= {"40", "41", "42"}
    pair = "Project [k#5, name#6]", "Project [k#2, amt#3]"
    union = node("Union false, false", node(pair[0], DIMS), node(pair[1], FACTS))
    assert not_image_equal(node("Distinct", union)) == {"3", "6"}
    other = union.replace("[k#2, amt#3]", "[amt#3]")
    assert not_image_equal(node("Distinct", other)) == {"3", "5", "6"}, (
        "which is which is not known"
    )


def test_what_a_plan_leaves_out_may_be_anything() -> None:
    plan = chain("Project [p#40, k#2]", GROUPED, "Project [k#2, ... 9 more fields]", FACTS)
    assert not_image_equal(plan, "bigint") == {"40"}
