"""Pauses, resumes and resets in state."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse


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
