"""The lock of a view for an operation that refreshes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError
from ...kit.scenes import OTHER, SECOND, VIEW, built, lock


def take(dbt: Dbt, **changes: Any) -> Any:
    dbt("_ensure_state")
    spec = dbt("_spec_from_model")
    job = dbt("_operation_job", spec, dbt("_read_state", VIEW), False)
    job.update(changes)
    dbt("_take_lock", spec, job)
    return job


def test_a_free_lock() -> None:
    dbt = built()
    assert (take(dbt)["token"], dbt.engine.states[VIEW]["lock_owner"]) == (2, SECOND)
    assert dbt.engine.states[VIEW]["intent"] == {"definition": None, "spec": None}


def test_a_lock_that_is_held() -> None:
    dbt = built()
    lock(dbt)
    with pytest.raises(DbtError, match="is refreshing"):
        take(dbt)
    assert (take(dbt, force=True)["token"], dbt.engine.states[VIEW]["lock_owner"]) == (6, SECOND)


def test_a_lock_whose_lease_is_over() -> None:
    dbt = built()
    lock(dbt, lease_until=micros(1))
    job = take(dbt)
    assert (job["token"], job["holder"]["owner"]) == (6, OTHER)
    assert dbt.engine.states[VIEW]["intent"]["holder"]["job_id"] == "job-of-the-other"


def test_a_row_that_changed_since_it_was_read() -> None:
    dbt = built()
    dbt.engine.acquire = ["conflict"]
    with pytest.raises(DbtError, match="its lock changed hands at this moment"):
        take(dbt)
