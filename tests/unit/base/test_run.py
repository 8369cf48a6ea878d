"""Statements are sent, or printed; what an invocation remembers and tells."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest

from ..kit.harness import Dbt, DbtError, Model
from ..kit.records import as_job, as_reason
from ..kit.scenes import built

# Statements: named by their step, printed instead of run in a dry run.


JOB = as_job({"id": "j1", "dry_run": False})


def test_run() -> None:
    dbt = Dbt()
    dbt.engine.acquire = ["acquired"]
    rows = dbt("_run", "acquire", "select 1", JOB)
    assert rows[0][0] == "acquired"
    assert dbt.engine.log[0].step == "acquire"
    assert dbt.engine.log[0].sql == "/* dbt_mview step=acquire job=j1 */\nselect 1"


def test_dry_run_prints_what_a_run_would_execute() -> None:
    dbt = Dbt()
    assert (
        dbt("_run", "sweep", "drop table if exists `x`", as_job({**JOB, "dry_run": True})) is None
    )
    assert dbt.engine.log == []
    printed = dbt.printed[0]
    dbt("_run", "sweep", "drop table if exists `x`", JOB)
    assert printed == dbt.engine.log[0].sql + ";"


def test_read() -> None:
    dbt = Dbt()
    assert len(dbt("_read", "clock", "select 1").rows) == 1
    step, sql = dbt.engine.log[0].step, dbt.engine.log[0].sql
    assert step == "read_clock"
    assert sql == "/* dbt_mview step=clock */\nselect 1"


def test_a_statement_is_not_indented() -> None:
    dbt = Dbt()
    dbt("_read", "clock", "\nselect 1,\n  2\n")
    assert dbt.engine.log[0].sql == "/* dbt_mview step=clock */\nselect 1,\n  2"


def test_what_a_model_sends_is_in_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, and also what fails; what is only read is not."""
    dbt = Dbt()
    dbt.use(model := Model())
    job = as_job({**JOB, "unique_id": model.unique_id})
    dbt("_run", "sweep", "drop table if exists `x`", job)
    dbt("_read", "clock", "select 2")
    monkeypatch.setattr(dbt.engine, "execute", Mock(side_effect=OSError))
    with pytest.raises(OSError):
        dbt("_run", "sweep", "select 3", job)
    first = "/* dbt_mview step=sweep job=j1 */\ndrop table if exists `x`;\n\n"
    second = "/* dbt_mview step=sweep job=j1 */\nselect 3;\n\n"
    assert dbt.written == {model.unique_id: first + second}


def test_what_is_sent_for_another_model_is_in_no_file() -> None:
    dbt = Dbt()
    dbt.use(Model())
    dbt("_run", "sweep", "select 1", {**JOB, "unique_id": "model.shop.another"})
    dbt("_run", "sweep", "select 1", JOB)
    assert dbt.written == {}


def test_a_skip_says_in_its_file_that_nothing_was_sent() -> None:
    dbt = built()
    assert dbt.run()[0].status == "success"
    assert list(dbt.written.values()) == ["-- SKIP nothing changed since shop.orders v2\n\n"]


def test_raise_names_the_object_the_rule_and_the_way_out() -> None:
    with pytest.raises(DbtError, match=r"^dbt_mview: a\.b\.c: the rule\. The way out\.$"):
        Dbt()("_raise", "a.b.c", "the rule.", "The way out.")


# What an invocation remembers is shared by all its models.


def test_memory_lives_as_long_as_the_invocation() -> None:
    dbt = Dbt()
    assert not any(dbt("_memory").values()), "it begins empty"
    dbt("_memory")["pins"]["a"] = 1
    assert dbt("_memory")["pins"] == {"a": 1}
    assert dbt("_memory") is dbt.context["graph"]["dbt_mview"][dbt.invocation_id]
    assert Dbt()("_memory")["pins"] == {}


def test_an_invocation_that_is_handed_the_same_manifest_begins_empty() -> None:
    """dbtRunner(manifest=...) invoked twice: what was pinned the first time is old the second."""
    first = Dbt()
    first("_memory")["pins"]["a"] = 1
    second = Dbt(invocation_id="second")
    second.context["graph"] = first.context["graph"]
    assert second("_memory")["pins"] == {}
    assert list(second.context["graph"]["dbt_mview"]) == ["second"], "and nothing is kept for ever"


# dbt's line of a model.


TOLD_JOB = {
    "skip": None,
    "deferred": False,
    "method": "complete",
    "reason": as_reason("orders v1 -> v2"),
    "followed": None,
    "not_fast": None,
    "fast": None,
    "commit": {"version": 4, "rows": 12},
    "left_to_other": False,
}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "COMPLETE v4, 12 rows: orders v1 -> v2"),
        ({"fast": {"as_text": []}}, "COMPLETE v4, 12 rows differ: orders v1 -> v2"),
        (
            {"skip": "nothing changed since shop.orders v2"},
            "SKIP nothing changed since shop.orders v2",
        ),
        (
            {"commit": None, "spec": {"refresh_group": "g"}},
            "STAGED COMPLETE for refresh_group g: orders v1 -> v2",
        ),
        ({"deferred": True}, "DEFERRED v4, 12 rows: orders v1 -> v2"),
    ],
)
def test_tell(changes: Any, line: str) -> None:
    dbt = Dbt()
    dbt("_report_result", {**TOLD_JOB, **changes})
    assert dbt.messages["model.shop.totals"] == line


# Tables for people.


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    dbt = Dbt()
    dbt("_print_table", ["view", "n"], [["orders", 1], ["x", 1000]])
    assert dbt.printed == ["view    n", "orders  1", "x       1000"]


def test_without_rows() -> None:
    dbt = Dbt()
    dbt("_print_table", ["view", "n"], [])
    assert dbt.printed == ["view  n"]


# The middle of some numbers.


@pytest.mark.parametrize(
    ("numbers", "median"),
    [([], None), ([0.0], 0), ([3, 1], 3), ([10, 9, 2], 9), ([1, 9, 5, 1], 5)],
)
def test_median(numbers: list[float], median: Any) -> None:
    assert Dbt()("_median", numbers) == median
