"""One item of a list of the plan."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt

DBT = Dbt()


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


@pytest.mark.parametrize(
    ("text", "nameless"),
    [
        ("Region#3", "#3"),
        ("sum(cast(Amt#4 as decimal(10,2)))", "sum(cast(#4 as decimal(10,2)))"),
        ("(-amt#4 + NOT x_1#5)", "(-#4 + NOT #5)"),
        ("my Region#3", "my #3"),
        ("upper(a)", "upper(a)"),
    ],
)
def test_nameless(text: str, nameless: str) -> None:
    assert DBT("_nameless", text) == nameless
