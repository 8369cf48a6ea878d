"""Before and after a run: its outcomes in two commits, the stages that dead runs left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ..kit.engine import delta, micros, outcome_rows
from ..kit.harness import Dbt, DbtError, Model, NodeResult
from ..kit.log_scenes import log_model
from ..kit.scenes import VIEW, built, change_source, lock, new

# Before a run.


TABLE = Model("orders", materialized="table")


def test_rows_are_read_once_for_all() -> None:
    dbt = Dbt(built().engine, Model(), Model("other"))
    dbt("_on_run_start")
    assert dbt.engine.steps.count("read_state") == 1
    states = dbt("_memory")["states"]
    assert states[VIEW]["target_version"] == 0
    assert states["spark_catalog.shop.other"] is None, "known not to be there"
    assert dbt("_memory")["clock"]


@pytest.mark.parametrize(
    "dbt",
    [Dbt(None, TABLE), Dbt(None, which="docs"), Dbt(None, which="test")],
    ids=["no view", "docs", "test"],
)
def test_costs_nothing_where_there_is_no_view_to_build(dbt: Dbt) -> None:
    assert dbt("_on_run_start") == ""
    assert dbt.engine.log == []


def test_a_var_of_flashback_is_checked_before_anything_is_done() -> None:
    dbt = Dbt(variables={"dbt_mview:flashback_window": 0})
    with pytest.raises(DbtError, match="dbt_mview:flashback_window: '0' is out of its range"):
        dbt("_on_run_start")
    assert dbt.engine.log == []


def test_parsing_runs_nothing() -> None:
    dbt = Dbt()
    dbt.context["execute"] = False
    assert dbt("_on_run_start") == "" and dbt("_on_run_end", []) == ""
    assert dbt.engine.log == []


@pytest.mark.parametrize(
    ("config", "name"), [({}, "shop.totals"), ({"alias": "Renamed"}, "shop.renamed")]
)
def test_selected_views(config: dict[str, Any], name: str) -> None:
    dbt = Dbt(None, Model(config=config), TABLE)
    dbt.context["selected_resources"].append("test.shop.gone")
    assert dbt("_selected_ids", "mview") == [f"spark_catalog.{name}"]


def test_relation_of_a_node_without_alias() -> None:
    node = {"resource_type": "model", "database": None, "schema": "s", "alias": None, "name": "n"}
    assert Dbt()("_relation_of", node).render() == "s.n"


def test_relation_of_a_source_with_a_table_of_another_name() -> None:
    node = {"resource_type": "source", "database": None, "schema": "s", "name": "n"}
    assert Dbt()("_relation_of", node | {"identifier": "table_1"}).render() == "s.table_1"


def test_retry_does_not_tell_what_it_runs_again() -> None:
    """dbt leaves selected_resources empty then: any model may be built in this run, and is read as
    built."""
    dbt = Dbt(None, Model(), TABLE)
    dbt.context["selected_resources"] = []
    assert dbt("_selected_ids", "mview") == ["spark_catalog.shop.totals"]
    assert dbt("_run_start", "spark_catalog.shop.orders") is None
    dbt.context["flags"].WHICH = "run-operation"
    assert dbt("_selected_ids", "mview") == []


def test_a_run_with_a_log_has_the_tables_of_logs() -> None:
    dbt = Dbt(None, log_model())
    dbt("_on_run_start")
    assert "mlog_purge_info" in dbt.engine.state_tables
    assert dbt("_selected_ids", "materialized_view_log") == ["spark_catalog.shop.orders_log"]
    assert dbt("_selected_ids", "mview") == [] and "read_state" not in dbt.engine.steps
    other = Dbt(None, Model())
    other("_on_run_start")
    assert "mlog_purge_info" not in other.engine.state_tables
    docs = Dbt(None, log_model(), which="docs")
    docs("_on_run_start")
    assert docs.engine.log == []


# After a run: all its outcomes in two commits.


def recorded(dbt: Dbt, step: int) -> list[dict[str, object]]:
    return outcome_rows(dbt.engine.sql("record", step).split("set tries = 100")[0])


def test_many_views_two_commits() -> None:
    models = [Model(f"v{number}") for number in range(5)]
    dbt = Dbt(new().engine, *models)
    dbt.run()
    assert dbt.engine.steps.count("record") == 2
    assert [row["mview_id"] for row in recorded(dbt, 0)] == [
        f"spark_catalog.shop.v{number}" for number in range(5)
    ]


def test_skips_and_refreshes_together() -> None:
    engine = built(Model("a")).engine
    engine.rest()
    dbt = Dbt(engine, Model("a"), Model("b"), invocation_id="second")
    dbt.run()
    assert [row["mview_id"].rpartition(".")[2] for row in recorded(dbt, 0)] == ["b"]  # type: ignore[attr-defined]
    assert [(row["type"], row["reason"]) for row in recorded(dbt, 1)] == [
        ("skip", "nothing changed since shop.orders v2"),
        ("complete", "first build"),
    ]


def test_other_models_are_not_its_business() -> None:
    dbt = Dbt(None, Model("orders", materialized="table"))
    assert dbt.run() == []
    assert dbt.engine.log == []


@pytest.mark.parametrize("count", [1, 3])
def test_one_failure_among_others(count: int) -> None:
    models = [Model(f"v{number}") for number in range(count)]
    dbt = Dbt(new().engine, *models)

    def fail(sql: str) -> None:
        if dbt.engine.steps.count("publish") == 1:
            raise RuntimeError("disk full")

    dbt.engine.on["publish"] = fail
    results = dbt.run()
    assert [result.status for result in results] == ["error"] + ["success"] * (count - 1)
    assert [row["result"] for row in recorded(dbt, 1)] == ["failed"] + ["success"] * (count - 1)
    assert all(state["lock_owner"] is None for state in dbt.engine.states.values())


def test_after_a_change_nothing_of_the_run_before_is_left() -> None:
    dbt = built()
    change_source(dbt)
    dbt.run()
    (state,) = dbt.engine.states.values()
    assert (state["lock_owner"], state["intent"], state["lease_until"]) == (None, None, None)


@pytest.mark.parametrize("fails", [False, True])
def test_what_looked_first_replaces_nothing_newer(fails: bool) -> None:
    """A skip, and a failure without a lock: another run has refreshed the view meanwhile."""
    dbt = built()
    dbt.engine.rest()
    if fails:
        dbt.engine.on["read_explain"] = lambda sql: 1 / 0
    row = dbt.engine.states[VIEW]
    newer = {"last_refresh_time": micros(99), "last_refresh_result": "success", "failures": 3}
    dbt.engine.on["record"] = lambda sql: row.update(newer)
    (result,) = dbt.run()
    assert result.status == ("error" if fails else "success")
    assert dbt.engine.steps.count("record") == (2 if fails else 1)
    assert {key: row[key] for key in newer} == newer


def test_what_fail_fast_cancelled_gives_its_lock_back() -> None:
    """dbt calls a node skipped that it cancelled in the middle of its statement."""
    dbt = built()
    change_source(dbt)

    def cancel(sql: str) -> None:
        raise KeyboardInterrupt

    dbt.engine.on["publish"] = cancel
    with pytest.raises(KeyboardInterrupt):
        dbt.run()
    assert dbt.engine.states[VIEW]["lock_owner"] is not None
    node = SimpleNamespace(**dbt.models[0].node())
    node.config = SimpleNamespace(**node.config)
    dbt("_on_run_end", [NodeResult(node, "skipped", "Skipping due to fail_fast")])
    state = dbt.engine.states[VIEW]
    assert (state["lock_owner"], state["last_refresh_result"]) == (None, "failed")
    assert state["last_refresh_failed_reason"] == "Skipping due to fail_fast"


def test_what_never_began_is_skipped_and_no_more() -> None:
    dbt = built()
    node = SimpleNamespace(**dbt.models[0].node())
    node.config = SimpleNamespace(**node.config)
    dbt("_on_run_start")
    dbt("_on_run_end", [NodeResult(node, "skipped", "")])
    assert "record" not in dbt.engine.steps


@pytest.mark.parametrize("kind", ["mview", "another"])
def test_a_materialization_of_another_name_gives_its_lock_back(kind: str) -> None:
    """As a project has it that exports the materialization once more."""
    dbt = built()
    change_source(dbt)
    dbt("_on_run_start")

    def fail(_: str) -> None:
        raise RuntimeError("disk full")

    dbt.engine.on["publish"] = fail
    with pytest.raises(RuntimeError, match="disk full"):
        dbt("materialization_mview_spark")
    node = SimpleNamespace(**dbt.models[0].node())
    node.config = SimpleNamespace(materialized=kind)
    dbt("_on_run_end", [NodeResult(node, "error", "disk full")])
    state = dbt.engine.states[VIEW]
    assert (state["lock_owner"], state["last_refresh_result"]) == (None, "failed")


# What projects with an on-run-end of their own put first.


def test_it_records_once() -> None:
    """The package's own hook, which comes after those of the project, finds nothing left to do."""
    dbt = new()
    results = dbt.run()
    assert dbt.engine.states[VIEW]["last_refresh_result"] == "success"
    before = list(dbt.engine.steps)
    assert dbt("mview_record", results) == "" and dbt.engine.steps == before


