"""Step publish: one commit."""

from __future__ import annotations

import pytest

from ..harness import Dbt
from ..scenes import built, change_source, new


@pytest.mark.parametrize("scene", [new, built])
def test_one_commit_on_the_view(scene: object) -> None:
    dbt: Dbt = scene()  # type: ignore[operator]
    change_source(dbt)
    dbt.run()
    assert dbt.engine.steps.count("publish") == 1
    assert "raise_error('dbt_mview: lock lost" in dbt.engine.sql("publish")
