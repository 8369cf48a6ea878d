"""Planned times, written down."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import has_variable
from ...kit.log_engine import LogEngine
from ...kit.nasty import NASTY
from ...kit.parsing import parse


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
