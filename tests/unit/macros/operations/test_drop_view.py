"""Dropping one view under its lock."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Commit, Delta, Foreign, View, delta, micros
from ...kit.harness import DbtError, Model
from ...kit.scenes import VIEW, again, built, change_source, lock, new


def test_it_takes_the_lock_first() -> None:
    """Else a refresh that begins right after the look works on a table that is going away."""
    dbt = built()
    dbt.operation("mview_drop", view="totals")
    assert [one.step for one in dbt.engine.writes[-3:]] == ["acquire", "drop", "forget"]
    assert "and lock_token = 2" in dbt.engine.sql("forget"), "and no row that another run took"


def test_a_refresh_that_begins_meanwhile_is_left_alone() -> None:
    dbt = built()
    dbt.engine.on["acquire"] = lambda sql: lock(dbt) and None
    with pytest.raises(DbtError, match="its lock changed hands at this moment"):
        dbt.operation("mview_drop", view="totals")
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states


def test_what_a_dead_run_left_goes_too() -> None:
    dbt = built()
    lock(dbt, lease_until=micros(1), refresh_job_id="dead")
    dbt.engine.tables["spark_catalog.shop_mview.mview_stage_dead"] = delta(1)
    dbt.operation("mview_drop", view="totals")
    assert not [name for name in dbt.engine.tables if "stage" in name or name == VIEW]
    assert dbt.engine.states == {}


@pytest.mark.parametrize("table", [View("select 1", []), Foreign()])
def test_what_took_its_place_is_not_ours_to_drop(table: Any) -> None:
    dbt = built()
    dbt.engine.tables[VIEW] = table
    dbt.operation("mview_drop", view="totals")
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states


def test_what_no_refresh_has_replaced_is_not_ours_to_drop() -> None:
    """The first build in place of a plain Delta table failed."""
    dbt = new(Model(config={"audit": "total > 0"}))
    dbt.engine.tables[VIEW] = delta(1)
    dbt.engine.audit = [1]
    assert [result.status for result in dbt.run()] == ["error"]
    again(dbt).operation("mview_drop", view="totals")
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states


def test_published_and_not_recorded() -> None:
    dbt = new()
    dbt("_on_run_start")
    dbt("materialization_mview_spark")
    assert dbt.engine.states[VIEW]["target_version"] is None
    dbt = again(dbt)
    change_source(dbt)
    dbt.operation("mview_drop", view="totals")
    assert VIEW not in dbt.engine.tables and VIEW not in dbt.engine.states


def test_what_a_model_built_that_is_no_view_any_more_stays() -> None:
    dbt = again(built(), Model(materialized="incremental"))
    dbt.engine.tables[VIEW].commit(99, "MERGE")
    dbt.operation("mview_drop", view=VIEW)
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states


@pytest.mark.parametrize(("operation", "dropped"), [("DELETE", True), ("CREATE TABLE", False)])
def test_a_table_that_somebody_changed_is_still_ours(operation: str, dropped: bool) -> None:
    dbt = built()
    dbt.engine.tables[VIEW].commit(99, operation)
    dbt.operation("mview_drop", view="totals")
    assert (VIEW not in dbt.engine.tables) == dropped and VIEW not in dbt.engine.states


@pytest.mark.parametrize("began", ["CREATE TABLE", "CONVERT"])
def test_a_table_of_somebody_elses_that_took_its_place_long_ago(began: str) -> None:
    """Its first commit is further back than what a refresh looks at."""
    dbt = built()
    later = [Commit(version, version, "WRITE") for version in range(1, 40)]
    dbt.engine.tables[VIEW] = Delta([Commit(0, 0, began), *later])
    dbt.operation("mview_drop", view="totals")
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states
    assert dbt.printed == [f"{VIEW}: forgotten, what has its name stays"]


@pytest.mark.parametrize("seen", [True, False])
def test_a_history_that_delta_cleaned(seen: bool) -> None:
    """Ours, if a later look has seen what was cleaned; in doubt it stays."""
    dbt = built()
    dbt.engine.tables[VIEW].commits = [Commit(7, 500, "OPTIMIZE")]
    dbt.engine.state(VIEW, last_refresh_time=micros(600 if seen else 400))
    dbt.operation("mview_drop", view="totals")
    assert (VIEW in dbt.engine.tables) is not seen
