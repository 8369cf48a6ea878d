"""What the scheduler service asks the package for, as it is on the engine."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.project import Outcome, Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

DEAD = "0a1b2c3d-0000-4000-8000-00000000dead"
MINE = "where mview_id = 'spark_catalog.test_serve_operations.{}'"


@pytest.fixture(scope="module")
def shop(module_project: Project) -> Iterator[Project]:
    """A chain of views through a plain one, a group, a log with a purge: all built."""
    project = module_project
    feed = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
    project.sql(f"create table @.src using delta {feed} as select 1 as id")
    source = f"select id from {project.schema}.src"
    meta = {"dbt_mview": {"priority": 5, "pool": "big", "timeout": "30 minutes"}}
    project.model("base", source, schedule={"on_update": True}, meta=meta)
    project.model("plain", "select id from {{ ref('base') }}", materialized="view")
    project.model("top", "select id from {{ ref('plain') }}", schedule={"every": "1 hour"})
    project.model("left_", "select id from {{ ref('base') }}", refresh_group="sides")
    project.model("right_", source, refresh_group="sides")
    purge = {"materialized": "materialized_view_log", "purge": {"every": "1 hour"}}
    project.model("src_log", source, **purge)
    project.run()
    yield project


def id_of(project: Project, name: str) -> str:
    return f"spark_catalog.{project.schema}.{name}"


def said(outcome: Outcome, word: str) -> dict[str, Any]:
    """What an operation said on its one line."""
    (line,) = [one for one in outcome.log.splitlines() if one.startswith(f"{word}: {{")]
    found: dict[str, Any] = json.loads(line.removeprefix(f"{word}: "))
    return found


def hold(project: Project, view: str) -> None:
    """The lock of a view that was due and had failed once is held by a run that is no more."""
    project.sql(
        f"update @_mview.mview_refresh_info set lock_owner = '{DEAD}',"
        f" lock_token = lock_token + 1, refresh_job_id = '{uuid.uuid4().hex}',"
        " lock_time = current_timestamp(), lease_until = current_timestamp() + interval 1 hour,"
        " last_refresh_result = 'running', failures = 1, intent = '{\"definition\": \"select 1\"}',"
        " next_time = current_timestamp() - interval 1 hour,"
        " retry_time = current_timestamp() - interval 10 minutes"
        f" where mview_id = '{id_of(project, view)}'"
    )


def of_log(project: Project) -> Any:
    (row,) = project.sql("select * from @_mview.mlog_purge_info")
    return row


def test_models(shop: Project) -> None:
    found = said(shop.op("mview_models"), "models")
    models = {model["id"].split(".")[-1]: model for model in found["models"]}
    assert {name: model["kind"] for name, model in models.items()} == {
        **dict.fromkeys(["base", "top", "left_", "right_"], "view"),
        "src_log": "log",
    }
    assert models["base"] == {
        "id": id_of(shop, "base"), "node": "model.p.base", "kind": "view", "select": "p.base",
        "group": None,
        "parents": [], "priority": 5, "pool": "big", "timeout": 1800,
    }  # fmt: skip
    assert models["top"]["parents"] == [id_of(shop, "base")], "through the plain view"
    assert (models["left_"]["group"], models["left_"]["parents"]) == (
        "sides", [id_of(shop, "base")],
    )  # fmt: skip
    assert models["right_"]["select"] == "config.refresh_group:sides"
    (now,) = shop.sql("select unix_micros(current_timestamp()) as now")
    assert 0 <= now.now - found["clock"] < 60_000_000
    assert (found["project"], found["target"], found["method"]) == ("p", "t", "session")
    assert (found["broken_after"], found["lease"]) == (16, 3600)
    assert found["took"][id_of(shop, "base")] > 0
    relation = id_of(shop, "src")
    assert found["sources"] == {id_of(shop, "base"): [{"relation": relation, "version": 0}]}
    (detail,) = shop.sql("describe detail @.src")
    assert found["locations"] == {relation: detail.location}
    for key, table in (("views", "mview_refresh_info"), ("logs", "mlog_purge_info")):
        (detail,) = shop.sql(f"describe detail @_mview.{table}")
        assert found["tables"][key] == {"name": detail.name, "location": detail.location}


def test_state(shop: Project) -> None:
    found = said(shop.op("mview_due", format="state"), "state")
    rows = {row["id"].split(".")[-1]: row for row in found["rows"]}
    assert set(rows) == {"base", "top", "left_", "right_", "src_log"}
    base, log = rows["base"], rows["src_log"]
    at = "select unix_micros(last_refresh_time) as ended from @_mview.mview_refresh_info "
    assert base["ended"] == shop.sql(at + MINE.format("base"))[0].ended
    assert base["schedule"] == {"on_update": True, "at_most_every": None}
    assert (base["result"], base["reason"], base["failures"]) == ("success", None, 0)
    assert base["took"] > 0 and base["lease_until"] is None and base["paused_time"] is None
    assert log["kind"] == "log" and log["next_time"] > found["clock"] and log["ended"] is None
    for row, table in ((base, "mview_refresh_info"), (log, "mlog_purge_info")):
        (newest,) = shop.sql(f"describe history @_mview.{table} limit 1")
        assert row["version"] == newest.version
    only = said(shop.op("mview_due", format="state", ids=[base["id"], log["id"]]), "state")
    assert sorted(row["id"] for row in only["rows"]) == sorted([base["id"], log["id"]])


@pytest.mark.parametrize("charge", [True, False])
def test_what_a_dead_run_held(shop: Project, charge: bool) -> None:
    """A view and the purge of a log: free at once, and in history as failed."""
    hold(shop, "top")
    before, attempts = shop.info("top"), len(shop.history("top"))
    reason = f"its node's gone ({charge})"
    shop.sql(
        f"update @_mview.mlog_purge_info set lock_owner = '{DEAD}', lock_token = 7, failures = 1,"
        " lock_time = current_timestamp(), lease_until = current_timestamp() + interval 1 hour,"
        " next_time = current_timestamp() - interval 1 hour, retry_time = null"
    )
    shop.sql(
        f"insert into @_mview.mlog_purge_hist select 'p{charge}', mlog_id, 'automatic', lock_time,"
        " null, 0, 'running', null from @_mview.mlog_purge_info"
    )
    for _ in range(2 if charge else 1):  # once more is the same
        shop.op("mview_recover", owner=DEAD, reason=reason, charge=charge)
    now, log = shop.info("top"), of_log(shop)
    assert (now.lock_owner, now.lease_until, now.intent) == (None, None, None)
    assert now.last_refresh_result == "failed" and reason in now.last_refresh_failed_reason
    assert (now.definition, now.sources, now.next_time) == (
        before.definition, before.sources, before.next_time,
    )  # fmt: skip
    assert (log.lock_owner, log.lock_token) == (None, 7)
    if charge:
        assert (now.failures, log.failures) == (2, 2)
        assert (now.retry_time - now.last_refresh_time).total_seconds() == 10
        assert log.retry_time is not None
    else:
        assert (now.failures, log.failures, log.retry_time) == (1, 1, None)
        assert (now.retry_time, now.last_refresh_time) == (
            before.retry_time, before.last_refresh_time,
        )  # fmt: skip
    history = shop.history("top")
    assert len(history) == attempts + 1 and history[0].invocation_id == DEAD
    assert history[0].refresh_status == "failed" and reason in history[0].refresh_failed_reason
    (purge,) = shop.sql(f"select * from @_mview.mlog_purge_hist where purge_job_id = 'p{charge}'")
    assert purge.purge_status == "failed" and reason in purge.purge_failed_reason


def test_failures_that_nobody_recorded(shop: Project) -> None:
    """Of a view, of a log; of one that is locked and one that is unknown, nothing."""
    names = ("base", "src_log", "left_", "nowhere")
    hold(shop, "left_")
    locked = shop.info("left_")
    failures = {id_of(shop, name): f"{name}'s process died" for name in names}
    shop.sql(
        "update @_mview.mview_refresh_info set next_time = current_timestamp() - interval 1 hour "
        + MINE.format("base")
    )
    was = of_log(shop).failures or 0
    for _ in range(2):
        shop.op("mview_note_failures", failures=failures, run="run-7")
    base = shop.info("base")
    assert (base.failures, base.last_refresh_result, base.lock_owner) == (1, "failed", None)
    assert (base.retry_time - base.last_refresh_time).total_seconds() == 5
    (noted,) = [row for row in shop.history("base") if row.invocation_id == "run-7"]
    assert noted.refresh_status == "failed"
    assert noted.refresh_failed_reason.endswith("base's process died")
    assert of_log(shop).failures == was + 1
    reason = "purge_failed_reason like '%src_log%died'"
    (purge,) = shop.sql(f"select * from @_mview.mlog_purge_hist where {reason}")
    assert (purge.purge_status, purge.purge_method) == ("failed", "automatic")
    assert shop.info("left_") == locked
    shop.op("mview_recover", owner=DEAD, charge=False)
    assert shop.run("base").status["base"] == "success"
    assert shop.info("base").failures is None, "a success ends it"
