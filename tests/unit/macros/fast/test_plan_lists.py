"""Lists as the plan prints them."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt
from .plans import GROUPED, RANKED

DBT = Dbt()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("k#1", ["k#1"]),
        ("k#1, name#2", ["k#1", "name#2"]),
        ("id#1L,k#2,amt#3", ["id#1L", "k#2", "amt#3"]),
        (
            "coalesce(a#1, b#2) AS c#3, struct(x, 1, y, [2, 3]) AS d#4",
            ["coalesce(a#1, b#2) AS c#3", "struct(x, 1, y, [2, 3]) AS d#4"],
        ),
        ("[k#1], [k#1, n#2L]", ["[k#1]", "[k#1, n#2L]"]),
        ("map(keys: {a, b}, 1) AS m#1, z#2", ["map(keys: {a, b}, 1) AS m#1", "z#2"]),
        ('it\'s AS q#1, say "a" AS r#2', ["it's AS q#1", 'say "a" AS r#2']),
    ],
)
def test_split_list(text: str, parts: list[str]) -> None:
    assert DBT("_split_list", text) == parts


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (
            GROUPED.split(" ", 1)[1],
            [["k#2"], ["k#2", "count(1) AS n#10L", "sum(amt#3) AS total#11"]],
        ),
        ("[count(1) AS n#1L]", [["count(1) AS n#1L"]]),
        ("[a#1[0] AS x#2, b#3]", [["a#1[0] AS x#2", "b#3"]]),
        ("0, true, [k#10, n#11L], false, false", [["k#10", "n#11L"]]),
        ("Inner, (a#1[0] = b#2)", []),
        ("", []),
    ],
)
def test_bracketed_lists(text: str, lists: list[list[str]]) -> None:
    assert DBT("_bracketed_lists", text) == lists


def test_a_window_has_functions_partition_and_order() -> None:
    functions, partition, order = DBT("_bracketed_lists", RANKED.split(" ", 1)[1])
    assert len(functions) == 1 and functions[0].endswith("currentrow$())) AS rn#12")
    assert (partition, order) == (["k#2"], ["id#1L DESC NULLS LAST"])


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("k#1", {"expression": "k#1", "id": "1", "alias": False}),
        ("n#12L", {"expression": "n#12L", "id": "12", "alias": False}),
        ("count(1) AS n#3L", {"expression": "count(1)", "id": "3", "alias": True}),
        ("k#1 AS K2#7", {"expression": "k#1", "id": "7", "alias": True}),
        (
            "cast(a#1 AS int) AS sum of#9",
            {"expression": "cast(a#1 AS int)", "id": "9", "alias": True},
        ),
        ("id#2L DESC NULLS LAST", {"expression": "id#2L DESC NULLS LAST", "id": None, "alias": 0}),
        ("1", {"expression": "1", "id": None, "alias": False}),
    ],
)
def test_plan_item(item: str, found: Any) -> None:
    assert DBT("_plan_item", item) == found


def test_ids() -> None:
    assert DBT("_ids", ["k#1", "count(1) AS n#3L", "x"]) == ["1", "3", None]
