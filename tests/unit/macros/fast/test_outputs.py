"""Where each column of the result comes from."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.plans import FACTS, GROUPED, chain, columns, node, question, tree

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
