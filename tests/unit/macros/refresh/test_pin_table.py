"""The version of one table at a moment."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine, Foreign, delta, micros
from ...kit.harness import Dbt

NAME = "spark_catalog.shop.a"


def engine() -> Engine:
    found = Engine()
    found.tables[NAME] = delta(10, 20, 30)
    return found


def pin(version: int, minute: float) -> dict[str, Any]:
    return {"relation": NAME, "table_id": None, "version": version, "commit_time": micros(minute)}


@pytest.mark.parametrize(
    ("moment", "version", "minute"),
    [(None, 2, 30), (40, 2, 30), (30, 2, 30), (29.9, 1, 20), (20, 1, 20), (10, 0, 10), (5, 2, 30)],
)
def test_the_last_version_at_a_moment(moment: float | None, version: int, minute: int) -> None:
    at = None if moment is None else micros(moment)
    assert Dbt(engine())("_pin_table", NAME, at) == pin(version, minute)


def test_what_is_not_delta_has_no_version() -> None:
    found = engine()
    found.tables[NAME] = Foreign()
    assert Dbt(found)("_pin_table", NAME, None)["version"] is None
