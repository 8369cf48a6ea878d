"""One capture."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import TRIED, Table
from ...kit.harness import Dbt, DbtError
from ...kit.log_scenes import (
    BODY,
    LOG,
    base,
    change,
    held,
    later,
    log_engine,
    pin,
    started,
    truth,
)
from ...kit.scenes import SOURCE


def capture(dbt: Dbt, feed: bool = True, **more: Any) -> dict[str, Any]:
    """One capture. feed: whether its files are still there when it reads them."""
    spec = {**dbt("_log_spec_from_model"), "base": SOURCE}
    job = {
        **dbt("_log_job", spec),
        "now": pin(dbt, base(dbt).commits[-1].version),
        "columns": dbt("_describe_query", BODY),
        "base": "`shop`.`orders`",
        "feed_is_on": True,
    }
    dbt("_look_at_log", spec, job)
    assert job["gap"] is None
    job.update(more)
    dbt.engine.forget()
    dbt.engine.feed_is_there = feed
    dbt("_capture", spec, job)
    return job


def test_rows() -> None:
    dbt = started()
    change(dbt)
    job = capture(dbt)
    assert (job["rows"], job["was"]["version"], job["coverage"]["captured"]["version"]) == (6, 2, 5)
    assert held(dbt) == truth(dbt, 2, 5)
    assert dbt.engine.steps == ["capture", "read_describe_history"]
    found = dbt("_coverage", "`shop`.`orders_log`")
    assert {key: job["coverage"][key] for key in found} == found


def test_the_statement_is_tried_again_on_a_conflict() -> None:
    dbt = started()
    change(dbt)
    capture(dbt)
    assert "declare exit handler for sqlstate '2D521'" in dbt.engine.sql("capture")


def test_nothing_committed() -> None:
    dbt = started()
    job = capture(dbt)
    assert dbt.engine.log == [] and job["rows"] == 0
    assert job["was"] == {key: job["coverage"]["captured"][key] for key in job["was"]}


def test_commits_without_rows_are_not_looked_into() -> None:
    dbt = started()
    base(dbt).commit(40, "OPTIMIZE")
    job = capture(dbt)
    assert dbt.engine.steps == ["note_capture"] and job["rows"] == 0
    assert job["coverage"]["captured"]["version"] == 3
    assert dbt("_coverage", "`shop`.`orders_log`")["captured"]["version"] == 3


def test_a_new_column_comes_first() -> None:
    dbt = started()
    change(dbt)
    note = {"name": "note", "type": "string"}
    job = capture(dbt, added=[note], columns=[*dbt("_describe_query", BODY), note])
    assert [one.step for one in dbt.engine.writes] == ["add_columns", "capture"]
    assert dbt.engine.sql("add_columns").endswith("add columns (`note` string)")
    assert "(`customer`, `amount`, `note`, _change_type" in dbt.engine.sql("capture")
    assert job["rows"] == 6


def test_a_note_after_a_new_column() -> None:
    """Its commit is this run's own."""
    dbt = started()
    base(dbt).commit(40, "UPDATE", numUpdatedRows=0)
    capture(dbt, added=[{"name": "note", "type": "string"}])
    assert [one.step for one in dbt.engine.writes] == ["add_columns", "capture", "note_capture"]
    assert dbt("_coverage", "`shop`.`orders_log`")["captured"]["version"] == 3


@pytest.mark.parametrize("step", ["capture", "read_describe_history"])
def test_nothing_is_noted_where_somebody_else_wrote(step: str) -> None:
    """Whatever it was: the next capture looks again."""
    dbt = started()
    base(dbt).commit(40, "UPDATE", numUpdatedRows=0)
    log = dbt.engine.tables["spark_catalog.shop.orders_log"]

    def somebody(sql: str) -> None:
        if "`orders_log`" in sql and "capture" in dbt.engine.steps:
            dbt.engine.on.clear()
            log.commit(50, "OPTIMIZE")

    dbt.engine.on[step] = somebody
    job = capture(dbt)
    assert "note_capture" not in dbt.engine.steps
    assert job["coverage"]["captured"]["version"] == 2


def test_rows_that_nobody_told_of_are_not_passed_over() -> None:
    """To note more would hide what is missing between."""
    dbt = started()
    change(dbt)
    engine = log_engine(dbt)
    strangers = tuple(truth(dbt, 3, 4))
    engine.held[LOG][engine.tables[LOG].commits[-1].version] = strangers
    with pytest.raises(DbtError, match=r"holds rows of v4 of its base, and was captured up to v2"):
        capture(dbt)
    assert "note_capture" not in dbt.engine.steps and held(dbt) == list(strangers)


def test_when_the_clock_has_gone_back() -> None:
    """A capture whose commits are older than the log's beginning is one all the same."""
    dbt = started()
    base(dbt).commit(25, "UPDATE", numUpdatedRows=2)
    assert capture(dbt)["coverage"]["captured"]["version"] == 3
    base(dbt).commit(27, "WRITE", 1, parameters={"mode": "Append"})
    job = capture(later(dbt))
    assert (job["was"]["version"], job["rows"]) == (3, 1)
    assert held(dbt) == truth(dbt, 2, 4)


def test_empty() -> None:
    dbt = started(empty=True)
    change(dbt)
    job = capture(dbt)
    assert dbt.engine.log == [] and job["coverage"]["captured"]["version"] == 2


def test_a_feed_that_is_gone_is_a_gap() -> None:
    """Its files are gone without a trace, as they may be once they are old."""
    dbt = started()
    change(dbt)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 second"
    job = capture(dbt, feed=False)
    assert dbt.engine.steps == ["capture", "read_feed", "start_log"]
    assert job["gap"] == "CHANGE_DATA_UNAVAILABLE: the feed cannot be read"
    assert job["coverage"]["start"]["version"] == 5 and held(dbt) == []
    asked = dbt.engine.sql("read_feed")
    assert "cast(struct(*) as string))) from (select `customer`, `amount` from" in asked


def test_a_feed_that_may_come_back_is_no_gap() -> None:
    """A store that is away, or rights that are: what is held stays, and the error is shown."""
    dbt = started()
    change(dbt)
    with pytest.raises(RuntimeError, match="FILE_NOT_EXIST"):
        capture(dbt, feed=False)
    assert dbt.engine.steps == ["capture", "capture"]


def test_a_base_that_was_quiet_for_long() -> None:
    """It is the changes that a VACUUM may have taken, not what was captured before them."""
    dbt = started()
    change(dbt, 700)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 hour"
    with pytest.raises(RuntimeError, match="FILE_NOT_EXIST"):
        capture(dbt, feed=False)


def test_any_other_error_is_the_users() -> None:
    dbt = started()
    change(dbt)

    def full(sql: str) -> Table:
        if TRIED.fullmatch(sql):
            return Table([["failed"]])
        raise RuntimeError("disk full")

    log_engine(dbt)._do_capture = full  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        capture(dbt)
    assert dbt.engine.steps == ["capture", "capture"] and held(dbt) == []
    dbt = started()
    change(dbt)
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 second"
    log_engine(dbt)._do_capture = full  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="disk full"):
        capture(dbt)
    assert dbt.engine.steps == ["capture", "read_feed", "capture"] and held(dbt) == []
