"""What would make a refresh FAST."""

from __future__ import annotations

import re

import pytest

from ..harness import MACROS, Dbt

DBT = Dbt()
WORDS = sorted(
    set(
        re.findall(
            r'"([A-Z]+(?:_[A-Z]+)+)\b',
            "".join(
                file.read_text()
                for folder in ("fast", "refresh")
                for file in (MACROS / folder).glob("*.sql")
            ),
        )
    )
)
ONCE = "The next refresh with changes of the sources alone may be."
PASSES = ["DEFINITION_CHANGED", "SCHEMA_CHANGED", "SOURCE_REPLACED", "TARGET_CHANGED"]


@pytest.mark.parametrize("word", WORDS)
def test_every_reason_has_a_way_out(word: str) -> None:
    way = DBT("_way_to_fast", {"reason": f"shop.orders v2 -> v3; not FAST: {word}: x"})
    assert (way == ONCE) == (word in PASSES), way


def test_there_are_reasons() -> None:
    assert set(PASSES) < set(WORDS) and len(WORDS) > 12
    assert DBT("_way_to_fast", {"reason": "first build"}) == ONCE
