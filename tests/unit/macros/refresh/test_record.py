"""Step record."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import VIEW, again, built, change_source, outcomes


def test_within_a_run_outcomes_wait_for_its_end() -> None:
    dbt = built()
    change_source(dbt)
    dbt("_on_run_start")
    dbt("materialization_mview_spark")
    assert "record" not in dbt.engine.steps
    outcome = outcomes(dbt)[VIEW]
    assert (outcome["result"], outcome["target_version"], outcome["rows"]) == ("success", 1, 3)


def test_a_run_operation_writes_at_once() -> None:
    dbt = built()
    change_source(dbt)
    dbt.operation("mview_refresh", view="totals")
    assert dbt.engine.steps.count("record") == 2
    assert outcomes(dbt) == {}


def test_skips() -> None:
    dbt = Dbt()
    job = {"id": "j", "owner": "o", "skip": "why", "record_now": False, "unique_id": "m"}
    job.update({"state": None, "scheduled": False})
    dbt(
        "_record_skip",
        {"mview_id": "v", "schedule": None, "stored": None},
        {**job, "dry_run": True},
    )
    assert outcomes(dbt) == {}
    dbt(
        "_record_skip",
        {"mview_id": "v", "schedule": None, "stored": None},
        {**job, "dry_run": False},
    )
    outcome = outcomes(dbt)["v"]
    assert (outcome["type"], outcome["token"], outcome["reason"]) == ("skip", None, "why")


@pytest.mark.parametrize(
    "config",
    [
        {"grants": {"select": ["ann"]}},
        {"persist_docs": {"relation": True}},
        {"persist_docs": {"columns": True}},
        {"refresh": "complete"},
    ],
)
def test_a_skip_with_other_settings(config: Any) -> None:
    """What no row depends on is brought up to date without a refresh, and is in state then."""
    columns = {"total": {"description": "Of all orders"}}
    plain = Model(description="About it", columns=columns)
    dbt = again(built(plain), Model(description="About it", columns=columns, config=config))
    (result,) = dbt.run()
    assert result.message.startswith("SKIP nothing changed")
    assert "grants" in dbt.engine.steps and "publish" not in dbt.engine.steps
    assert ("docs" in dbt.engine.steps) == ("persist_docs" in config)
    stored = dbt.engine.states[VIEW]["spec"]
    assert stored == dbt("_memory")["jobs"]["model.shop.totals"]["spec"]["stored"]
    dbt = again(dbt, invocation_id="third")
    dbt.run()
    assert "grants" not in dbt.engine.steps and "docs" not in dbt.engine.steps


def test_skips_of_which_one_has_other_settings() -> None:
    """One statement for all of them, and each keeps its own."""
    dbt = built(Model("a"))
    dbt = Dbt(dbt.engine, Model("a"), Model("b"), invocation_id="second")
    dbt.run()
    dbt = again(dbt, Model("a", config={"refresh": "complete"}), Model("b"), invocation_id="third")
    dbt.run()
    specs = {name[-1]: state["spec"] for name, state in dbt.engine.states.items()}
    assert [specs[name]["refresh"] for name in "ab"] == ["complete", "auto"]
    assert [specs[name]["identifier"] for name in "ab"] == ["a", "b"]


def test_what_rows_have_to_satisfy_stays_with_a_layout_that_is_left_alone() -> None:
    """A skip by `continue` has done nothing of it; state must not say that it has."""
    dbt = built(Model(config={"on_schema_change": "ignore"}))
    before = dict(dbt.engine.states[VIEW]["spec"])
    config = {
        "partition_by": "customer",
        "on_configuration_change": "continue",
        "unique_key": "customer",
        "audit": "total > 0",
        "grants": {"select": ["ann"]},
    }
    dbt = again(dbt, Model(config=config))
    dbt.engine.zone = "Europe/Berlin"
    (result,) = dbt.run()
    assert result.message.startswith("SKIP configuration changed")
    after = dbt.engine.states[VIEW]["spec"]
    changed = {key for key in after if after[key] != before.get(key)}
    assert changed == {"on_configuration_change", "grants"}


def test_a_failure_stands_where_a_refresh_is_left_alone() -> None:
    """`continue`: something is to be done, and is not."""
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed", last_refresh_failed_reason="disk full")
    dbt.engine.states[VIEW].update(failures=2, retry_time=5)
    before = dict(dbt.engine.states[VIEW])
    config = {"partition_by": "customer", "on_configuration_change": "continue"}
    (result,) = again(dbt, Model(config=config)).run()
    assert result.message.startswith("SKIP configuration changed")
    assert dbt.engine.states[VIEW] == before
