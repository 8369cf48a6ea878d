"""mview_drop and mview_drop_orphans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Commit, Delta, Foreign, View, delta, micros
from ..kit.harness import Dbt, DbtError, Model
from ..kit.log_scenes import LOG, log_engine, logged
from ..kit.scenes import VIEW, again, built, change_source, lock, new, transcript

# mview_drop.


def test_drop(golden: Golden) -> None:
    dbt = built()
    assert dbt.operation("mview_drop", view="totals") == [f"{VIEW}: dropped"]
    golden("operation_drop", transcript(dbt, "mview_drop: the lock, the table, its row"))
    assert VIEW not in dbt.engine.tables and VIEW not in dbt.engine.states


def test_dry_run() -> None:
    dbt = built()
    printed = dbt.operation("mview_drop", view="totals", dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == ["acquire", "drop", "forget"]
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states


def test_busy() -> None:
    dbt = built()
    lock(dbt)
    with pytest.raises(DbtError, match="is refreshing"):
        dbt.operation("mview_drop", view="totals")


def test_unknown_to_state() -> None:
    with pytest.raises(DbtError, match="state does not know it as a materialized view"):
        new().operation("mview_drop", view="totals")


# Dropping one view under its lock.


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


# mview_drop_orphans.


GONE = "spark_catalog.shop.gone"
DEAD = "dead" * 8
STAGE = f"spark_catalog.shop_mview.mview_stage_{DEAD}"


def project() -> Dbt:
    """A view whose model is there, one whose model is gone, one of another target."""
    dbt = built()
    spec = {"project": "shop", "target": "dev", "target_schema": "shop", "schema": "shop"}
    spec |= {"identifier": "gone"}
    dbt.engine.state(GONE, spec=spec, target_version=0)
    meta = json.dumps({"dbt_mview": {"mview_id": GONE}})
    dbt.engine.tables[GONE] = Delta([Commit(0, 1, meta=meta)])
    foreign = {**spec, "target": "prod", "identifier": "prod"}
    dbt.engine.state("spark_catalog.shop.prod", spec=foreign)
    dbt.engine.tables["spark_catalog.shop.prod"] = delta(1)
    dbt.engine.state("spark_catalog.shop.lost", spec={**foreign, "identifier": "lost"})
    dbt.engine.tables[STAGE] = delta(1)
    return dbt


def test_orphans() -> None:
    dbt = project()
    assert dbt.operation("mview_drop_orphans") == [
        f"{GONE}: dropped",
        "spark_catalog.shop.lost: dropped",
    ]
    assert set(dbt.engine.states) == {VIEW, "spark_catalog.shop.prod"}
    assert GONE not in dbt.engine.tables and "spark_catalog.shop.prod" in dbt.engine.tables
    assert STAGE not in dbt.engine.tables


def test_mview_drop_orphans_dry_run() -> None:
    dbt = project()
    before = set(dbt.engine.tables), set(dbt.engine.states)
    dbt.engine.state(
        "spark_catalog.shop.kept", spec={**dbt.engine.states[GONE]["spec"], "identifier": "kept"}
    )
    dbt.engine.tables["spark_catalog.shop.kept"] = View("select 1", [])
    before = set(dbt.engine.tables), set(dbt.engine.states)
    assert dbt.operation("mview_drop_orphans", dry_run=True) == [
        f"would drop {GONE}",
        "would drop spark_catalog.shop.lost",
        "would forget spark_catalog.shop.kept, what has its name stays",
        f"would drop `shop_mview`.`mview_stage_{DEAD}`",
    ]
    assert dbt.engine.writes == []
    assert (set(dbt.engine.tables), set(dbt.engine.states)) == before


@pytest.mark.parametrize("dry_run", [False, True])
def test_no_orphans_is_a_line(dry_run: bool) -> None:
    printed = built().operation("mview_drop_orphans", dry_run=dry_run)
    assert printed == ["mview_drop_orphans: there are none"]


def test_what_runs_is_no_orphan() -> None:
    dbt = project()
    lock(dbt, refresh_job_id=DEAD)
    dbt.engine.state(GONE, lock_owner="x", lease_until=micros(9999), refresh_job_id="y")
    dbt.operation("mview_drop_orphans")
    assert GONE in dbt.engine.tables
    assert STAGE in dbt.engine.tables


def test_what_was_decided_is_no_orphan() -> None:
    """A stage that the next run publishes from, whoever tried to recover it in between."""
    dbt = project()
    decided = {"redo": {"publish": "insert"}}
    lock(dbt, refresh_job_id=DEAD, lease_until=micros(0), intent=decided)
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables
    lock(dbt, refresh_job_id="y", intent={"holder": {"job_id": DEAD, "intent": decided}})
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables
    lock(dbt, refresh_job_id=DEAD, lease_until=micros(0), intent={})
    dbt.operation("mview_drop_orphans")
    assert STAGE not in dbt.engine.tables


def test_a_table_that_looks_like_a_stage_stays() -> None:
    dbt = project()
    dbt.engine.tables["spark_catalog.shop_mview.mview_stage_of_ann"] = delta(1)
    dbt.operation("mview_drop_orphans")
    assert "spark_catalog.shop_mview.mview_stage_of_ann" in dbt.engine.tables
    assert not [one for one in dbt.engine.log if "`mview_stage_ann`" in one.sql]


def test_a_stage_that_is_begun_meanwhile_stays() -> None:
    """Its lock is taken after the locks were read, and its stage built after that."""
    dbt = project()
    del dbt.engine.tables[STAGE]
    dbt.engine.on["read_state"] = lambda sql: dbt.engine.tables.update({STAGE: delta(1)})
    dbt.operation("mview_drop_orphans")
    assert STAGE in dbt.engine.tables


def test_no_models_at_all() -> None:
    """Another project with the same state must not lose its views."""
    dbt = project()
    dbt.context["project_name"] = "another"
    dbt.context["graph"]["nodes"] = {}
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and GONE in dbt.engine.tables
    assert Model().unique_id not in dbt.context["graph"]["nodes"]


@pytest.mark.parametrize("differs", [{"target_schema": "shop_of_bob"}, {"target_schema": None}])
def test_what_another_schema_of_the_same_target_built_is_no_orphan(differs: Any) -> None:
    """Developers, and pull requests, that share a state schema."""
    dbt = project()
    dbt.engine.states[GONE]["spec"] |= differs
    dbt.operation("mview_drop_orphans")
    assert GONE in dbt.engine.tables and GONE in dbt.engine.states


@pytest.mark.parametrize("materialized", ["table", "incremental", "view"])
def test_a_view_that_became_another_kind_of_model(materialized: str) -> None:
    """Its row goes, once the model has run; its table is that of a live model."""
    dbt = again(built(), Model(materialized=materialized))
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states, "not yet run"
    dbt.engine.tables[VIEW].commit(99, "MERGE")
    printed = dbt.operation("mview_drop_orphans")
    assert printed[-1] == f"{VIEW}: forgotten, what has its name stays"
    assert VIEW in dbt.engine.tables and VIEW not in dbt.engine.states


def test_a_view_that_became_ephemeral() -> None:
    """Such a model never builds what could take the place of the view's table."""
    dbt = again(built(), Model(materialized="ephemeral"))
    assert dbt.operation("mview_drop_orphans") == [f"{VIEW}: dropped"]
    assert VIEW not in dbt.engine.tables and VIEW not in dbt.engine.states


