"""Where a column of the result comes from, and what is made of it."""

from __future__ import annotations

import pytest

from ..kit.harness import Dbt
from ..kit.plans import DIMS, FACTS, GROUPED, chain, columns, find, node, question, tree

# Where each column of the result comes from.


DBT = Dbt()
REF = "CTERelationRef 0, true, [k#30, n#31L, total#32], false, false"


def outputs(plan: str, names: str, *computed: str) -> object:
    return DBT("_outputs", tree(DBT, plan), columns(names), list(computed))


def test_renames_are_followed() -> None:
    plan = question(
        "b#21, c#22", "Project [a#20 AS b#21, n#10L AS c#22]", "Project [k#2 AS a#20, n#10L]", FACTS
    )
    assert outputs(plan, "b int; c bigint") == {"b": "2", "c": "10"}


def test_up_to_what_computes_them() -> None:
    plan = question("b#21", "Project [a#20 AS b#21]", "Project [k#2 AS a#20]", FACTS)
    assert outputs(plan, "b int", "20") == {"b": "20"}
    assert outputs(plan, "b int", "21") == {"b": "21"}


def test_what_is_computed_is_no_rename() -> None:
    plan = question("b#21", "Project [upper(s#4) AS b#21]", FACTS)
    assert outputs(plan, "b string") == {"b": "21"}


def test_columns_in_any_order_and_case() -> None:
    plan = question("a#1, B#2", FACTS)
    assert outputs(plan, "b int; A int") == {"b": "2", "A": "1"}


def test_columns_that_are_not_those_of_the_plan() -> None:
    plan = question("a#1, b#2", FACTS)
    assert outputs(plan, "a int") is None
    assert outputs(plan, "a int; c int") is None
    assert outputs(FACTS, "a int") is None
    assert outputs(question("a#1, a#2", FACTS), "a int; b int") is None


def test_through_ctes_with_new_ids() -> None:
    first = node("CTERelationDef 0, false", node("SubqueryAlias g", node(GROUPED, FACTS)))
    second = node("CTERelationDef 1, false", chain("Project [k#30 AS key#33, total#32]", REF))
    main = chain(
        "Project [key#34 AS label#36, total#35]",
        "CTERelationRef 1, true, [key#34, total#35], false, false",
    )
    plan = question("label#36, total#35", node("WithCTE", first, second, main))
    found = outputs(plan, "label int; total decimal(20,2)", "2", "10", "11")
    assert found == {"label": "2", "total": "11"}


# Attributes that are another one under a new id.


def test_projections() -> None:
    plan = chain(
        "Project [k#2, N#10L AS m#20L, upper(s#4) AS u#21, cast(k#2 as string) AS t#22]", GROUPED
    )
    assert DBT("_pass_through", tree(DBT, plan)) == {"20": "10"}


@pytest.mark.parametrize(
    "text",
    ["NOT n#10L", "-n#10L", "~n#10L", "k#2 LIKE n#10L", "+n#10L", "other#10L", "n#10", "n#11L"],
)
@pytest.mark.parametrize("view", [False, True])
def test_an_operator_without_brackets_is_no_rename(text: str, view: bool) -> None:
    """Spark prints them like the attribute at their end."""
    grouped = chain(GROUPED, FACTS)
    found = DBT("_pass_through", tree(DBT, chain(f"Project [{text} AS x#20]", grouped)))
    assert found == {}
    item = f"cast({text} as bigint) AS x#20L" if view else f"{text} AS x#20L"
    above = chain("View (`c`.`s`.`v`, [x#20L])", f"Project [{item}]", grouped)
    assert DBT("_pass_through", tree(DBT, above)) == {}


@pytest.mark.parametrize("name", ["NOT n", "-n", "a LIKE b", "sum((a + 1))", "it's", "a#7"])
def test_a_name_may_look_like_an_expression(name: str) -> None:
    plan = chain(
        f"Project [{name}#10L AS m#20L]", f"Aggregate [k#2], [k#2, count(1) AS {name}#10L]", FACTS
    )
    assert DBT("_pass_through", tree(DBT, plan)) == {"20": "10"}


@pytest.mark.parametrize(
    "below",
    [
        chain("Window [row_number() windowspecdefinition(k#2) AS n#10L], [k#2]", FACTS),
        chain("Generate explode(a#9), false, [n#10L]", FACTS),
        "LocalRelation [n#10L]",
        "RelationV2[k#2, n#10L] spark_catalog.shop.v2 shop.v2",
    ],
)
def test_what_other_operators_put_out(below: str) -> None:
    plan = chain("Project [n#10L AS m#20L]", below)
    assert DBT("_pass_through", tree(DBT, plan)) == {"20": "10"}


