"""GROUP BY over linear operators, value by value."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import FACTS, GROUPED, called, chain, columns, find, node, question, tree
from ..kit.records import as_said

# GROUP BY over linear operators.


DBT = Dbt()
THREE = columns("k int; n bigint; total decimal(20,2)")
ITEMS = "k#2, n#10L, total#11"


def delta_plan(items: str, names: list[dict[str, str]], *texts: str) -> dict[str, Any]:
    nodes = tree(DBT, question(items, *texts, FACTS))
    return as_said(DBT("_aggregate_delta_plan", nodes, find(nodes, "Aggregate"), names))


def test_counts_and_sums() -> None:
    assert delta_plan(ITEMS, THREE, GROUPED) == {
        "reason": None,
        "strategy": "aggregate delta",
        "keys": ["k"],
        "values": {"n": "count_all", "total": "sum"},
        "one_row": True,
    }


def test_columns_in_another_order() -> None:
    """A contract's, or that of the view: they are found by their names."""
    turned = delta_plan(ITEMS, THREE[::-1], GROUPED)
    assert (turned["keys"], turned["values"]) == (["k"], {"total": "sum", "n": "count_all"})


def test_renamed_above() -> None:
    renamed = "Project [total#11 AS amount#20, k#2 AS key#21]"
    found = delta_plan(
        "amount#20, key#21", columns("amount decimal(20,2); Key int"), renamed, GROUPED
    )
    assert (found["strategy"], found["keys"]) == ("aggregate delta", ["Key"])
    assert found["values"] == {"amount": "sum"}


def test_computed_above() -> None:
    """What stands over the aggregate is computed again with the group."""
    above = "Project [k#2, (n#10L * cast(2 as bigint)) AS twice#20L]"
    found = delta_plan("k#2, twice#20L", columns("k int; twice bigint"), above, GROUPED)
    assert (found["strategy"], found["values"]) == ("affected keys", {"twice": "holistic"})


def test_a_key_that_is_computed() -> None:
    grouped = "Aggregate [upper(s#4)], [upper(s#4) AS s#20, min(id#1L) AS lo#21L]"
    found = delta_plan("s#20, lo#21L", columns("s string; lo bigint"), grouped)
    assert (found["keys"], found["values"]) == (["s"], {"lo": "min"})


def test_without_group_by() -> None:
    grouped = "Aggregate [count(1) AS n#20L, max(id#1L) AS top#21L]"
    found = delta_plan("n#20L, top#21L", columns("n bigint; top bigint"), grouped)
    assert (found["keys"], found["values"]) == ([], {"n": "count_all", "top": "max"})


def test_one_other_value_makes_all_of_it_keyed() -> None:
    grouped = "Aggregate [k#2], [k#2, count(1) AS n#20L, avg(amt#3) AS mean#21]"
    found = delta_plan("k#2, n#20L, mean#21", columns("k int; n bigint; mean double"), grouped)
    assert (found["strategy"], found["keys"]) == ("affected keys", ["k"])
    assert found["values"] == {"n": "count_all", "mean": "holistic"}


def test_a_key_twice() -> None:
    grouped = "Aggregate [k#2], [k#2, k#2 AS again#20, count(1) AS n#21L]"
    found = delta_plan("k#2, again#20, n#21L", columns("k int; again int; n bigint"), grouped)
    assert found["keys"] == ["k", "again"]


@pytest.mark.parametrize(
    ("items", "names", "texts", "reason"),
    [
        (
            "n#10L",
            "n bigint",
            ("Project [n#10L]", GROUPED),
            "the result lacks the group key k",
        ),
        (
            "n#20L",
            "n bigint",
            ("Aggregate [upper(s#4), k#2], [count(1) AS n#20L]",),
            "the result lacks the group key upper(s), k",
        ),
        (
            "u#20, n#21L",
            "u string; n bigint",
            ("Aggregate [s#4], [upper(s#4) AS u#20, count(1) AS n#21L]",),
            "the result lacks the group key s",
        ),
        (
            "a#20, n#21L",
            "a string; n bigint",
            (
                "Aggregate [coalesce(s#4, a, b), coalesce(s#4, a, b)],"
                " [coalesce(s#4, a, b) AS a#20, count(1) AS n#21L]",
            ),
            "a plan that is not understood",
        ),
        (
            "m#20, n#21L",
            "m map<string,int>; n bigint",
            ("Aggregate [m#20], [m#20, count(1) AS n#21L]",),
            "rows with m cannot be compared",
        ),
        ("k#2, n#10L", "k int; other bigint", (GROUPED,), "a plan that is not understood"),
        ("k#2, n#10L", "k int", (GROUPED,), "a plan that is not understood"),
        ("k#2", "k int", ("Aggregate [k#2], [x#1], [k#2]",), "a plan that is not understood"),
    ],
)
def test_reasons(items: str, names: str, texts: tuple[str, ...], reason: str) -> None:
    found = delta_plan(items, columns(names), *texts)
    assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: {reason}"}


