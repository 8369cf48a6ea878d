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


def test_a_deferred_build_has_read_nothing() -> None:
    spec = {"mview_id": "v"}
    job = dict.fromkeys(["id", "token", "method", "reason", "started", "sources"], 1)
    job.update(definition_hash="h", owner="o", read_time=5, deferred=True)  # type: ignore[call-overload]
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] is None
    job["deferred"] = False
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] == 5
