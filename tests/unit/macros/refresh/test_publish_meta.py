"""What the publishing commit says of itself."""

from __future__ import annotations

from ...kit.harness import Dbt


def test_a_deferred_build_has_read_nothing() -> None:
    spec = {"mview_id": "v"}
    job = dict.fromkeys(["id", "token", "method", "reason", "started", "sources"], 1)
    job.update(definition_hash="h", owner="o", read_time=5, deferred=True)  # type: ignore[call-overload]
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] is None
    job["deferred"] = False
    assert Dbt()("_publish_meta", spec, job)["dbt_mview"]["read_time"] == 5
