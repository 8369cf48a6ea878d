"""How a query can follow changes of some of its tables."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, MORE, RANKED, chain, columns, node, question

DBT = Dbt()
THREE = columns("k int; n bigint; total decimal(20,2)")
JOINED = node("Join Inner, (k#2 = k#5)", FACTS, DIMS)
ITEMS = "k#2, n#10L, total#11"


def shape(plan: str, names: Any, *changed: str, **reads: Any) -> dict[str, Any]:
    tables = ("facts", "dims", "more")
    places = [
        f"spark_catalog.shop.{name}" for name in tables for _ in range(plan.count(f".{name}["))
    ]
    facts = {"plan": plan, "places": places, **reads}
    names_ = [f"spark_catalog.shop.{name}" for name in changed]
    found: dict[str, Any] = DBT("_shape", facts, names, names_)
    return found


def test_aggregate() -> None:
    found = shape(question(ITEMS, GROUPED, "Project [k#2, amt#3]", JOINED), THREE, "facts")
    assert (found["strategy"], found["keys"]) == ("aggregate", ["k"])
    assert found["emptied"] == {"spark_catalog.shop.facts 0": []}


def test_keyed() -> None:
    found = shape(question("k#2, id#1L", RANKED, FACTS), columns("k int; id bigint"), "facts")
    assert (found["strategy"], found["keys"]) == ("keyed", ["k"])
    found = shape(question("k#2", "Distinct", "Project [k#2]", FACTS), columns("k int"), "facts")
    assert (found["strategy"], found["keys"], found["one_row"]) == ("keyed", ["k"], True)


def test_append() -> None:
    plan = question("k#2, name#6", "Project [k#2, name#6]", JOINED)
    found = shape(plan, columns("k int; name string"), "facts", "dims")
    assert (found["strategy"], found["keys"]) == ("append", ["k", "name"])


def test_what_does_not_change_may_stand_anywhere() -> None:
    plan = question("k#2", node("Join LeftOuter, (k#2 = k#5)", FACTS, node("GlobalLimit 5", DIMS)))
    assert shape(plan, columns("k int"), "facts")["strategy"] == "append"
    assert shape(plan, columns("k int"), "facts", "dims") == {
        "reason": "OPERATOR_NOT_INCREMENTAL: Limit"
    }


def test_both_sides_of_a_self_join() -> None:
    plan = question(ITEMS, GROUPED, node("Join Inner, (k#2 = k#5)", FACTS, FACTS))
    assert set(shape(plan, THREE, "facts")["emptied"]) == {
        "spark_catalog.shop.facts 0", "spark_catalog.shop.facts 1"
    }  # fmt: skip


def test_emptied_branches() -> None:
    plan = question(ITEMS, GROUPED, node("Union false, false", FACTS, DIMS, FACTS))
    assert shape(plan, THREE, "facts")["emptied"] == {
        "spark_catalog.shop.facts 0": ["spark_catalog.shop.dims 0", "spark_catalog.shop.facts 1"],
        "spark_catalog.shop.facts 1": ["spark_catalog.shop.facts 0", "spark_catalog.shop.dims 0"],
    }
    limited = question(
        ITEMS, GROUPED, node("Union false, false", FACTS, node("GlobalLimit 5", DIMS))
    )
    assert shape(limited, THREE, "facts")["reason"].endswith("UNION ALL with GlobalLimit")


def test_a_table_that_stands_over_the_groups_of_another() -> None:
    plan = question(ITEMS, node("Join Inner", node(GROUPED, FACTS), DIMS))
    assert shape(plan, THREE, "facts")["reason"] == "AGGREGATE_NOT_TOP_NODE: Join over Aggregate"
    assert shape(plan, THREE, "dims")["strategy"] == "append"


def test_changes_below_two_aggregates() -> None:
    other = "Aggregate [k#7], [k#7, count(1) AS m#20L]"
    plan = question(ITEMS, chain(GROUPED, node("Join Inner", FACTS, node(other, MORE))))
    assert shape(plan, THREE, "facts")["strategy"] == "aggregate"
    both = shape(plan, THREE, "facts", "more")
    assert both == {"reason": "AGGREGATE_NOT_TOP_NODE: Join over Aggregate"}


def test_no_change_that_is_seen() -> None:
    plan = question(ITEMS, GROUPED, FACTS)
    assert shape(plan, THREE)["reason"] == "INPUT_NOT_IN_DELTA: the query reads no table"
    places = ["spark_catalog.shop.facts"] * 2
    assert shape(plan, THREE, "facts", places=places) == {
        "reason": "SOURCE_NOT_BOUND: spark_catalog.shop.facts"
    }


def cut(plan: str, operator: str) -> str:
    """The plan with a list of one operator as Spark prints it beyond 25 columns."""
    assert f"{operator} [" in plan
    return plan.replace(f"{operator} [", f"{operator} [... 9 more fields, ", 1)


def test_columns_that_the_plan_leaves_out() -> None:
    reason = "OPERATOR_NOT_INCREMENTAL: more columns than the plan prints"
    grouped = question(ITEMS, GROUPED, "Project [k#2, amt#3]", FACTS)
    ranked = question("k#2, id#1L", RANKED, FACTS)
    assert shape(cut(grouped, "Aggregate"), THREE, "facts")["reason"] == reason
    assert shape(cut(grouped, "Project"), THREE, "facts")["reason"] == reason
    assert shape(cut(ranked, "Window"), THREE, "facts")["reason"] == reason
    distinct = cut(question("k#2", "Distinct", FACTS), "Project")
    found = shape(distinct, columns("k int"), "facts")
    assert (found["reason"], found["one_row"]) == (None, False)


def test_columns_below_the_core_do_not_matter() -> None:
    grouped = question(ITEMS, GROUPED, "Project [k#2, amt#3]", FACTS)
    top, below = grouped.split("Aggregate [", 1)
    wide = top + "Aggregate [" + below.replace("Project [", "Project [... 9 more fields, ")
    assert shape(wide, THREE, "facts")["reason"] is None
