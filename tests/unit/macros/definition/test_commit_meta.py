"""What the package put into a commit."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt

META = '{"dbt_mview": {"reason": "\u4e2d"}}'


@pytest.mark.parametrize(
    ("text", "meta"),
    [
        (None, None),
        ("", None),
        ("by hand", None),
        ('{"other": 1}', None),
        ('{"dbt_mview": {"lock_token": 3}}', {"lock_token": 3}),
        ('{"dbt_mview": broken', None),
        ('{"dbt_mview": "by hand"}', None),
        ('{"dbt_mview": ["by hand"]}', None),
    ],
)
def test_commit_meta(text: str | None, meta: Any) -> None:
    assert Dbt()("_commit_meta", text) == meta


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, None),
        ({"notMatchedPredicates": None}, None),
        ({"notMatchedPredicates": '[{"actionType":"insert"}]'}, None),
        ({"notMatchedPredicates": "x in (7b226f7468657222)"}, None),
        ({"notMatchedPredicates": f"(op NOT IN (a, {META.encode().hex()}))"}, META),
    ],
)
def test_merge_meta(parameters: Any, text: str | None) -> None:
    assert Dbt()("_merge_meta", parameters) == text
