"""The purge of a log: what no view needs goes, in batches, and nothing else."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.functional.test_log import (
    change,
    fed,
    log,
    logged,
    logged_changes,
    make,
    totals,
    vacuum,
)
from tests.support.project import Project

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]


def purges(project: Project, name: str) -> list[Any]:
    """The rows of mlog_purge_hist, oldest first."""
    return project.sql(
        "select * from @_mview.mlog_purge_hist where mlog_id ="
        f" 'spark_catalog.{project.schema}.{name}' order by purge_time"
    )


def row(project: Project, name: str) -> Any:
    """The log's row of mlog_purge_info."""
    (found,) = project.sql(
        "select * from @_mview.mlog_purge_info where mlog_id ="
        f" 'spark_catalog.{project.schema}.{name}'"
    )
    return found


def deletes(project: Project, name: str) -> list[dict[str, str]]:
    """The metrics of the commits that deleted rows, oldest first."""
    commits = [one for one in project.commits(name) if one.operation == "DELETE"]
    return [one.operationMetrics for one in reversed(commits)]


@pytest.mark.always
def test_what_no_view_needs_goes(project: Project) -> None:
    """The view that is furthest behind says how far; it stays FAST, from the log alone."""
    make(project, "orders")
    log(project, "orders_log", "orders")
    for name in ("ahead", "behind"):
        totals(project, name, "orders", refresh="fast")
    project.run()
    change(project, "orders")
    project.run()
    change(project, "orders")
    project.run("orders_log", "ahead")
    info = row(project, "orders_log")
    assert (info.last_purged_version, info.lock_owner) == (None, None)
    held = logged(project, "orders_log")
    shown = project.op("mlog_purge", log="orders_log", dry_run=True).log
    assert logged(project, "orders_log") == held and purges(project, "orders_log") == []
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "test_purge.orders_log v5 v3 6 1 dry run" in lines
    assert "test_purge.orders_log test_purge.behind v3 yes" in lines
    assert "test_purge.orders_log test_purge.ahead v5 -" in lines
    done = project.op("mlog_purge", log="orders_log").log
    assert "batch 1, 6 rows in 3 files, up to v3 of v3" in done
    assert logged(project, "orders_log") == fed(project, "orders", 4)
    (metrics,) = deletes(project, "orders_log")
    assert metrics["numDeletedRows"] == "6" and metrics["numRemovedFiles"] == "3"
    assert (metrics["numAddedFiles"], metrics["numCopiedRows"]) == ("0", "0")
    (hist,) = purges(project, "orders_log")
    assert (hist.purge_method, hist.purge_status, hist.purge_rows) == ("manual", "success", 6)
    assert hist.purge_endtime >= hist.purge_time and hist.purge_failed_reason is None
    info = row(project, "orders_log")
    assert (info.last_purged_version, info.lock_owner, info.lock_token) == (3, None, 1)
    project.op("mlog_purge", base="test_purge.orders")
    assert [one.purge_rows for one in purges(project, "orders_log")] == [6, 0]
    assert row(project, "orders_log").lock_token == 1, "nothing to purge takes no lock"
    vacuum(project, "orders")
    text = project.run("behind").text("behind")
    assert text.startswith("FAST") and "5 changed rows" in text
    assert project.op("mview_verify").log.count("  equal") == 2
    line = project.op("mlog_info", log="orders_log").log
    assert "what came before was purged" in line


def test_a_view_that_lags_behind_a_purge_is_complete(project: Project) -> None:
    """A view that state did not know when the log was purged."""
    logged_changes(project, "past", 1)
    totals(project, "late", "past")
    project.run("late")
    change(project, "past")
    project.run("past_log")
    info = "@_mview.mview_refresh_info"
    hidden = "create table @.hidden using delta as select * from"
    project.sql(f"{hidden} {info} where mview_id like '%.late'")
    project.sql(f"delete from {info} where mview_id like '%.late'")
    project.forget()
    project.op("mlog_purge", log="past_log")
    assert logged(project, "past_log") == []
    project.sql(f"insert into {info} select * from @.hidden")
    totals(project, "late", "past")
    vacuum(project, "past")
    change(project, "past")
    text = project.run("late").text("late")
    assert "CHANGE_DATA_UNAVAILABLE: test_purge.past_log begins at v" in text
    assert project.op("mview_verify", view="late").log.count("  equal") == 1


@pytest.mark.nightly
def test_batches(project: Project) -> None:
    """Each a commit of its own; the checkpoint moves when one came short."""
    name = logged_changes(project, "many", 2)
    done = project.op("mlog_purge", log=name, batch_size=2).log
    assert "batch 3, 1 rows in 1 files, up to v5 of v5" in done
    assert [one["numRemovedFiles"] for one in deletes(project, name)] == ["2", "2", "1"]
    assert logged(project, name) == []
    assert purges(project, name)[-1].purge_rows == 11
    assert row(project, name).last_purged_version == 5
    refused = project.op("mlog_purge", expect=False, log=name, batch_size=0).log
    assert "batch_size is '0'. Give a whole number from 1 to 1000000" in refused


