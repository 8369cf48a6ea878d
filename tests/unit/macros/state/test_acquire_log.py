"""The statements that take and keep the lock of a log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge
from ...kit.parsing import parse, statements

LOG = {"mlog_id": "c.s.o'log"}


def test_acquire(golden: Callable[[str, str], None]) -> None:
    golden("acquire_log", Dbt()("_acquire_log_sql", LOG, a_purge(), 2).strip())


@pytest.mark.parametrize("macro", ["_acquire_log_sql", "_keep_lock_sql"])
def test_parses(macro: str) -> None:
    more: list[Any] = [2] if macro == "_acquire_log_sql" else []
    sql = Dbt()(macro, LOG, a_purge(owner="it's me"), *more).strip()
    assert [parse(statement) for statement in statements(sql)]
    assert "mlog_id = 'c.s.o\\'log'" in sql and "then 'it\\'s me'" in sql


def test_keep() -> None:
    sql = Dbt()("_keep_lock_sql", LOG, a_purge())
    assert "when lock_token = 3 and lock_owner = 'me' then 'me'" in sql
    assert "lock_token = 3,\n" in sql
