"""Windows over linear operators."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import FACTS, RANKED, columns, leaf, question, tree
from ..kit.records import as_said

DBT = Dbt()
SUM = "Window [sum(amt#3) windowspecdefinition(k#2, specifiedwindowframe(x)) AS t#13], [k#2]"
BY_TWO = "Window [rank() windowspecdefinition(k#2, s#4, x) AS r#14], [k#2, s#4], [id#1L ASC]"
OVERALL = "Window [row_number() windowspecdefinition(id#1L ASC, x) AS rn#12], [id#1L ASC]"
LACKS = "OPERATOR_NOT_INCREMENTAL: the result lacks the window's PARTITION BY"
COMPUTED = "Window [row_number() windowspecdefinition(_w0#40, x) AS rn#12], [_w0#40], [id#1L ASC]"
TWO = columns("k int; id bigint")


def delta_plan(*texts: str, items: str = "k#2, id#1L", names: Any = TWO) -> dict[str, Any]:
    nodes = tree(DBT, question(items, *texts, FACTS))
    path = DBT("_linear_path", nodes, leaf(nodes, "facts"))
    assert path["reason"] is None
    return as_said(DBT("_window_delta_plan", nodes, path, names))


def affected_keys(*keys: str, one_row: bool = False) -> dict[str, Any]:
    found = {"reason": None, "strategy": "affected keys", "keys": list(keys), "values": {}}
    return {**found, "one_row": one_row}


def test_partitions_are_the_keys() -> None:
    assert delta_plan(RANKED) == affected_keys("k")
    assert delta_plan(SUM) == affected_keys("k")


def test_the_first_row_of_each_partition() -> None:
    assert delta_plan("Filter (rn#12 = 1)", RANKED) == affected_keys("k", one_row=True)


@pytest.mark.parametrize("condition", ["(rn#12 <= 3)", "(rn#12 < 4)", "rn#12 = 1"])
def test_first_ranks(condition: str) -> None:
    assert delta_plan(f"Filter {condition}", RANKED) == affected_keys(
        "k", one_row="= 1" in condition
    )


def test_a_rank_may_give_two_rows() -> None:
    ranked = RANKED.replace("row_number", "rank")
    assert delta_plan("Filter (rn#12 = 1)", ranked) == affected_keys("k")


@pytest.mark.parametrize(
    "texts",
    [
        ("Filter (rn#12 = 2)", RANKED),
        ("Filter (rn#12 > 1)", RANKED),
        ("Filter (t#13 <= 3)", SUM),
        ("Filter (k#2 <= 3)", RANKED),
        ("Filter ((rn#12 = 1) AND (id#1L > 2))", RANKED),
        ("Filter ((rn#12 = 1) OR (rn#12 = 2))", RANKED),
        ("Filter NOT (rn#12 = 1)", RANKED),
        ("Filter (s#4 = rn#12 = 1)", RANKED),
        ("Filter (r#14 = 1)", "Filter (rn#12 = 1)", BY_TWO, RANKED),
        ("Filter (rn#12 = 1)", "Filter (rn#12 <= 3)", RANKED),
    ],
)
def test_other_filters(texts: tuple[str, ...]) -> None:
    assert delta_plan(*texts) == {"reason": "OPERATOR_NOT_INCREMENTAL: a filter over a window"}


def test_several_windows_share_keys() -> None:
    names = columns("k int; s string; t decimal(20,2)")
    found = delta_plan(BY_TWO, SUM, items="k#2, s#4, t#13", names=names)
    assert found == affected_keys("k")
    found = delta_plan("Filter (rn#12 = 1)", SUM, RANKED)
    assert found == affected_keys("k"), "the second window may have more rows"


def test_all_columns_of_the_partition() -> None:
    first = BY_TWO.replace("rank", "row_number")
    names = columns("k int; s string")
    found = delta_plan("Filter (r#14 = 1)", first, items="k#2, s#4", names=names)
    assert found == affected_keys("k", "s", one_row=True)
    found = delta_plan("Filter (r#14 = 1)", first)
    assert found == affected_keys("k"), "several rows for each k"
    twice = "Project [k#2, k#2 AS again#50]"
    names = columns("k int; again int")
    found = delta_plan(twice, "Filter (r#14 = 1)", first, items="k#2, again#50", names=names)
    assert found == affected_keys("k", "again"), "one column shown twice is not two"


def test_renamed_above() -> None:
    found = delta_plan("Project [k#2 AS key#50]", RANKED, items="key#50", names=columns("key int"))
    assert found == affected_keys("key")


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ((OVERALL,), "WINDOW_WITHOUT_PARTITION_BY"),
        (("Window [sum(amt#3) windowspecdefinition(x) AS t#13]",), "WINDOW_WITHOUT_PARTITION_BY"),
        ((COMPUTED,), f"{LACKS} an expression"),
        ((RANKED, SUM.replace("[k#2]", "[s#4]")), "WINDOWS_WITHOUT_COMMON_PARTITION_BY"),
        ((RANKED, OVERALL), "WINDOW_WITHOUT_PARTITION_BY"),
    ],
)
def test_reasons(texts: tuple[str, ...], reason: str) -> None:
    assert delta_plan(*texts) == {"reason": reason}


def test_a_partition_that_is_not_shown() -> None:
    found = delta_plan("Project [id#1L]", RANKED, items="id#1L", names=columns("id bigint"))
    assert found["reason"]["detail"] == "the result lacks the window's PARTITION BY k"
    upper = "Project [upper(k#2) AS k#50, id#1L]"
    assert delta_plan(upper, RANKED, items="k#50, id#1L")["reason"] == found["reason"]