def test_an_expression_that_rows_are_grouped_by_is_no_attribute() -> None:
    plan = chain(
        "Project [-n#10L AS m#20L]", "Aggregate [-n#10L], [-n#10L AS g#12L]",
        "RepartitionByExpression [-n#10L], 3", "Sort [-n#10L ASC NULLS FIRST], true", FACTS,
    )  # fmt: skip
    assert DBT("_pass_through", tree(DBT, plan)) == {}


def test_a_view_only_upcasts() -> None:
    view = chain(
        "View (`spark_catalog`.`shop`.`v`, [a#20,b#21,c#22,d#23])",
        "Project [cast(k#2 as bigint) AS a#20, s#4 AS b#21, upper(s#4) AS c#22,"
        " cast(k#2 as string) AS d#23]",
        FACTS,
    )
    assert DBT("_pass_through", tree(DBT, view)) == {"20": "2", "21": "4"}


def test_ctes() -> None:
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#2, n#30L, total#31], false, false"
    assert DBT("_pass_through", tree(DBT, node("WithCTE", define, ref))) == {"30": "10", "31": "11"}


def test_a_cte_that_is_read_twice() -> None:
    """Its readers have rows of their own, whatever the rows of the definition have."""
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    one = "CTERelationRef 0, true, [k#2, n#10L, total#11], false, false"
    two = "CTERelationRef 0, true, [k#32, n#30L, total#31], false, false"
    plan = node("WithCTE", define, chain("Project [n#30L AS m#40L]", node("Join Cross", one, two)))
    assert DBT("_pass_through", tree(DBT, plan)) == {"40": "30"}


def test_what_a_union_puts_out() -> None:
    """It has the ids of its first branch, and is the same there alone."""
    first = chain("Project [k#2, k#2 AS root#20]", FACTS)
    second = chain("Project [k#5, name#6 AS root#21]", DIMS)
    plan = chain("Project [k#2, root#20 AS top#22]", node("Union false, false", first, second))
    nodes = tree(DBT, plan)
    assert DBT("_pass_through", nodes) == {"21": "6", "22": "20"}
    assert DBT("_copies", nodes, ["2"]) == ["2"]


def test_a_union_that_the_plan_does_not_print_whole() -> None:
    wide = chain("Project [k#2, ... 30 more fields]", "Project [k#2, k#2 AS root#20]", FACTS)
    plan = chain("Project [k#2 AS top#22]", node("Union false, false", wide, DIMS))
    assert DBT("_pass_through", tree(DBT, plan)) == {}


def test_a_cte_whose_columns_are_not_known() -> None:
    define = node("CTERelationDef 0, false", node("Generate explode(a#9), false, [x#10]", FACTS))
    ref = "CTERelationRef 0, true, [id#30L, k#31, amt#32, s#33, x#34], false, false"
    assert DBT("_pass_through", tree(DBT, node("WithCTE", define, ref))) == {}


def test_copies() -> None:
    """Of an attribute, of what it is a copy of, and of another copy; not what is computed."""
    plan = chain(
        "Project [k#2, a#20, b#21, c#22, k#2 AS d#23]",
        "Project [k#2, a#20, a#20 AS b#21, (k#2 + 1) AS c#22]",
        "Project [k#2, k#2 AS a#20]",
        FACTS,
    )
    nodes = tree(DBT, plan)
    for id_ in ("2", "20", "21", "23"):
        assert sorted(DBT("_copies", nodes, [id_])) == ["2", "20", "21", "23"]
    assert DBT("_copies", nodes, ["22"]) == ["22"] and DBT("_copies", nodes, []) == []


# What is made of which attributes.


def made(plan: str) -> dict[str, set[str]]:
    return {one["id"]: set(one["uses"]) for one in DBT("_derivations", tree(DBT, plan))}


def test_items_of_operators() -> None:
    group = "Aggregate [k#2, (k#2 + id#1L)], [(k#2 + id#1L) AS g#9L, sum(amt#3) AS total#10]"
    window = "Window [max(g#9L) windowspecdefinition(total#10) AS top#11], [total#10]"
    plan = chain("Project [g#9L, upper(name#6) AS u#20]", window, group, FACTS)
    assert made(plan) == {
        "20": {"6"},
        "11": {"9", "10"},
        "9": {"1", "2"},
        "10": {"3"},
    }


def test_places_of_a_union() -> None:
    union = node("Union", node("Project [id#1L, k#2]", FACTS), DIMS)
    ids = [(one["id"], one["uses"]) for one in DBT("_derivations", tree(DBT, union))]
    assert ids == [("1", ["1"]), ("2", ["2"]), ("1", ["5"]), ("2", ["6"])]


