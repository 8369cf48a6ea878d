"""GROUP BY over linear operators."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import FACTS, GROUPED, chain, columns, find, node, question, tree

DBT = Dbt()
THREE = columns("k int; n bigint; total decimal(20,2)")
ITEMS = "k#2, n#10L, total#11"


def shape(items: str, names: list[dict[str, str]], *texts: str) -> dict[str, Any]:
    nodes = tree(DBT, question(items, *texts, FACTS))
    found: dict[str, Any] = DBT("_aggregate_shape", nodes, find(nodes, "Aggregate"), names)
    return found


def test_counts_and_sums() -> None:
    assert shape(ITEMS, THREE, GROUPED) == {
        "reason": None,
        "strategy": "aggregate",
        "keys": ["k"],
        "values": {"n": "count_all", "total": "sum"},
        "one_row": True,
    }


def test_columns_in_another_order() -> None:
    """A contract's, or that of the view: they are found by their names."""
    turned = shape(ITEMS, THREE[::-1], GROUPED)
    assert (turned["keys"], turned["values"]) == (["k"], {"total": "sum", "n": "count_all"})


def test_renamed_above() -> None:
    renamed = "Project [total#11 AS amount#20, k#2 AS key#21]"
    found = shape("amount#20, key#21", columns("amount decimal(20,2); Key int"), renamed, GROUPED)
    assert (found["strategy"], found["keys"]) == ("aggregate", ["Key"])
    assert found["values"] == {"amount": "sum"}


def test_computed_above() -> None:
    """What stands over the aggregate is computed again with the group."""
    above = "Project [k#2, (n#10L * cast(2 as bigint)) AS twice#20L]"
    found = shape("k#2, twice#20L", columns("k int; twice bigint"), above, GROUPED)
    assert (found["strategy"], found["values"]) == ("keyed", {"twice": "other"})


def test_a_key_that_is_computed() -> None:
    grouped = "Aggregate [upper(s#4)], [upper(s#4) AS s#20, min(id#1L) AS lo#21L]"
    found = shape("s#20, lo#21L", columns("s string; lo bigint"), grouped)
    assert (found["keys"], found["values"]) == (["s"], {"lo": "min"})


def test_without_group_by() -> None:
    grouped = "Aggregate [count(1) AS n#20L, max(id#1L) AS top#21L]"
    found = shape("n#20L, top#21L", columns("n bigint; top bigint"), grouped)
    assert (found["keys"], found["values"]) == ([], {"n": "count_all", "top": "max"})


def test_one_other_value_makes_all_of_it_keyed() -> None:
    grouped = "Aggregate [k#2], [k#2, count(1) AS n#20L, avg(amt#3) AS mean#21]"
    found = shape("k#2, n#20L, mean#21", columns("k int; n bigint; mean double"), grouped)
    assert (found["strategy"], found["keys"]) == ("keyed", ["k"])
    assert found["values"] == {"n": "count_all", "mean": "other"}


def test_a_key_twice() -> None:
    grouped = "Aggregate [k#2], [k#2, k#2 AS again#20, count(1) AS n#21L]"
    found = shape("k#2, again#20, n#21L", columns("k int; again int; n bigint"), grouped)
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
    found = shape(items, columns(names), *texts)
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
    found = DBT("_aggregate_shape", nodes, find(nodes, "Aggregate"), names)
    assert (found["keys"], found["values"]) == (["label"], {"n": "count_all"})


def test_names_in_any_case() -> None:
    """The plan prints each name as it was written."""
    grouped = "Aggregate [region#2], [Region#2, count(1) AS n#20L]"
    found = shape("Region#2, n#20L", columns("Region string; n bigint"), grouped)
    assert (found["keys"], found["values"]) == (["Region"], {"n": "count_all"})
    grouped = "Aggregate [k#2], [k#2, sum(Amt#3) AS s#20L, avg(amt#3) AS m#21, avg(-amt#3) AS o#22]"
    names = columns("k int; s bigint; m double; o double")
    found = shape("k#2, s#20L, m#21, o#22", names, grouped)
    assert list(found["means"]) == ["m"] and found["values"]["o"] == "other"


def test_a_literal_that_reads_like_a_count() -> None:
    grouped = "Aggregate [k#2, count(1)], [k#2, count(1) AS label#20, count(1) AS n#21L]"
    found = shape("k#2, label#20, n#21L", columns("k int; label string; n bigint"), grouped)
    assert found == {"reason": "OPERATOR_NOT_INCREMENTAL: the result lacks the group key count(1)"}
