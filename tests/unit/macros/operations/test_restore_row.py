"""A lost row of state, from the view's own history."""

from __future__ import annotations

import pytest

from ...kit.harness import DbtError
from ...kit.scenes import VIEW, again, built, new


def test_the_next_run_has_nothing_to_do() -> None:
    dbt = built()
    dbt.engine.states.clear()
    dbt.operation("mview_recover", view="totals")
    state = dbt.engine.states[VIEW]
    assert (state["lock_token"], state["sources"][0]["version"]) == (1, 2)
    assert again(dbt).operation("mview_recover", view="totals")[-1].endswith("nothing to recover")


def test_a_dry_run_does_not_say_that_it_was_done() -> None:
    dbt = built()
    dbt.engine.states.clear()
    (line,) = dbt.operation("mview_recover", view="totals", dry_run=True)
    assert "step=recover" in line and "state restored" not in line
    assert dbt.engine.states == {}


@pytest.mark.parametrize("meta", [None, '{"dbt_mview": {"mview_id": "another"}}'])
def test_a_table_that_is_not_ours(meta: str | None) -> None:
    dbt = built()
    dbt.engine.states.clear()
    dbt.engine.tables[VIEW].commits[-1].meta = meta
    with pytest.raises(DbtError, match="no table of it to restore one from"):
        dbt.operation("mview_recover", view="totals")


def test_no_table_at_all() -> None:
    with pytest.raises(DbtError, match="Build it with `dbt run --select totals`"):
        new().operation("mview_recover", view="totals")
