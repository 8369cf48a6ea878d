"""When views are refreshed and logs purged, as state says it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import has_variable
from ...kit.log_engine import LogEngine
from ...kit.nasty import NASTY
from ...kit.parsing import parse


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


def test_golden(golden: Callable[[str, str], None]) -> None:
    dbt, _ = asked(LogEngine(), ["v", "it's"])
    sql = dbt.engine.sql("read_plans").split("*/\n", 1)[1]
    golden("read_plans", sql)
    assert parse(sql)


@pytest.mark.parametrize("text", NASTY)
def test_ids(text: str) -> None:
    for macro in ("_view_plans_sql", "_log_plans_sql"):
        sql = Dbt()(macro, [text])
        assert f"in ({Dbt()('_literal', text)})" in sql and not has_variable(sql)