def test_it_is_what_the_packages_own_hook_does() -> None:
    dbt = new()
    dbt("_on_run_start")
    dbt("materialization_mview_spark")
    dbt("mview_record", [])
    assert dbt.engine.states[VIEW]["last_refresh_result"] == "success"


# After a run: stages that dead runs left.


DEAD = "dead" * 8
STAGE = f"spark_catalog.shop_mview.mview_stage_{DEAD}"
SAID = "dbt_mview: dropped 1 stage that dead runs left"
LOOK = ["read_state", "read_stage_time"]  # after what a skip sends


def left(minute: float = 659, **options: object) -> Dbt:
    """A stage that was finished in this minute; the run begins in minute 720, a lease is 60."""
    dbt = built(**options)  # type: ignore[arg-type]
    dbt.engine.tables[STAGE] = delta(minute)
    return dbt


def test_a_stage_older_than_a_lease_goes() -> None:
    dbt = left()
    dbt.engine.tables[STAGE.replace("dead", "f00d")] = delta(600)
    dbt.run()
    assert [name for name in dbt.engine.tables if "mview_stage" in name] == []
    assert dbt.engine.steps[-5:] == [*LOOK, "sweep", "read_stage_time", "sweep"]
    assert dbt.logged[-1] == "dbt_mview: dropped 2 stages that dead runs left"


