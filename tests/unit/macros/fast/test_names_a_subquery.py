"""Names of subqueries, which are no functions."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("with t ( a ) as ( select", True),
        (") t ( a )", True),
        ("as t ( a )", True),
        (", t ( a , b ) as ( select", True),
        (", t ( a , b ) as ( values", True),
        (", t ( a ) as ( c , d )", False),
        (", t ( a ) as c", False),
        (", t ( a", False),
        ("select t ( a )", False),
        ("+ t ( a ) as ( select", False),
    ],
)
def test_alias(sql: str, found: bool) -> None:
    tokens = sql.split()
    assert Dbt()("_names_a_subquery", tokens, tokens.index("t")) is found


def test_at_the_very_start() -> None:
    assert Dbt()("_names_a_subquery", ["t", "(", ")"], 0) is False