def test_through_a_cte_that_gives_new_ids() -> None:
    plan = question(
        "label#30, n#31L",
        node(
            "WithCTE",
            node("CTERelationDef 0, false", node("SubqueryAlias g", node(GROUPED, FACTS))),
            chain(
                "Project [k#32 AS label#30, n#31L]",
                "SubqueryAlias g",
                "CTERelationRef 0, true, [k#32, n#31L, total#33], false, false",
            ),
        ),
    )
    nodes = tree(DBT, plan)
    names = columns("label int; n bigint")
    found = DBT("_aggregate_delta_plan", nodes, find(nodes, "Aggregate"), names)
    assert (found["keys"], found["values"]) == (["label"], {"n": "count_all"})


def test_names_in_any_case() -> None:
    """The plan prints each name as it was written."""
    grouped = "Aggregate [region#2], [Region#2, count(1) AS n#20L]"
    found = delta_plan("Region#2, n#20L", columns("Region string; n bigint"), grouped)
    assert (found["keys"], found["values"]) == (["Region"], {"n": "count_all"})
    grouped = "Aggregate [k#2], [k#2, sum(Amt#3) AS s#20L, avg(amt#3) AS m#21, avg(-amt#3) AS o#22]"
    names = columns("k int; s bigint; m double; o double")
    found = delta_plan("k#2, s#20L, m#21, o#22", names, grouped)
    assert list(found["averages"]) == ["m"] and found["values"]["o"] == "holistic"


def test_a_literal_that_reads_like_a_count() -> None:
    grouped = "Aggregate [k#2, count(1)], [k#2, count(1) AS label#20, count(1) AS n#21L]"
    found = delta_plan("k#2, label#20, n#21L", columns("k int; label string; n bigint"), grouped)
    assert found == {"reason": "OPERATOR_NOT_INCREMENTAL: the result lacks the group key count(1)"}


# How one value of a group follows changes.


@pytest.mark.parametrize(
    ("expression", "type_", "kind"),
    [
        ("count(1)", "bigint", "count_all"),
        ("count(s#4)", "bigint", "count"),
        ("count(a#1, b#2)", "bigint", "count"),
        ("count(distinct s#4)", "bigint", "holistic"),
        ("count(a#1)", "string", "holistic"),
        ("count(1)", "string", "holistic"),
        ("count(*)", "string", "holistic"),
        ("count(*)", "bigint", "holistic"),
        ("max(x)", "string", "holistic"),
        ("min(y)", "boolean", "holistic"),
        ("sum(amt#3)", "decimal(20,2)", "sum"),
        ("sum(amt#3)", "decimal(37,27)", "sum"),
        ("sum(amt#3)", "decimal(38,6)", "overflowable_sum"),
        ("sum(amt#3)", "decimal(38,0)", "overflowable_sum"),
        ("sum(amt#3)", "decimal(38,7)", "holistic"),
        ("sum(amt#3)", "decimal(38,38)", "holistic"),
        ("sum(k#2)", "bigint", "sum"),
        ("sum((k#2 * cast(2 as int)))", "bigint", "sum"),
        ("sum(distinct k#2)", "bigint", "holistic"),
        ("sum(d#3)", "double", "holistic"),
        ("sum(i#3)", "interval day", "holistic"),
        ("min(k#2)", "int", "min"),
        ("max(s#4)", "string", "max"),
        ("max(day#5)", "date", "max"),
        ("min(at#5)", "timestamp_ntz", "min"),
        ("min(b#5)", "boolean", "min"),
        ("max(d#3)", "double", "holistic"),
        ("max(d#3)", "float", "holistic"),
        ("max(s#4)", "string collate UNICODE_CI", "holistic"),
        ("max(struct(a#1, b#2))", "struct<a:int,b:int>", "holistic"),
        ("max(a#1)", "array<int>", "holistic"),
        ("avg(k#2)", "double", "holistic"),
        ("(sum(k#2) / count(1))", "double", "holistic"),
        ("(count(1) + count(1))", "bigint", "holistic"),
        ("sum(k#2) FILTER (WHERE (k#2 > 1))", "bigint", "holistic"),
        ("count(1) FILTER (WHERE (k#2 > 1))", "bigint", "holistic"),
        ("try_sum(k#2)", "bigint", "holistic"),
        ("upper(s#4)", "string", "holistic"),
        ("", "bigint", "holistic"),
    ],
)
def test_aggregate_kind(expression: str, type_: str, kind: str) -> None:
    assert DBT("_aggregate_kind", called(DBT, expression), type_) == kind


