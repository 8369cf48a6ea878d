"""Whether an expression looks at covered columns alone, and how."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("k#1", True),
        ("(k#1 + 2)", True),
        ("(k#1 + t#3)", False),
        ("x#2", True),
        ("(x#2 = k#1)", True),
        ("(k#1 <=> x#2)", True),
        ("(x#2 <= k#1)", False),
        ("cast(x#2 as string)", False),
        ("a LIKE x#2", False),
        ("((x#2 = k#1) AND (cast(x#2 as int) = 3))", False),
        ("struct(k#1, ... 3 more fields)", False),
        ("1", True),
    ],
)
def test_is_over(text: str, over: bool) -> None:
    """k is covered, x as what it is equal to, t is not."""
    assert Dbt()("_is_over", text, ["1", "2"], ["2"]) is over


def test_all_columns() -> None:
    dbt = Dbt()
    assert dbt("_is_over", "cast(x#2 as string)", None, [])
    assert not dbt("_is_over", "cast(x#2 as string)", None, ["2"])
    assert dbt("_is_over", "cast(x#2 as string)", None, ["9"])