@pytest.mark.nightly
def test_views_that_were_never_built(project: Project) -> None:
    """One that is being built and one whose first build failed have read version 0."""
    name = logged_changes(project, "young", 1)
    held = logged(project, name)
    bad = "select k, cast(raise_error('boom') as int) as x from {{ target.schema }}.young"
    project.model("unborn", bad)
    assert "boom" in project.run("unborn", expect=False).text("unborn")
    shown = project.op("mlog_purge", log=name).log
    assert "test_purge.young_log  v3        v0" in shown, shown
    assert logged(project, name) == held
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%unborn'")
    project.sql(
        "insert into @_mview.mview_refresh_info (mview_id, lock_owner, lease_until, intent) values"
        " ('spark_catalog.elsewhere.born', 'i', current_timestamp() + interval 1 hour,"
        ' \'{"reads": ["spark_catalog.test_purge.young"]}\')'
    )
    project.op("mlog_purge", log=name)
    assert logged(project, name) == held
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%born'")
    project.op("mlog_purge", log=name)
    assert logged(project, name) == []


def test_the_lock(project: Project) -> None:
    """Held by another run before the first batch: an error. Lost later: a success that says so."""
    name = logged_changes(project, "locked", 4)
    held = logged(project, name)
    table = "@_mview.mlog_purge_info"
    mine = f"where mlog_id = 'spark_catalog.test_purge.{name}'"
    steal = "lock_owner = 'another', lock_token = coalesce(lock_token, 0) + 1,"
    steal += " lock_time = current_timestamp(), lease_until = current_timestamp() + interval"
    project.sql(f"update {table} set {steal} 1 hour {mine}")
    failed = project.op("mlog_purge", expect=False, log=name).log
    assert "another run (another, since" in failed and "nothing was purged" in failed
    assert logged(project, name) == held and purges(project, name) == []
    project.sql(f"update {table} set lease_until = current_timestamp() - interval 1 hour {mine}")
    project.sql(
        "insert into @_mview.mlog_purge_hist select 'dead', mlog_id, 'manual', lock_time, null, 0,"
        f" 'running', null from {table} {mine}"
    )
    before = project.commits(name)[0].version

    over = threading.Event()

    def thief() -> bool:
        while not [one for one in project.commits(name) if one.version > before + 1]:
            assert not over.wait(0.05), "the purge ended before"
        # The purge may be keeping its lock at that moment.
        return any(stole() for _ in range(20))

    def stole() -> bool:
        try:
            project.sql(f"update {table} set {steal} 1 hour {mine}")
        except Exception as error:
            assert "DELTA_CONCURRENT" in str(error), error
            return False
        return True

    with ThreadPoolExecutor() as pool:
        stolen = pool.submit(thief)
        done = project.op("mlog_purge", log=name, batch_size=1, expect=None).log
        over.set()
        assert stolen.result()
    assert "purge stopped before deleting all eligible rows due to lock conflict" in done
    dead, last = purges(project, name)
    assert (dead.purge_status, last.purge_status) == ("failed", "success")
    assert "did not finish" in dead.purge_failed_reason
    assert last.purge_rows == len(held) - len(logged(project, name)) > 0
    assert logged(project, name), "some rows are left for the next purge"
    info = row(project, name)
    assert (info.lock_owner, info.last_purged_version) == ("another", None)
    project.sql(f"update {table} set lease_until = current_timestamp() - interval 1 hour {mine}")
    project.op("mlog_purge", log=name)
    assert logged(project, name) == [] and row(project, name).last_purged_version == 9


def test_a_batch_that_fails(project: Project) -> None:
    """The engine's own error reaches the user; history says failed; the lock is free."""
    name = logged_changes(project, "stuck", 1)
    held = logged(project, name)
    project.sql(f"alter table @.{name} set tblproperties ('delta.appendOnly' = 'true')")
    failed = project.op("mlog_purge", expect=False, log=name).log
    assert "DELTA_CANNOT_MODIFY_APPEND_ONLY" in failed, failed
    (hist,) = purges(project, name)
    assert (hist.purge_status, hist.purge_rows) == ("failed", 0)
    assert hist.purge_endtime and "batch 1 failed" in hist.purge_failed_reason
    info = row(project, name)
    assert (info.lock_owner, info.last_purged_version) == (None, None)
    assert logged(project, name) == held
    project.sql(f"alter table @.{name} set tblproperties ('delta.appendOnly' = 'false')")
    project.op("mlog_purge", log=name)
    assert logged(project, name) == []