def test_a_view_under_another_name_of_the_materialization_is_no_orphan() -> None:
    dbt = again(built(), Model(materialized="materialized_view"))
    dbt.engine.tables[VIEW].commit(99, "MERGE")
    dbt.operation("mview_drop_orphans")
    assert VIEW in dbt.engine.tables and VIEW in dbt.engine.states


def test_a_log_that_is_gone_is_forgotten() -> None:
    dbt = logged(1)
    dbt.context["graph"]["nodes"] = {}
    assert dbt.operation("mview_drop_orphans") == ["mview_drop_orphans: there are none"]
    del dbt.engine.tables[LOG]
    assert dbt.operation("mview_drop_orphans")[-1] == f"{LOG}: forgotten"


# Rows of logs that nobody answers for.


GONE_LOG, TAKEN, HELD = (f"spark_catalog.shop.{name}_log" for name in ("gone", "taken", "held"))
DEAD_LOG = "spark_catalog.shop.dead_log"


def project_of_logs() -> Dbt:
    """A log of this project, one of another; logs that are gone, of which one is being purged."""
    dbt = logged(1)
    engine = log_engine(dbt)
    for mlog_id in (GONE_LOG, TAKEN, HELD, DEAD_LOG, "spark_catalog.shop.other_log"):
        engine.logs[mlog_id] = "spark_catalog.shop.orders"
    engine.tables["spark_catalog.shop.other_log"] = engine.tables[LOG]
    engine.tables[TAKEN] = delta(1)
    engine.log_rows[HELD] = {"lock_owner": "i", "lock_token": 1, "lease_until": 10**18}
    engine.log_rows[DEAD_LOG] = {"lock_owner": "i", "lock_token": 1, "lease_until": 1}
    return dbt


def test_forgotten() -> None:
    dbt = project_of_logs()
    dbt("_forget_gone_logs")
    assert set(log_engine(dbt).logs) == {LOG, HELD, "spark_catalog.shop.other_log"}
    assert dbt.printed == [f"{one}: forgotten" for one in (DEAD_LOG, GONE_LOG, TAKEN)]
    assert "and coalesce(lease_until < current_timestamp(), true)" in dbt.engine.sql("forget")


def test_a_model_will_write_its_log_again() -> None:
    dbt = project_of_logs()
    del dbt.engine.tables[LOG]
    dbt("_forget_gone_logs")
    assert LOG in log_engine(dbt).logs


def test_forget_gone_logs_dry_run() -> None:
    dbt = project_of_logs()
    dbt("_forget_gone_logs", True)
    assert dbt.engine.writes == [] and len(dbt.printed) == 3
    assert all(text.startswith("would forget ") for text in dbt.printed)


def test_without_logs() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    dbt("_forget_gone_logs")
    assert dbt.engine.writes == []
