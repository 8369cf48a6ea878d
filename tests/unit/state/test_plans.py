"""When something is due, as state says it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.harness import Dbt, DbtError
from ..kit.lexer import has_variable
from ..kit.log_engine import LogEngine
from ..kit.nasty import NASTY
from ..kit.parsing import parse

# When views are refreshed and logs purged, as state says it.


def asked(engine: LogEngine | None = None, ids: list[str] | None = None) -> tuple[Dbt, Any]:
    dbt = Dbt(engine)
    dbt.engine.built_state()
    dbt.engine.plans = [
        ["view", "v", "5", None, 6, None, "7", "2", "1.25", '{"every": 60}', "failed", "why"],
        ["log", "l", *[None] * 5, 0, None, None, None, None],
    ]
    return dbt, dbt("_plans", ids)


def test_rows() -> None:
    _, rows = asked(LogEngine())
    none = dict.fromkeys("next_time retry_time ended lease_until paused_time took".split())
    assert rows == [
        {
            **none, "kind": "view", "id": "v", "version": 7, "next_time": 5, "ended": 6,
            "paused_time": 7, "failures": 2, "took": 1.25, "schedule": {"every": 60},
            "result": "failed", "reason": "why",
        },
        {
            **none, "kind": "log", "id": "l", "version": 7, "failures": 0, "schedule": None,
            "result": None, "reason": None,
        },
    ]  # fmt: skip


def test_versions_are_read_before_the_rows() -> None:
    dbt, _ = asked(LogEngine())
    reads = [step for step in dbt.engine.steps if step in ("read_describe_history", "read_plans")]
    assert reads == ["read_describe_history", "read_describe_history", "read_plans"]


def test_no_ids_no_question() -> None:
    dbt, rows = asked(ids=[])
    assert rows == [] and dbt.engine.log == []


def test_golden(golden: Golden) -> None:
    dbt, _ = asked(LogEngine(), ["v", "it's"])
    sql = dbt.engine.sql("read_plans").split("*/\n", 1)[1]
    golden("read_plans", sql)
    assert parse(sql)


@pytest.mark.parametrize("text", NASTY)
def test_ids(text: str) -> None:
    for macro in ("_view_plans_sql", "_log_plans_sql"):
        sql = Dbt()(macro, [text])
        assert f"in ({Dbt()('_literal', text)})" in sql and not has_variable(sql)


# What state says of plans.


def test_due_rows() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    source = {"relation": "a.b.c", "version": 1}
    values = ["view", "v", json.dumps({"every": 60}), "5", None, "2", json.dumps([source])]
    dbt.engine.due = [[*values, "success", "true", "true"]]
    assert dbt("_due_rows") == [
        {
            "what": "view", "id": "v", "schedule": {"every": 60}, "next_time": 5,
            "retry_time": None, "failures": 2, "sources": [source],
            "result": "success", "is_built": True, "lease_over": True,
        }
    ]  # fmt: skip


def test_logs_are_asked_where_there_are_any() -> None:
    for engine, tables in ((None, 1), (LogEngine(), 2)):
        dbt = Dbt(engine)
        dbt.engine.built_state()
        assert dbt("_due_rows") == []
        sql = dbt.engine.sql("read_due")
        assert parse(sql) and sql.count("_info`") == tables


def test_files_of_later_plans_can_be_left_out() -> None:
    """Each condition is one column beside one value, as Delta's statistics need it."""
    sql = " ".join(Dbt()("_may_be_due_sql").split())
    assert sql == (
        "schedule is not null and paused_time is null and (failures is null or failures < 16)"
        " and ( next_time is null or next_time <= current_timestamp()"
        " or retry_time <= current_timestamp() )"
    )


def test_a_dry_run_writes_nothing() -> None:
    engine = LogEngine()
    engine.built_state()
    engine.state_tables["mlog_purge_info"]["dbt_mview.layout"] = "1"
    dbt = Dbt(engine)
    try:
        dbt("_due_rows", True)
    except DbtError as error:
        assert "state has the layout of an older release" in str(error)
    assert engine.writes == []


# Planned times, written down.


def test_one_statement_for_each_table_that_is_there() -> None:
    for engine, count in ((None, 1), (LogEngine(), 2)):
        dbt = Dbt(engine)
        dbt.engine.built_state()
        statements = dbt("_plan_times_sql", {"v": 5, "w": 6})
        assert len(statements) == count
        for sql in statements:
            assert parse(sql)
            assert "when 'v' then timestamp_micros(5)\n    when 'w' then timestamp_micros(6)" in sql
            assert sql.endswith("schedule is not null and next_time is null")


@pytest.mark.parametrize("text", NASTY)
def test_names(text: str) -> None:
    dbt = Dbt()
    (sql,) = dbt("_plan_times_sql", {text: 5})
    assert sql.count(dbt("_literal", text)) == 2 and not has_variable(sql)


# Pauses, resumes and resets in state.


@pytest.mark.parametrize(
    ("how", "sets", "where"),
    [
        ("pause", "paused_time = current_timestamp()", "paused_time is null"),
        ("resume", "paused_time = null", "paused_time is not null"),
        ("reset", "failures = null, retry_time = null", "failures is not null"),
    ],
)
def test_rows_that_are_so_already_stay(how: str, sets: str, where: str) -> None:
    sql = Dbt()("_hold_plans_sql", how, "`s`.`t`", "mview_id", ["c.s.a", "c.s.it's"])
    ids = r"'c.s.a', 'c.s.it\'s'"
    told = f"update `s`.`t` set {sets} where mview_id in ({ids}) and {where}"
    assert " ".join(sql.split()) == told and parse(sql.strip())
