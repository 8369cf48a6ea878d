"""What would make a refresh FAST."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ...kit.harness import MACROS, Dbt

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


def job(reason: str, refresh: str = "auto") -> dict[str, Any]:
    return {"reason": reason, "spec": {"refresh": refresh}}


@pytest.mark.parametrize("word", WORDS)
def test_every_reason_has_a_way_out(word: str) -> None:
    way = DBT("_way_to_fast", job(f"shop.orders v2 -> v3; not FAST: {word}: x"))
    assert (way == ONCE) == (word in PASSES), way


def test_there_are_reasons() -> None:
    assert set(PASSES) < set(WORDS) and len(WORDS) > 12
    assert DBT("_way_to_fast", job("first build")) == ONCE


def test_a_view_that_says_complete() -> None:
    assert DBT("_way_to_fast", job("shop.orders v2 -> v3", "complete")) == "Set refresh to auto."
