"""One item of a list of the plan."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

DBT = Dbt()


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("k#1", ("k#1", "k", "1", False)),
        ("n#12L", ("n#12L", "n", "12", False)),
        ("count(1) AS n#3L", ("count(1)", "n", "3", True)),
        ("k#1 AS K2#7", ("k#1", "K2", "7", True)),
        ("cast(a#1 as int) AS sum of#9", ("cast(a#1 as int)", "sum of", "9", True)),
        ("AS note#9", ("", "note", "9", True)),
        ("AS#9", ("AS#9", "AS", "9", False)),
        (
            "(cast(p#1 as int) / cast(t#2 as int)) AS (CAST(p AS INT) / CAST(t AS INT))#4",
            (
                "(cast(p#1 as int) / cast(t#2 as int))",
                "(CAST(p AS INT) / CAST(t AS INT))",
                "4",
                True,
            ),
        ),
        (
            "(CAST(p AS INT) / CAST(t AS INT))#4",
            (
                "(CAST(p AS INT) / CAST(t AS INT))#4",
                "(CAST(p AS INT) / CAST(t AS INT))",
                "4",
                False,
            ),
        ),
        ("id#2L DESC NULLS LAST", ("id#2L DESC NULLS LAST", None, None, False)),
        ("1", ("1", None, None, False)),
    ],
)
def test_plan_item(item: str, found: Any) -> None:
    part = DBT("_plan_item", item)
    assert (part["expression"], part["name"], part["id"], part["alias"]) == found
    if part["id"]:
        assert item.endswith(part["reference"]) and part["reference"].startswith(part["name"] + "#")


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
