"""A unique_key that is only a part of the groups' key."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, append, keyed


def clash(given: Any, *unique: str, count: int = 1) -> tuple[Any, list[str]]:
    dbt = Dbt()
    dbt.engine.audit = [count]
    found = dbt("_keys_may_clash", {**SPEC, "unique_key": list(unique)}, given)
    return found, dbt.engine.steps


@pytest.mark.parametrize("count", [0, 1, 5])
def test_asked(count: int) -> None:
    assert clash(aggregate(), "K", count=count) == (count > 0, ["read_audit"])


@pytest.mark.parametrize(
    ("given", "unique"),
    [
        (aggregate(), []),
        (aggregate(), ["k", "S"]),
        (aggregate(), ["k", "s", "n"]),
        (keyed(), ["k"]),
        (append(), ["k"]),
        (aggregate(dry_run=True), ["k"]),
    ],
)
def test_not_asked(given: Any, unique: list[str]) -> None:
    assert clash(given, *unique) == (False, [])
