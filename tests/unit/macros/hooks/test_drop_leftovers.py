"""After a run: stages that dead runs left."""

from __future__ import annotations

import pytest

from ...kit.engine import delta, micros
from ...kit.harness import Dbt
from ...kit.scenes import VIEW, built, change_source, lock

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
    (result,) = dbt.run()
    assert result.status == "success" and SAID not in dbt.logged
    assert dbt.engine.states[VIEW]["last_refresh_type"] == "skip"


def test_the_run_of_a_failed_model_drops_them_as_well() -> None:
    dbt = left()
    dbt.engine.on["read_explain"] = lambda sql: 1 / 0
    assert dbt.run()[0].status == "error"
    assert STAGE not in dbt.engine.tables
