"""From when a cron expression counts whose time is left open."""

from __future__ import annotations

from ...kit.engine import micros
from ...kit.harness import Dbt, Model
from ...kit.log_scenes import LOG, later, log_engine, log_model, logged, run_log
from ...kit.scenes import VIEW, again, change_source, new

CRON = {"cron": "0 3 * * *", "time_zone_value": "UTC"}


def test_only_cron_is_left_open() -> None:
    dbt = Dbt()
    assert dbt("_counted_from", None, 5) is None
    assert dbt("_counted_from", {"every": 60}, 5) == {"every": 60}


def test_by_the_clock_of_the_engine() -> None:
    """A minute before the clock was read is a minute before, whatever the client's clock says."""
    dbt = Dbt()
    clock = dbt("_clock")
    found = dbt("_counted_from", CRON, clock["client"] - 60_000_000)
    assert found == {**CRON, "after": clock["now"] - 60_000_000}


def test_of_a_view() -> None:
    """From the begin of its refresh; a run before its time, and one that fails, leave it."""
    dbt = new(Model(config={"schedule": CRON}))
    assert dbt.run()[0].status == "success"
    row = dict(dbt.engine.states[VIEW])
    assert row["schedule"].keys() == {*CRON, "after"} and row["next_time"] is None
    dbt = again(dbt)
    change_source(dbt)
    assert dbt.run()[0].status == "success"
    assert dbt.engine.states[VIEW]["schedule"] == row["schedule"]
    dbt = again(dbt)
    change_source(dbt)
    dbt.engine.minute += 5
    dbt.engine.states[VIEW]["next_time"] = micros(dbt.engine.minute) - 1
    assert dbt.run()[0].status == "success"
    later = dbt.engine.states[VIEW]
    assert later["next_time"] is None and later["schedule"] != row["schedule"]


def test_of_a_log() -> None:
    """From the begin of its purge."""
    dbt = logged(2, log_model(purge=CRON))
    run_log(dbt)
    row = log_engine(dbt).log_rows[LOG]
    first = dict(row)
    assert first["schedule"].keys() == {*CRON, "after"} and first["next_time"] is None
    dbt = later(dbt)
    run_log(dbt)
    assert row["schedule"] == first["schedule"], "its time has not come"
    dbt.engine.minute += 5
    row["next_time"] = micros(dbt.engine.minute) - 1
    run_log(later(dbt))
    assert row["schedule"]["after"] > first["schedule"]["after"] and row["next_time"] is None
    assert len(log_engine(dbt).purges) == 1
