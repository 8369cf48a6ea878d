"""What a failed refresh left is taken away."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import Foreign, View
from ..harness import Dbt, Model
from ..scenes import SOURCE, VIEW, new, outcomes


def test_the_stage_goes() -> None:
    dbt = new(Model(config={"audit": "total > 0"}))
    dbt.engine.audit = [1]
    dbt.run()
    assert dbt.engine.steps.count("sweep") == 1
    assert not [name for name in dbt.engine.tables if "stage" in name]
    assert outcomes(dbt) == {}


@pytest.mark.parametrize("step", ["publish", "swap_out", "swap_in"])
@pytest.mark.parametrize("old", [View("select 1", []), Foreign()])
def test_the_chain_goes_back(old: Any, step: str) -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = old
    dbt.engine.on[step] = fail
    (result,) = dbt.run()
    assert result.message == "disk full"
    assert dbt.engine.tables[VIEW] is old
    assert sorted(dbt.engine.tables) == [SOURCE, VIEW]


def test_before_the_plan_there_is_nothing_to_undo() -> None:
    dbt = Dbt()
    assert dbt("_undo", {"publish": None}) is None
    assert dbt.engine.log == []


def fail(sql: str) -> None:
    raise RuntimeError("disk full")
