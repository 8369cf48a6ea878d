"""Seeing what became of the publish in the view's history."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.scenes import VIEW, built

SPEC = {"mview_id": VIEW, "name": "`shop`.`totals`"}


def job(dbt: Dbt, **changes: Any) -> dict[str, Any]:
    """The job of the last refresh of the view."""
    state = dbt.engine.states[VIEW]
    held = {"id": state["refresh_job_id"], "token": state["lock_token"], "state": state}
    return {**held, "dry_run": False, "fast": None, **changes}


def test_seen() -> None:
    dbt = built()
    ours = job(dbt)
    dbt("_check_published", SPEC, ours)
    assert (ours["commit"]["version"], ours["commit"]["rows"]) == (0, 3)
    assert ours["ended"] == dbt("_now_micros")


def test_nothing_changed() -> None:
    """No commit, and the lock is still ours: the view is as it was."""
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    ours = job(dbt)
    dbt("_check_published", SPEC, ours)
    assert ours["commit"] == {"version": 0, "rows": 0}


@pytest.mark.parametrize("publish", ["create", "replace", "swap"])
def test_an_engine_that_drops_the_metadata(publish: str) -> None:
    """What builds a table leaves a commit: one that says nothing of the refresh is its own."""
    dbt = built()
    dbt.engine.tables[VIEW].commit(700, "CREATE OR REPLACE TABLE AS SELECT", 3)
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    with pytest.raises(DbtError) as error:
        dbt("_check_published", SPEC, job(dbt, publish=publish))
    text = "version 1 of its history, by CREATE OR REPLACE TABLE AS SELECT, is without the metadata"
    assert text in str(error.value) and "mview_doctor" in str(error.value)


@pytest.mark.parametrize("changes", [{"id": "another"}, {"id": "next", "token": 1}])
def test_dropped_without_an_error(changes: Any) -> None:
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    with pytest.raises(DbtError, match="lock lost: another run took over the refresh, nothing"):
        dbt("_check_published", SPEC, job(dbt, **changes))


def test_a_row_of_state_that_is_gone() -> None:
    dbt = built()
    ours = job(dbt, id="next")
    dbt.engine.states.clear()
    with pytest.raises(DbtError, match="lock lost"):
        dbt("_check_published", SPEC, ours)


@pytest.mark.parametrize(
    ("operation", "fast", "version"), [("DELETE", {"x": 1}, 0), ("DELETE", None, 2),
                                       ("OPTIMIZE", {"x": 1}, 2)]
)  # fmt: skip
def test_somebody_wrote_meanwhile(operation: str, fast: Any, version: int) -> None:
    """FAST built on a view that is no more: the next look finds it changed."""
    dbt = built()
    view = dbt.engine.tables[VIEW]
    seen = dbt(
        "_target",
        {"database": None, "schema": "shop", "identifier": "totals", "name": SPEC["name"]},
    )
    view.commit(700, operation)
    view.commit(701, "WRITE", 5, view.commits[0].meta)
    ours = job(dbt, fast=fast, target=seen)
    dbt.engine.states[VIEW]["target_version"] = 0
    dbt("_check_published", SPEC, ours)
    assert ours["commit"]["version"] == version


def test_a_dry_run_has_nothing_to_see() -> None:
    dbt, dry = Dbt(), {"id": "j", "dry_run": True}
    dbt("_check_published", SPEC, dry)
    assert dry["commit"] == {"version": None, "rows": None}
    assert dbt.engine.log == []
    dbt("_check_lock_is_ours", SPEC, dry)


@pytest.mark.parametrize("token", [2, 3])
def test_an_older_token_is_dropped_by_delta(token: int) -> None:
    """Without an error: then the view is not as its new sources have it."""
    dbt = built()
    dbt.engine.state(VIEW, refresh_job_id="next", lock_token=2, lock_owner="run")
    dbt.engine.tables[VIEW].commits[-1].meta = json.dumps({"dbt_mview": {"lock_token": token}})
    with pytest.raises(DbtError, match=f"its history holds token {token}, so that Delta dropped"):
        dbt("_check_published", SPEC, job(dbt))