def test_a_run_without_leftovers_looks_no_further() -> None:
    dbt = built()
    dbt.engine.rest()
    dbt.run()
    assert dbt.engine.steps[-1] == "record" and dbt.engine.steps.count("read_state") == 1


@pytest.mark.parametrize(
    ("minute", "seconds", "goes"), [(659, 3600, True), (661, 3600, False), (661, 60, True)]
)
def test_a_lease_has_to_pass(minute: float, seconds: int, goes: bool) -> None:
    dbt = left(minute, variables={"dbt_mview:lease_seconds": seconds})
    dbt.run()
    assert (STAGE not in dbt.engine.tables, SAID in dbt.logged) == (goes, goes)


@pytest.mark.parametrize("lease_over", [False, True])
def test_what_a_lock_names_is_for_its_recovery(lease_over: bool) -> None:
    dbt = left(10)
    until = micros(0 if lease_over else 9999)
    dbt.engine.state("spark_catalog.shop.other", lock_owner="x", lease_until=until)
    dbt.engine.state("spark_catalog.shop.other", lock_token=1, refresh_job_id=DEAD)
    dbt.run()
    assert STAGE in dbt.engine.tables and "read_stage_time" not in dbt.engine.steps


def test_what_was_decided_is_published_by_another_run() -> None:
    """Whoever has tried to since, and has the lock."""
    dbt = left(10)
    dead = {"job_id": DEAD, "intent": {"redo": {"publish": "insert"}}}
    dbt.engine.state("spark_catalog.shop.other", lock_owner="x", lease_until=micros(9999))
    dbt.engine.state("spark_catalog.shop.other", refresh_job_id="y", intent={"holder": dead})
    dbt.run()
    assert STAGE in dbt.engine.tables


def test_a_stage_that_is_begun_meanwhile_is_not_looked_at() -> None:
    dbt = built()
    dbt.engine.on["read_state"] = lambda sql: dbt.engine.tables.update({STAGE: delta(1)})
    dbt.run()
    assert STAGE in dbt.engine.tables and dbt.engine.steps.count("read_state") == 1


def test_what_the_run_itself_recovered_is_not_looked_at_again() -> None:
    dbt = built()
    change_source(dbt)
    dbt.engine.tables[STAGE] = delta(10)
    lock(dbt, refresh_job_id=DEAD, lease_until=micros(0))
    dbt.run()
    assert STAGE not in dbt.engine.tables and "read_stage_time" not in dbt.engine.steps


@pytest.mark.parametrize("trouble", ["dropped meanwhile", "no files", "no right"])
def test_nothing_fails(trouble: str) -> None:
    """Another run ends at the same moment, or may do what this one may not."""
    dbt = left()
    if trouble == "no files":
        dbt.engine.without_files.add(STAGE)
    elif trouble == "no right":
        dbt.engine.without_rights.add(STAGE)
    else:
        dbt.engine.on["read_stage_time"] = lambda sql: dbt.engine.tables.pop(STAGE)
    dbt.engine.rest()
    (result,) = dbt.run()
    assert result.status == "success" and SAID not in dbt.logged
    assert dbt.engine.states[VIEW]["last_refresh_type"] == "skip"


def test_the_run_of_a_failed_model_drops_them_as_well() -> None:
    dbt = left()
    dbt.engine.on["read_explain"] = lambda sql: 1 / 0
    assert dbt.run()[0].status == "error"
    assert STAGE not in dbt.engine.tables