@pytest.mark.parametrize(
    ("type_", "digits"), [("decimal(20,2)", (20, 2)), ("double", None), ("decimal", None)]
)
def test_decimal_digits(type_: str, digits: tuple[int, int] | None) -> None:
    assert DBT("_decimal_digits", type_) == digits


@pytest.mark.parametrize(
    ("text", "early"),
    [("", False), ("a#1", False), ("f(a#1), g()", False), ("a#1) + sum(b#2", True), (")(", True)],
)
def test_closes_early(text: str, early: bool) -> None:
    assert DBT("_closes_early", text) is early


# Means that follow the sums beside them.


ALL = {
    "total": "sum(amt#3)",
    "mean": "avg(amt#3)",
    "n": "count(1)",
    "c": "count(amt#3)",
    "other": "count(s#4)",
}
KINDS = {"total": "sum", "mean": "holistic", "n": "count_all", "c": "count", "other": "count"}
TYPES = "total decimal(20,2); mean decimal(14,6); n bigint; c bigint; other bigint"


def averages(
    *names: str, types: str = TYPES, **expressions: str
) -> dict[str, dict[str, str | None]]:
    texts = {name: text for name, text in {**ALL, **expressions}.items() if name in names}
    calls = {name: called(DBT, text) for name, text in texts.items()}
    listed = [column for column in columns(types) if column["name"] in names]
    kinds = {name: KINDS.get(name, "holistic") for name in names}
    found: dict[str, dict[str, str | None]] = DBT("_averages", calls, listed, kinds)
    return found


@pytest.mark.parametrize(
    ("beside", "found"),
    [
        (["total", "n", "c"], {"sum": "total", "count": "c", "rows": "n"}),
        (["total", "n", "other"], {"sum": "total", "count": None, "rows": "n"}),
        (["total"], {"sum": "total", "count": None, "rows": None}),
        (["n", "c"], None),
    ],
)
def test_what_a_mean_follows(beside: list[str], found: dict[str, str | None] | None) -> None:
    assert averages("mean", *beside) == ({"mean": found} if found else {})


@pytest.mark.parametrize(
    "mean",
    [
        "avg(distinct amt#3)",
        "avg(amt#3) FILTER (WHERE (k#2 > 1))",
        "(avg(amt#3) + avg(amt#3))",
        "avg(fee#9)",
        "try_avg(amt#3)",
    ],
)
def test_another_average(mean: str) -> None:
    assert averages("mean", "total", "n", mean=mean) == {}


@pytest.mark.parametrize(
    ("inner", "mean", "sum_", "told"),
    [
        ("amt#3", "decimal(14,6)", "decimal(20,2)", True),
        ("(amt#3 * cast(2 as decimal(1,0)))", "decimal(14,6)", "decimal(20,2)", True),
        ("amt#3", "decimal(26,26)", "decimal(32,22)", True),
        ("amt#3", "decimal(27,6)", "decimal(33,2)", False),  # 23 digits
        ("amt#3", "decimal(38,6)", "decimal(37,2)", False),
        ("amt#3", "decimal(14,5)", "decimal(20,2)", False),
        ("k#2", "double", "bigint", True),
        ("id#1L", "double", "bigint", False),  # of 64 bits
        ("abs(k#2)", "double", "bigint", False),  # of what type, the plan does not say
        ("d#5", "double", "double", False),
        ("d#5", "double", "decimal(20,2)", False),
        ("i#6", "interval day", "interval day", False),
    ],
)
def test_is_average_of(inner: str, mean: str, sum_: str, told: bool) -> None:
    assert DBT("_is_average_of", called(DBT, f"avg({inner})"), mean, sum_) is told


def wanted(text: str, type_: str) -> dict[str, str]:
    calls = {"m": called(DBT, text)}
    found: dict[str, str] = DBT("_sums_wanted", calls, columns(f"m {type_}"), {"m": "holistic"})
    return found


def test_what_is_wanted() -> None:
    assert wanted("avg(amt#3)", "decimal(14,6)") == {"m": "sum(amt)"}
    product = "(price#5 * (1 - off#6))"
    assert wanted(f"avg({product})", "decimal(26,8)") == {"m": "sum((price * (1 - off)))"}
    assert wanted("avg(k#2)", "double") == {"m": "sum(k), if k is an int"}


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("avg(id#1L)", "double"),
        ("avg(distinct amt#3)", "decimal(14,6)"),
        ("avg(amt#3)", "decimal(38,6)"),
        ("stddev(amt#3)", "double"),
        ("count(distinct s#4)", "bigint"),
    ],
)
def test_nothing_would_help(text: str, type_: str) -> None:
    assert wanted(text, type_) == {}


