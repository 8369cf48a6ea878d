"""Attributes that are another one under a new id."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, chain, node, tree

DBT = Dbt()


def test_projections() -> None:
    plan = chain(
        "Project [k#2, N#10L AS m#20L, upper(s#4) AS u#21, cast(k#2 as string) AS t#22]", GROUPED
    )
    assert DBT("_passed_on", tree(DBT, plan)) == {"20": "10"}


@pytest.mark.parametrize(
    "text",
    ["NOT n#10L", "-n#10L", "~n#10L", "k#2 LIKE n#10L", "+n#10L", "other#10L", "n#10", "n#11L"],
)
@pytest.mark.parametrize("view", [False, True])
def test_an_operator_without_brackets_is_no_rename(text: str, view: bool) -> None:
    """Spark prints them like the attribute at their end."""
    grouped = chain(GROUPED, FACTS)
    found = DBT("_passed_on", tree(DBT, chain(f"Project [{text} AS x#20]", grouped)))
    assert found == {}
    item = f"cast({text} as bigint) AS x#20L" if view else f"{text} AS x#20L"
    above = chain("View (`c`.`s`.`v`, [x#20L])", f"Project [{item}]", grouped)
    assert DBT("_passed_on", tree(DBT, above)) == {}


@pytest.mark.parametrize("name", ["NOT n", "-n", "a LIKE b", "sum((a + 1))", "it's", "a#7"])
def test_a_name_may_look_like_an_expression(name: str) -> None:
    plan = chain(
        f"Project [{name}#10L AS m#20L]", f"Aggregate [k#2], [k#2, count(1) AS {name}#10L]", FACTS
    )
    assert DBT("_passed_on", tree(DBT, plan)) == {"20": "10"}


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
    assert DBT("_passed_on", tree(DBT, plan)) == {"20": "10"}


def test_an_expression_that_rows_are_grouped_by_is_no_attribute() -> None:
    plan = chain(
        "Project [-n#10L AS m#20L]", "Aggregate [-n#10L], [-n#10L AS g#12L]",
        "RepartitionByExpression [-n#10L], 3", "Sort [-n#10L ASC NULLS FIRST], true", FACTS,
    )  # fmt: skip
    assert DBT("_passed_on", tree(DBT, plan)) == {}


def test_a_view_only_upcasts() -> None:
    view = chain(
        "View (`spark_catalog`.`shop`.`v`, [a#20,b#21,c#22,d#23])",
        "Project [cast(k#2 as bigint) AS a#20, s#4 AS b#21, upper(s#4) AS c#22,"
        " cast(k#2 as string) AS d#23]",
        FACTS,
    )
    assert DBT("_passed_on", tree(DBT, view)) == {"20": "2", "21": "4"}


def test_ctes() -> None:
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#2, n#30L, total#31], false, false"
    assert DBT("_passed_on", tree(DBT, node("WithCTE", define, ref))) == {"30": "10", "31": "11"}


def test_a_cte_that_is_read_twice() -> None:
    """Its readers have rows of their own, whatever the rows of the definition have."""
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    one = "CTERelationRef 0, true, [k#2, n#10L, total#11], false, false"
    two = "CTERelationRef 0, true, [k#32, n#30L, total#31], false, false"
    plan = node("WithCTE", define, chain("Project [n#30L AS m#40L]", node("Join Cross", one, two)))
    assert DBT("_passed_on", tree(DBT, plan)) == {"40": "30"}


def test_what_a_union_puts_out() -> None:
    """It has the ids of its first branch, and is the same there alone."""
    first = chain("Project [k#2, k#2 AS root#20]", FACTS)
    second = chain("Project [k#5, name#6 AS root#21]", DIMS)
    plan = chain("Project [k#2, root#20 AS top#22]", node("Union false, false", first, second))
    nodes = tree(DBT, plan)
    assert DBT("_passed_on", nodes) == {"21": "6", "22": "20"}
    assert DBT("_copies", nodes, ["2"]) == ["2"]


def test_a_union_that_the_plan_does_not_print_whole() -> None:
    wide = chain("Project [k#2, ... 30 more fields]", "Project [k#2, k#2 AS root#20]", FACTS)
    plan = chain("Project [k#2 AS top#22]", node("Union false, false", wide, DIMS))
    assert DBT("_passed_on", tree(DBT, plan)) == {}


def test_a_cte_whose_columns_are_not_known() -> None:
    define = node("CTERelationDef 0, false", node("Generate explode(a#9), false, [x#10]", FACTS))
    ref = "CTERelationRef 0, true, [id#30L, k#31, amt#32, s#33, x#34], false, false"
    assert DBT("_passed_on", tree(DBT, node("WithCTE", define, ref))) == {}


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
