"""Columns as configs name them."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (None, []),
        ("", []),
        ([""], [""]),
        ("day", ["day"]),
        ("day, , region", ["day", "region"]),
        ("day, region", ["day", "region"]),
        ("`day`", ["day"]),
        ("`a,b`, c", ["a,b", "c"]),
        (["day", "`of``it`"], ["day", "of`it"]),
        (["a,b", "b`c"], ["a,b", "b`c"]),
    ],
)
def test_columns_of(value: Any, names: list[str]) -> None:
    assert Dbt()("_columns_of", value) == names
