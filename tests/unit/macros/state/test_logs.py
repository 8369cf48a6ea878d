"""The logs that state knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import skeleton
from ...kit.log_engine import LogEngine
from ...kit.nasty import NASTY
from ...kit.parsing import parse


def known(**logs: str) -> Dbt:
    engine = LogEngine()
    engine.built_state()
    engine.logs = logs
    return Dbt(engine)


def test_logs() -> None:
    dbt = known(b="t", a="t", c="it's")
    assert dbt("_logs_of") == ["a", "b", "c"]
    assert dbt("_logs_of", "t") == ["a", "b"]
    assert dbt("_logs_of", "it's") == ["c"]
    assert dbt("_logs_of", "u") == []


def test_a_project_without_logs() -> None:
    dbt = known()
    del dbt.engine.state_tables["mlog_purge_info"]
    assert dbt("_logs_of", "t") == []
    assert dbt.engine.steps == ["read_tables"]


def register(dbt: Dbt, mlog_id: str, base: str) -> None:
    dbt("_register_log", {"mlog_id": mlog_id, "base": base}, {"id": "j", "dry_run": False})


def test_registered_once() -> None:
    dbt = known()
    register(dbt, "c.s.log", "c.s.t")
    register(dbt, "c.s.log", "c.s.t")
    assert dbt.engine.steps.count("register_log") == 1
    register(dbt, "c.s.log", "c.s.u")
    assert dbt.engine.logs == {"c.s.log": "c.s.u"}, "of another base now"


def test_register_log(golden: Callable[[str, str], None]) -> None:
    sql = Dbt()("_register_log_sql", {"mlog_id": "c.s.log", "base": "c.s.it's"})
    golden("register_log", sql)
    assert parse(sql)
    assert "and t.mlog_id = 'c.s.log'" in sql, "so that only that partition is read"


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    dbt = Dbt()
    plain = dbt("_register_log_sql", {"mlog_id": "m", "base": "b"})
    assert skeleton(dbt("_register_log_sql", {"mlog_id": text, "base": text})) == skeleton(plain)
