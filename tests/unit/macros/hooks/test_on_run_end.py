"""After a run: all its outcomes in two commits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ...kit.engine import micros, outcome_rows
from ...kit.harness import Dbt, Model, NodeResult
from ...kit.scenes import VIEW, built, change_source, new


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
    dbt = Dbt(engine, Model("a"), Model("b"), invocation_id="second")
    dbt.run()
    assert [row["mview_id"].rpartition(".")[2] for row in recorded(dbt, 0)] == ["b"]  # type: ignore[attr-defined]
    assert [(row["type"], row["reason"]) for row in recorded(dbt, 1)] == [
        ("skip", "nothing changed since orders v2"),
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
