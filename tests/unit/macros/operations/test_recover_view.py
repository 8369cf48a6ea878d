"""What a recovery by hand leaves for the steps."""

from __future__ import annotations

from ...kit.scenes import VIEW, built, lock


def test_the_definition_of_the_last_success_stays() -> None:
    dbt = built()
    definition = dbt.engine.states[VIEW]["definition"]
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    assert dbt.engine.states[VIEW]["definition"] == definition
    assert dbt.engine.states[VIEW]["spec"]["identifier"] == "totals"


def test_a_second_recovery_finds_nothing() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    dbt.engine.forget()
    dbt.operation("mview_recover", view="totals")
    assert dbt.engine.writes == []
