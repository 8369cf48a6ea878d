"""State as the scheduler reads it from Delta's logs is what Spark has written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.log_state import LogState
from dbt_mview.serve.sources import Sources
from tests.support.project import Project

pytestmark = pytest.mark.spark
TIMES = {
    "next_time": "next_time",
    "retry_time": "retry_time",
    "ended": "last_refresh_time",
    "lease_until": "lease_until",
    "paused_time": "paused_time",
}


def by_sql(project: Project) -> dict[str, Any]:
    """The rows of both tables, times in microseconds."""
    times = ", ".join(f"unix_micros({column}) as {name}" for name, column in TIMES.items())
    rows = project.sql(
        f"select id, spec, schedule, failures, {times} from ("
        " select mview_id as id, spec, schedule, failures, paused_time, next_time, retry_time,"
        " last_refresh_time, lease_until from @_mview.mview_refresh_info union all"
        " select mlog_id, null, schedule, failures, paused_time, next_time, retry_time,"
        " null, lease_until from @_mview.mlog_purge_info)"
    )
    return {row.id: row for row in rows}


def agrees(row: m.Row, by_sql: Any) -> None:
    """Whether a row says what state has: its times late by less than a millisecond."""
    schedule = json.loads(by_sql.schedule) if by_sql.schedule else {}
    for name in TIMES:
        at, exact = getattr(row, name), getattr(by_sql, name)
        assert (at is None) == (exact is None), (row, by_sql)
        assert at is None or 0 <= at - exact < 1000, (name, row, by_sql)
    assert row.failures == (by_sql.failures or 0)
    cron = None
    if "cron" in schedule and row.next_time is None:
        cron = m.Cron(schedule["cron"], schedule["time_zone_value"], schedule["after"])
    assert row.cron == cron
    pause = schedule.get("target_lag") or schedule.get("at_most_every")
    assert row.at_most_every == (pause * 1_000_000 if pause else None)
    if row.took is not None:
        assert row.took == json.loads(by_sql.spec)["took"]["last"][0][2]


def test_the_log_says_what_state_has(project: Project) -> None:
    project.sql("create or replace table @.src using delta as select 1 as id")
    query = f"select id from {project.schema}.src"
    plans: dict[str, Any] = {
        "hourly": {"every": "1 hour"},
        "nightly": {"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"},
        "follows": {"on_update": True, "at_most_every": "10 minutes"},
        "failing": {"next": "current_timestamp() + interval 1 hour"},
    }
    for view, plan in plans.items():
        project.model(view, query, schedule=plan)
    purge = {"materialized": "materialized_view_log", "purge": {"every": "1 hour"}}
    project.model("src_log", query, **purge)
    project.run()

    def put(view: str, values: str) -> None:
        name = f"spark_catalog.{project.schema}.{view}"
        project.sql(f"update @_mview.mview_refresh_info set {values} where mview_id = '{name}'")

    # Microseconds that are cut off, that are none, and before 1970.
    put("hourly", "next_time = timestamp_micros(1800000000123456), paused_time = now()")
    put("follows", "next_time = timestamp_micros(1800000000123000)")
    put("failing", "next_time = timestamp_micros(-1)")
    places = {}
    for table in ("src", "mview_refresh_info", "mlog_purge_info"):
        schema = "@" if table == "src" else "@_mview"
        (detail,) = project.sql(f"describe detail {schema}.{table}")
        places[table] = detail.location
    state = LogState(places["mview_refresh_info"], places["mlog_purge_info"])
    found = Sources({"src": places["src"]}, {"follows": [("src", 0)]})
    rows = {row.id: row for row in state.fetch(m.Fetch(1, True)).rows}
    known = by_sql(project)
    assert rows.keys() == known.keys() and len(rows) == 5
    for id_, row in rows.items():
        agrees(row, known[id_])
    assert not state.is_changed() and found.poll(["follows"]) == ()

    project.sql("optimize @.src")
    assert found.poll(["follows"]) == ()
    project.sql("insert into @.src values (2)")
    assert found.poll(["follows"]) == ("follows",) and found.closed == set()
    project.model(
        "failing",
        f"select raise_error('too many') as id from {project.schema}.src",
        schedule=plans["failing"],
    )
    project.run("nightly", "failing", expect=None)
    assert state.is_changed()
    answer = state.fetch(m.Fetch(2, False))
    known = by_sql(project)
    told = {row.id.rpartition(".")[2]: row for row in answer.rows}
    assert told.keys() == {"nightly", "failing"} and answer.gone == ()
    for row in answer.rows:
        agrees(row, known[row.id])
        assert row.version > rows[row.id].version
    assert told["failing"].failures == 1 and told["nightly"].took is not None
    assert "VOID_COLUMNS" in state.details()[told["failing"].id].problem, "and not dbt's heading"
    assert set(state.read(known.keys())) == set(state.fetch(m.Fetch(3, True)).rows)

    name = told["nightly"].id
    project.sql(f"delete from @_mview.mview_refresh_info where mview_id = '{name}'")
    project.sql("optimize @_mview.mview_refresh_info")
    answer = state.fetch(m.Fetch(4, False))
    assert (answer.rows, answer.gone) == ((), (name,))
    anew = LogState(places["mview_refresh_info"], places["mlog_purge_info"])
    rows = {row.id: row for row in anew.fetch(m.Fetch(1, True)).rows}
    known = by_sql(project)
    assert rows.keys() == known.keys()
    for id_, row in rows.items():
        agrees(row, known[id_])
