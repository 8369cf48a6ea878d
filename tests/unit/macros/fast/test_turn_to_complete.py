"""What FAST cannot do after all."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.jobs import SPEC, aggregate


def turn(unique: list[str], refresh: str = "auto") -> tuple[Dbt, dict[str, Any]]:
    dbt, job = Dbt(), aggregate(publish="merge")
    spec = {**SPEC, "unique_key": unique, "refresh": refresh}
    dbt("_turn_to_complete", spec, job, "CHANGE_DATA_UNAVAILABLE")
    return dbt, job


def test_complete() -> None:
    dbt, job = turn([])
    assert (job["method"], job["publish"], job["fast"], job["staged"]) == (
        "complete", "insert", None, False
    )  # fmt: skip
    assert job["reason"] == "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE"
    assert dbt.engine.log == []


def test_a_unique_key_is_checked_on_a_stage() -> None:
    dbt, job = turn(["k"])
    assert job["staged"] and dbt.engine.steps == ["stage"]
    assert "select * from orders version as of 3" in dbt.engine.sql("stage")


def test_an_error_where_the_model_insists() -> None:
    with pytest.raises(DbtError, match="this refresh cannot be: CHANGE_DATA_UNAVAILABLE"):
        turn([], "fast")
