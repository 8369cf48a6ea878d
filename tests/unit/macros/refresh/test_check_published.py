"""Seeing that the publish is in the view's history."""

from __future__ import annotations

import pytest

from ..harness import Dbt, DbtError
from ..scenes import VIEW, built

SPEC = {"mview_id": VIEW, "name": "`shop`.`totals`"}


def test_seen() -> None:
    dbt = built()
    job = {"id": dbt.engine.states[VIEW]["refresh_job_id"], "dry_run": False}
    dbt("_check_published", SPEC, job)
    assert (job["commit"]["version"], job["commit"]["rows"]) == (0, 3)  # type: ignore[index]


def test_dropped_without_an_error() -> None:
    with pytest.raises(DbtError, match="lock lost: another run took over the refresh, nothing"):
        built()("_check_published", SPEC, {"id": "another", "dry_run": False})


def test_a_dry_run_has_nothing_to_see() -> None:
    dbt, job = Dbt(), {"id": "j", "dry_run": True}
    dbt("_check_published", SPEC, job)
    assert job["commit"] == {"version": None, "rows": None}
    assert dbt.engine.log == []
