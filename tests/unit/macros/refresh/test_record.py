"""Step record."""

from __future__ import annotations

from ..harness import Dbt
from ..scenes import VIEW, built, change_source, outcomes


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
    dbt("_record_skip", {"mview_id": "v", "schedule": None}, {**job, "dry_run": True})
    assert outcomes(dbt) == {}
    dbt("_record_skip", {"mview_id": "v", "schedule": None}, {**job, "dry_run": False})
    outcome = outcomes(dbt)["v"]
    assert (outcome["type"], outcome["token"], outcome["reason"]) == ("skip", None, "why")
