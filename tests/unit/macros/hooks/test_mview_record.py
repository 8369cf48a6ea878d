"""What projects with an on-run-end of their own put first."""

from __future__ import annotations

from ...kit.scenes import VIEW, new


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
