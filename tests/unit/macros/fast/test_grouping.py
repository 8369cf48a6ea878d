"""What an Aggregate is grouped by, with commas in literals."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt


@pytest.mark.parametrize(
    ("parts", "items", "grouping"),
    [
        (["k#1", "s#2"], ["k#1", "count(1) AS n#3L"], ["k#1", "s#2"]),
        (
            ["if (p#1) a", "b else c", "k#2"],
            ["if (p#1) a, b else c AS x#3"],
            ["if (p#1) a, b else c", "k#2"],
        ),
        (["a", "b", "k#2"], ["k#2", "a AS x#3"], ["a", "b", "k#2"]),
        ([], ["count(1) AS n#3L"], []),
    ],
)
def test_grouping(parts: list[str], items: list[str], grouping: list[str]) -> None:
    assert Dbt()("_grouping", parts, items) == grouping