@pytest.mark.nightly
def test_times_and_versions_that_go_back(project: Project) -> None:
    """The clock is set back after a log began; later its base is dropped and created."""
    make(project, "back")
    soon = time.time() + 600
    os.utime(project.commit_file("back", 0), (soon, soon))
    log(project, "back_log", "back")
    assert project.run().text("back_log") == "START v0: first capture"
    for told in ("CAPTURE v3, 6 rows", "CAPTURE v5, 5 rows"):
        change(project, "back")
        assert told in project.run().text("back_log")
    assert logged(project, "back_log") == fed(project, "back", 1)
    project.op("mlog_purge", log="back_log")
    assert logged(project, "back_log") == []
    shown = " ".join(project.op("mlog_info", log="back_log").log.split())
    assert "test_purge.back_log test_purge.back v5 v5 v5 0" in shown
    assert project.run().text("back_log") == "SKIP nothing changed since v5"
    project.sql("drop table @.back")
    make(project, "back")
    assert "SOURCE_REPLACED" in project.run().text("back_log")
    change(project, "back")
    assert "6 rows" in project.run().text("back_log")
    project.op("mlog_purge", log="back_log")
    assert logged(project, "back_log") == [], "v5 was purged of another base"
    assert row(project, "back_log").last_purged_version == 3


@pytest.mark.nightly
def test_a_scheduled_purge_that_fails(project: Project) -> None:
    """Before it has its lock, and with it: it counts, history knows, and the lock is free."""
    name = logged_changes(project, "planned", 1)
    log(project, name, "planned", purge={"every": "1 hour"})
    project.write(
        "models/sources.yml",
        {"version": 2, "sources": [{"name": "test_purge", "tables": [{"name": "planned"}]}]},
    )
    query = "select k, count(*) as c from {{ source('test_purge', 'planned') }} group by k"
    project.model("planned_totals", query)
    project.run()
    info, hist = "@_mview.mlog_purge_info", "@_mview.mlog_purge_hist"
    come = "next_time = current_timestamp() - interval 15 minutes, retry_time = null"
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%planned_totals'")
    broken = {
        "refresh info row missing": "",
        "DELTA_VIOLATE_CONSTRAINT": f"alter table {hist} add constraint c check"
        " (purge_status <> 'running')",
    }
    for count, (message, statement) in enumerate(broken.items(), 1):
        project.sql(f"update {info} set {come} where mlog_id like '%.{name}'")
        if statement:
            project.sql(statement)
        assert message in project.run(name, expect=False).text(name)
        known, last = row(project, name), purges(project, name)[-1]
        assert (known.lock_owner, known.failures) == (None, count)
        assert known.retry_time is not None and len(purges(project, name)) == count
        assert (last.purge_status, last.purge_method) == ("failed", "automatic")
        assert last.purge_endtime and message in last.purge_failed_reason
        if count == 1:
            project.op("mview_recover", view="planned_totals")
    project.sql(f"alter table {hist} drop constraint c")
    project.sql(f"update {info} set retry_time = null where mlog_id like '%.{name}'")
    project.run(name)
    known = row(project, name)
    assert (known.failures, known.lock_owner) == (None, None) and logged(project, name) == []


@pytest.mark.nightly
def test_what_is_missing_is_named(project: Project) -> None:
    name = logged_changes(project, "gone", 1)
    unknown = project.op("mlog_purge", expect=False, log="nowhere").log
    assert "nowhere: is no materialized view log that state knows" in unknown
    project.write(
        "models/sources.yml",
        {"version": 2, "sources": [{"name": "test_purge", "tables": [{"name": "gone"}]}]},
    )
    project.model(
        "reader", "select k, count(*) as c from {{ source('test_purge', 'gone') }} group by k"
    )
    project.run("reader")
    project.sql("delete from @_mview.mview_refresh_info where mview_id like '%.reader'")
    lost = project.op("mlog_purge", expect=False, log=name).log
    assert "refresh info row missing for spark_catalog.test_purge.reader" in lost
    project.op("mview_recover", view="reader")
    project.sql("create table @.turned using delta as select 1 as k, 1L as c")
    project.model(
        "turned", "select k, count(*) as c from {{ source('test_purge', 'gone') }} group by k"
    )
    project.op("mlog_purge", log=name)
    project.sql(f"delete from @_mview.mlog_purge_info where mlog_id like '%.{name}'")
    project.sql(
        "insert into @_mview.mlog_purge_info (mlog_id, base) values"
        " ('spark_catalog.test_purge.no_such', 'spark_catalog.test_purge.gone')"
    )
    there = project.op("mlog_purge", expect=False, log="no_such").log
    assert "the materialized view log is gone" in there
    project.run(name)
    change(project, "gone")
    project.run(name, "reader")
    others = project.op("mlog_purge", base="test_purge.gone").log
    assert "no_such: the materialized view log is gone, it is not purged" in others
    assert f"test_purge.{name}" in others and logged(project, name) == []
    project.sql("delete from @_mview.mlog_purge_info where mlog_id like '%.no_such'")
    project.sql("drop table @.gone")
    base = project.op("mlog_purge", expect=False, log=name).log
    assert "its base spark_catalog.test_purge.gone is gone" in base