GROUPED_WITH_MEAN = "Aggregate [k#2], [k#2, sum(amt#3) AS total#20, avg(amt#3) AS mean#21]"


def test_a_mean_beside_its_sum_is_added_up() -> None:
    nodes = tree(DBT, question("k#2, total#20, mean#21", GROUPED_WITH_MEAN, FACTS))
    names = columns("k int; total decimal(20,2); mean decimal(14,6)")
    delta_plan = DBT("_aggregate_delta_plan", nodes, find(nodes, "Aggregate"), names)
    assert (delta_plan["strategy"], delta_plan["values"]) == (
        "aggregate delta",
        {"total": "sum", "mean": "average"},
    )
    assert delta_plan["averages"] == {"mean": {"sum": "total", "count": None, "rows": None}}
    assert delta_plan["wanted"] == {}


def test_a_mean_alone_is_computed_again() -> None:
    nodes = tree(DBT, question("k#2, mean#21", GROUPED_WITH_MEAN, FACTS))
    delta_plan = DBT(
        "_aggregate_delta_plan",
        nodes,
        find(nodes, "Aggregate"),
        columns("k int; mean decimal(14,6)"),
    )
    assert (delta_plan["strategy"], delta_plan["values"]) == ("affected keys", {"mean": "holistic"})
    assert delta_plan["wanted"] == {"mean": "sum(amt)"} and delta_plan["averages"] == {}


# ROLLUP, CUBE and GROUPING SETS: rows are told apart by grouping_id() or grouping().

SETS = (
    "Expand [[k#2, s#4, k#30, s#31, 0], [k#2, s#4, k#30, null, 1], [k#2, s#4, null, null, 3]],"
    " [k#2, s#4, k#32, s#33, spark_grouping_id#34L]"
)
KEYS = "Project [k#2, s#4, k#2 AS k#30, s#4 AS s#31]"
OF_K, OF_S = (f"cast((shiftright(spark_grouping_id#34L, {bit}) & 1) as tinyint)" for bit in (1, 0))


def rolled_up(ids: str, names: str, shown: str) -> dict[str, Any]:
    """k and s, what else is shown, and a count."""
    items = f"k#32, s#33, {shown}count(1) AS n#40L"
    grouped = f"Aggregate [k#32, s#33, spark_grouping_id#34L], [{items}]"
    found = columns(f"k int; s string; {names}n bigint")
    return delta_plan(f"k#32, s#33, {ids}n#40L", found, grouped, SETS, KEYS)


def test_a_rollup_that_shows_its_level_is_added_up() -> None:
    found = rolled_up("level#35L, ", "level bigint; ", "spark_grouping_id#34L AS level#35L, ")
    assert (found["strategy"], found["one_row"]) == ("aggregate delta", True)
    assert found["keys"] == ["k", "s", "level"]


def test_so_is_one_that_shows_by_what_its_sets_differ() -> None:
    shown = f"{OF_K} AS all_k#35, {OF_S} AS all_s#36, "
    found = rolled_up("all_k#35, all_s#36, ", "all_k tinyint; all_s tinyint; ", shown)
    assert (found["strategy"], found["values"]) == ("aggregate delta", {"n": "count_all"})
    assert found["keys"] == ["k", "s", "all_k", "all_s"]


@pytest.mark.parametrize("shown", ["", f"{OF_K} AS bit#35, ", f"{OF_S} AS bit#35, "])
def test_a_null_of_the_data_is_not_taken_for_all(shown: str) -> None:
    found = rolled_up("bit#35, " * bool(shown), "bit tinyint; " * bool(shown), shown)
    lacks = "the result lacks the group key grouping_id()"
    assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: {lacks}"}


def test_the_set_of_all_alone_has_no_row_where_there_are_none() -> None:
    """Unlike an aggregate without GROUP BY: so it is none without its number."""
    one = "Expand [[k#2, 0]], [k#2, spark_grouping_id#34L]"
    grouped = "Aggregate [spark_grouping_id#34L], [count(1) AS n#40L]"
    lacks = "the result lacks the group key grouping_id()"
    found = delta_plan("n#40L", columns("n bigint"), grouped, one)
    assert found == {"reason": f"OPERATOR_NOT_INCREMENTAL: {lacks}"}
    grouped = grouped.replace("[count(1)", "[spark_grouping_id#34L AS g#41L, count(1)")
    found = delta_plan("g#41L, n#40L", columns("g bigint; n bigint"), grouped, one)
    assert found["keys"] == ["g"]
