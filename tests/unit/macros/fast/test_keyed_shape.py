"""The optional side of outer joins, with the engine asked about the turned text."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, MORE, chain, columns, node, question, tables

D, F, M = (f"spark_catalog.shop.{name}" for name in ("dims", "facts", "more"))
LEFT = node("Join LeftOuter, (k#2 = k#5)", DIMS, FACTS)
SQL = "select d.k, f.s from shop.dims d left join shop.facts f on f.k = d.k"
NOT = "OPERATOR_NOT_INCREMENTAL: "
LINEAR = NOT + "Join LeftOuter"


def shape(
    plan: str, sql: str = SQL, *, turned: str | None = None, k: str = "bigint", **more: Any
) -> Any:
    """What is found, and the texts that the engine was asked about."""
    dbt = Dbt()
    plan = question("k#5, s#4", plan)
    inner = question("k#5, s#4", turned) if turned else plan.replace("LeftOuter", "Inner")
    dbt.engine.explains("k: int, s: string", plan, inner, more.pop("opened", None))
    reads = {
        "plan": more.pop("seen", plan),
        "cut": False,
        "text": sql,
        "bound_text": sql,
        "nested": dbt("_nests_ctes", dbt("_words", sql)),
        "places": [name for name in (D, F, M) for _ in range(plan.count(f" {name}["))],
        "columns": tables(plan, k=k, s="string"),
        **more.pop("reads", {}),
    }
    reason = more.pop("reason", LINEAR)
    asked = {"reads": reads, "columns": columns("k int; s string")}
    found = dbt("_keyed_shape", asked, [], more.pop("changed", [F]), reason)
    assert not more
    return found, [one.sql for one in dbt.engine.log]


def test_turned_joins_by_their_order_in_the_text() -> None:
    found, asked = shape(LEFT)
    assert (found["reason"], found["keys"], found["turned"]) == (None, ["k"], {f"{F} 0": [0]})
    assert "shop.dims d left join shop.facts f" in asked[0]
    assert "shop.dims d inner join shop.facts f" in asked[1]
    assert len(asked) == 2


def test_of_two_joins_the_one_that_was_climbed_through() -> None:
    sql = SQL + " left join shop.more m on m.k = d.k"
    plan = node("Join LeftOuter, (k#7 = k#5)", LEFT, MORE)
    first = node("Join LeftOuter, (k#7 = k#5)", LEFT.replace("LeftOuter", "Inner"), MORE)
    found, asked = shape(plan, sql, turned=first)
    assert (found["reason"], found["turned"]) == (None, {f"{F} 0": [0]})
    assert "d inner join shop.facts f on f.k = d.k left join shop.more" in asked[1]
    second = node("Join Inner, (k#7 = k#5)", LEFT, MORE)
    found, asked = shape(plan, sql, turned=second, changed=[M])
    assert found["turned"] == {f"{M} 0": [1]} and found["keys"] == ["k", "s"]
    found, asked = shape(plan, sql, turned=second, changed=[F])
    assert found == {"reason": "SOURCE_NOT_BOUND: Join LeftOuter is not found in the text"}


def test_each_text_is_asked_about_once() -> None:
    plan = node("Join LeftOuter, (k#2 = k#5)", DIMS, node("Join Inner, (k#2 = k#7)", FACTS, MORE))
    sql = "select d.k, f.s from shop.dims d left join (shop.facts f join shop.more m on f.k = m.k)"
    found, asked = shape(plan, sql, changed=[F, M])
    assert found["turned"] == {f"{F} 0": [0], f"{M} 0": [0]} and len(asked) == 2


def test_what_the_engine_makes_of_the_turned_text() -> None:
    found, _ = shape(LEFT, turned=node("Join Inner, (k#2 = k#5)", FACTS, DIMS))
    assert found == {"reason": "SOURCE_NOT_BOUND: Join LeftOuter is not found in the text"}
    found, asked = shape(LEFT, SQL.replace("left join", "join"))
    assert found["reason"].startswith("SOURCE_NOT_BOUND") and len(asked) == 1


@pytest.mark.parametrize(
    ("reason", "plan"),
    [
        (LINEAR, node("Join FullOuter, x", DIMS, FACTS)),
        (LINEAR, node("Join LeftOuter, x", DIMS, node("GlobalLimit 5", FACTS))),
        (NOT + "Limit", chain("GlobalLimit 5", LEFT)),
        (NOT + "Filter over the optional side of a join", chain("Filter isnull(k#2)", LEFT)),
    ],
)
def test_reasons(reason: str, plan: str) -> None:
    assert shape(plan)[0] == {"reason": reason}


def test_a_plan_that_is_cut() -> None:
    """What it leaves out may be the reason."""
    filtered = chain("Filter (c40#99 > 2)", LEFT)
    found, _ = shape(filtered, reads={"cut": True})
    assert found["reason"] == NOT + "Filter over the optional side of a join (the plan is cut)"
    full = node("Join LeftOuter, x", DIMS, node("GlobalLimit 5", FACTS))
    assert shape(full, reads={"cut": True})[0] == {"reason": LINEAR}


def test_without_an_outer_join_nothing_is_asked() -> None:
    assert shape(node("Join FullOuter, x", DIMS, FACTS)) == ({"reason": LINEAR}, [])


@pytest.mark.parametrize("reason", ["SOURCE_NOT_BOUND: x", "INPUT_NOT_IN_DELTA: y"])
def test_other_reasons_stay(reason: str) -> None:
    assert shape(LEFT, reason=reason) == ({"reason": reason}, [])
    found, _ = shape(LEFT, reason="AGGREGATE_NOT_TOP_NODE: Join over Aggregate")
    assert found["keys"] == ["k"]


GROUPED = "Aggregate [k#2], [k#2, max(s#4) AS m#9]"
HAVING = "Filter ((1000001 = 1000001) OR (m#9 > x))"
BELOW = "Filter ((1000000 = 1000000) OR NOT (s#4 = y))"
GROUPS = (
    "select k, max(s) as s from shop.facts where s <> 'y' group by k having max(s) > 'x' and k > 1"
)
OVER = "AGGREGATE_NOT_TOP_NODE: Filter over Aggregate"
FILTERED = chain("Filter (m#9 > x)", GROUPED, FACTS)


def grouped(*above: str) -> str:
    """The plan of groups and what stands over them."""
    return question("k#2, s#10", "Project [k#2, m#9 AS s#10]", *above, GROUPED, BELOW, FACTS)


def test_over_groups() -> None:
    """One question, with all filters opened; in the terms the one over the groups is."""
    found, asked = shape(FILTERED, GROUPS, reason=OVER, opened=grouped(HAVING), changed=[F])
    assert (found["reason"], found["strategy"], found["keys"]) == (None, "keyed", ["k"])
    assert (found["opened"], found["text"]) == ({f"{F} 0": [1]}, GROUPS)
    assert [one.split("step=")[1].split()[0] for one in asked] == ["explain"]
    assert "where 1000000 = 1000000 or s <> 'y' group by" in asked[0]
    assert "having 1000001 = 1000001 or max(s) > 'x' and k > 1" in asked[0]


@pytest.mark.parametrize(("k", "keys"), [("bigint", ["k"]), ("double", [])])
def test_what_is_made_of_a_group(k: str, keys: list[str]) -> None:
    """0.0 and -0.0 are one group and two texts."""
    text = "Project [cast(k#2 as string) AS k#21, m#9 AS s#10]"
    opened = question("k#21, s#10", text, HAVING, GROUPED, BELOW, FACTS)
    found, _ = shape(FILTERED, GROUPS, k=k, reason=OVER, opened=opened)
    assert found.get("keys", []) == keys and (found["reason"] == OVER) is not bool(keys)


def test_the_text_as_it_is_where_no_filter_is_opened() -> None:
    found, _ = shape(FILTERED, GROUPS, reason=OVER, opened=grouped("Filter (k#2 > 1)"))
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
    assert shape(FILTERED, GROUPS, reason=OVER, opened=grouped(above))[0] == {"reason": OVER}


def test_filters_over_an_outer_join() -> None:
    sql = SQL + " where f.s is null"
    opened = question("k#5, s#4", "Filter ((1000000 = 1000000) OR isnull(s#4))", LEFT)
    found, asked = shape(chain("Filter isnull(s#4)", LEFT), sql, opened=opened)
    assert (found["reason"], found["turned"]) == (None, {f"{F} 0": [0]})
    assert (found["opened"], found["text"]) == ({f"{F} 0": [0]}, sql)
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
    _, asked = shape(grouped(), GROUPS, reason=reason)
    assert bool(asked) is asks


def test_a_table_that_the_plan_does_not_show() -> None:
    found, _ = shape(LEFT, reads={"places": [D, F, F]})
    assert found == {"reason": f"SOURCE_NOT_BOUND: {F}"}


def test_the_users_own_text_goes_into_the_terms() -> None:
    """The engine is asked about the text in made names."""
    made = GROUPS.replace("'y'", "'mview_text0_'")
    asked = {"reason": OVER, "opened": grouped(HAVING)}
    found, texts = shape(FILTERED, made, reads={"bound_text": GROUPS}, **asked)
    assert "or s <> 'mview_text0_' group by" in texts[0] and found["text"] == GROUPS


def test_a_number_of_the_users_own_text() -> None:
    """Its filters are not opened in the terms, so they are not in what is asked."""
    own = GROUPS.replace("'y'", "'no. 1000001'")
    found, texts = shape(FILTERED, GROUPS, reads={"bound_text": own}, reason=OVER)
    assert found == {"reason": OVER} and "1000000 = 1000000" not in texts[0]


def test_a_plan_that_is_not_understood() -> None:
    odd = grouped(HAVING).replace("m#9 AS s#10", "m#9 AS s")
    found, _ = shape(FILTERED, GROUPS, reason=OVER, opened=odd)
    assert found == {"reason": NOT + "a plan that is not understood"}


def test_a_cte_in_brackets_and_a_table_read_twice() -> None:
    """The plan may name the table in another order."""
    plan = node("Join LeftOuter, (k#7 = k#5)", LEFT, FACTS.replace("#", "#1"))
    define = node("CTERelationDef 0, false", MORE)
    plan = node("WithCTE", define, plan)
    twice = "an outer join with a CTE and a table read twice"
    sql = f"{SQL} left join (with m as (select 1) select * from shop.facts) x on x.k = d.k"
    assert shape(plan, sql)[0] == {"reason": NOT + twice}
    found, _ = shape(plan, SQL + " left join shop.facts x on x.k = d.k", turned=plan)
    assert found["reason"] != NOT + twice


def test_a_filter_over_a_table_read_twice() -> None:
    """As for joins: it would be opened for the other place."""
    both = node("Join Inner, (k#2 = k#12)", FACTS, FACTS.replace("#", "#1"))
    seen = chain("Filter (m#9 > x)", GROUPED, both)
    opened = question("k#2, s#10", "Project [k#2, m#9 AS s#10]", HAVING, GROUPED, both)
    sql = "select k, max(s) as s from shop.facts f join ({}) x using (k) group by k having 1 < 2"
    asked = {"reason": OVER, "opened": opened, "changed": [F]}
    nested, plain = (
        sql.format(words + "select k from shop.facts") for words in ("with m as (select 1) ", "")
    )
    twice = "a filter with a CTE and a table read twice"
    assert shape(seen, nested, **asked)[0] == {"reason": NOT + twice}
    assert shape(seen, plain, **asked)[0]["reason"] is None