# The attributes that are a column under other names.


SAME = "[^()#]*#\\d+|cast\\([^()#]*#\\d+ as map<.*>\\)"


def carriers(plan: str) -> list[str]:
    dbt = Dbt()
    return sorted(set(dbt("_aliases_of", tree(dbt, plan), "s", SAME)), key=int)


def test_carriers() -> None:
    items = "Project [s#4 AS a#20, cast(a#20 as map<int,int>) AS b#21, size(s#4) AS c#22, ks#23]"
    assert carriers(chain(items, FACTS)) == ["4", "20", "21"]
    define = node("CTERelationDef 0, false", node("Project [s#4 AS a#20]", FACTS))
    ref = "CTERelationRef 0, true, [a#30], false, false"
    assert carriers(node("WithCTE", define, ref)) == ["4", "20", "30"]
    union = node("Union", node("Project [k#2]", FACTS), node("Project [s#4]", FACTS))
    assert carriers(union) == ["2", "4"]


# Whether an expression looks at columns of affected keys alone, and how.


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("k#1", True),
        ("(k#1 + 2)", True),
        ("(k#1 + t#3)", False),
        ("x#2", True),
        ("(x#2 = k#1)", True),
        ("(k#1 <=> x#2)", True),
        ("(x#2 <= k#1)", False),
        ("cast(x#2 as string)", False),
        ("a LIKE x#2", False),
        ("((x#2 = k#1) AND (cast(x#2 as int) = 3))", False),
        ("struct(k#1, ... 3 more fields)", False),
        ("1", True),
    ],
)
def test_is_over(text: str, over: bool) -> None:
    """k is an affected key, x as what it is equal to, t is none."""
    assert Dbt()("_references_only", {"expression": text}, ["1", "2"], ["2"]) is over


def test_all_columns() -> None:
    dbt = Dbt()
    column = dbt("_plan_item", "cast(x#2 as string) AS y#3")
    assert dbt("_references_only", column, None, [])
    assert not dbt("_references_only", column, None, ["2"])
    assert dbt("_references_only", column, None, ["9"])


def test_conditions_as_they_are() -> None:
    """A column alone is asked for as it is by a filter; what a join asks of it is not known."""
    filter_, join = tree(DBT, node("Filter b#2", node("Join Inner, b#2", FACTS, DIMS)))[:2]
    assert DBT("_references_only", filter_, None, ["2"]) is True
    assert DBT("_references_only", join, None, ["2"]) is False


# Whether it depends on some values which rows there are.


def decided(plan: str, *ids: str) -> bool:
    nodes = tree(DBT, plan)
    found: bool = DBT("_is_decided_by", nodes, find(nodes, "Aggregate"), list(ids))
    return found


@pytest.mark.parametrize(
    ("above", "decides"),
    [
        ("SubqueryAlias x", False),
        ("Filter (n#10L > 1)", True),
        ("Filter (k#2 > 1)", False),
        ("Project [n#10L, ... 30 more fields]", True),
        ("Generate explode(array(n#10L)), false, [x#30]", True),
        ("GlobalLimit 5", True),
    ],
)
def test_operators(above: str, decides: bool) -> None:
    """What is not known decides."""
    assert decided(chain("Project [k#2]", above, GROUPED, FACTS), "10") is decides


def test_a_subquery_decides_by_its_rows() -> None:
    """A filter that asks for them names none of its values."""
    plan = node("Filter exists#9 [k#5]", DIMS, inner=(chain("Project [k#2]", GROUPED, FACTS),))
    assert decided(plan, "10")


# What operators make of the values below them.


def test_ids_from_projections() -> None:
    project = "Project [k#2, (n#10L + 1) AS m#20L]"
    assert decided(chain("Filter (m#20L = 2)", project, GROUPED, FACTS), "10")
    assert not decided(chain("Filter (m#20L = 2)", project, GROUPED, FACTS), "11")


def test_through_a_cte() -> None:
    define = node("CTERelationDef 0, false", chain(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#32, n#30L, total#31], false, false"
    for asked, decides in (("n#30L", True), ("total#31", False)):
        plan = node("WithCTE", define, chain(f"Filter ({asked} > 1)", ref))
        assert decided(plan, "10") is decides


def test_through_a_union() -> None:
    """By their places."""
    groups = chain("Project [n#10L, total#11]", GROUPED, FACTS)
    for first, last in ((groups, DIMS), (DIMS, groups)):
        union = node("Union false, false", first, last)
        names = ("n#10L", "total#11") if first == groups else ("k#5", "name#6")
        assert decided(chain(f"Filter ({names[0]} > 1)", union), "10")
        assert not decided(chain(f"Filter ({names[1]} > x)", union), "10")
