"""One end of a refresh."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt


def test_outcome() -> None:
    found = Dbt()(
        "_outcome", "v", "j", "o", 3, "failed", None, failed_reason="x", method="complete"
    )
    assert found == {
        "mview_id": "v",
        "job_id": "j",
        "owner": "o",
        "token": 3,
        "result": "failed",
        "type": None,
        "release": True,
        "method": "complete",
        "reason": None,
        "failed_reason": "x",
        "started": None,
        "ended": None,
        "rows": None,
        "sources": None,
        "read_time": None,
        "target_version": None,
        "definition": None,
        "definition_hash": None,
        "spec": None,
        "invocation_id": "o",
        "refresh_group": None,
        "plan": None,
        "seen": None,
        "charge": True,
    }


@pytest.mark.parametrize("type_", ["complete", "skip"])
def test_the_method_is_the_type_unless_said_otherwise(type_: str) -> None:
    assert Dbt()("_outcome", "v", "j", "o", 3, "success", type_)["method"] == type_
