"""Step acquire."""

from __future__ import annotations

import pytest

from ..harness import DbtError
from ..scenes import VIEW, built, lock, new


def test_the_token_goes_up_with_every_refresh() -> None:
    dbt = built()
    assert dbt.engine.states[VIEW]["lock_token"] == 1
    dbt.engine.state(VIEW, last_refresh_result="failed")
    dbt.run()
    assert dbt.engine.states[VIEW]["lock_token"] == 2


def test_a_first_build_that_two_begin_at_once() -> None:
    """The MERGE finds a row that was not there a moment ago."""
    dbt = new()
    dbt.engine.on["acquire"] = lambda sql: VIEW not in dbt.engine.states and lock(dbt) and None
    (result,) = dbt.run()
    assert "is refreshing" in result.message
    assert "publish" not in dbt.engine.steps


@pytest.mark.parametrize("full_refresh", [False, True])
def test_check_row_missing(full_refresh: bool) -> None:
    dbt = built()
    spec = dbt("_spec_from_model")
    spec["full_refresh"] = full_refresh
    job = {"target": dbt("_target", spec)}
    if full_refresh:
        dbt("_check_row_missing", spec, job)
        return
    with pytest.raises(DbtError, match=f"refresh info row missing for {VIEW}"):
        dbt("_check_row_missing", spec, job)


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "another"}}'])
def test_a_table_that_is_not_ours_has_no_row_to_miss(meta: str | None) -> None:
    dbt = built()
    dbt.engine.tables[VIEW].commits[-1].meta = meta
    spec = dbt("_spec_from_model")
    dbt("_check_row_missing", spec, {"target": dbt("_target", spec)})
