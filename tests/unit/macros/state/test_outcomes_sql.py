"""Outcomes as rows of a subquery."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import outcome_rows
from ...kit.harness import Dbt
from ...kit.lexer import has_variable, skeleton
from ...kit.nasty import NASTY
from ...kit.parsing import parse
from ...kit.rows import outcome

DBT = Dbt()


def in_state(given: dict[str, Any]) -> dict[str, Any]:
    """An outcome as its row says it. Whether it counts, the statement says of all of them."""
    plan = given["plan"] or {"schedule": None, "next_time": None}
    row = {key: value for key, value in given.items() if key not in ("plan", "charge")}
    return {**row, **plan, "planned": given["plan"] is not None}


@pytest.mark.parametrize("text", NASTY)
def test_what_goes_in_comes_out(text: str) -> None:
    given = outcome(DBT, text)
    sql = DBT("_outcomes_sql", [given])
    assert outcome_rows(sql) == [in_state(given)]
    assert skeleton(sql) == skeleton(DBT("_outcomes_sql", [outcome(DBT)]))
    assert not has_variable(sql)


def test_nothing_is_null() -> None:
    """A value that is not there is NULL of the right type, so that any row can be the first."""
    empty = DBT("_outcome", "v", "j", None, None, "failed", None)
    sql = DBT("_outcomes_sql", [empty, outcome(DBT)])
    assert outcome_rows(sql)[0] == in_state(empty)
    row = next(line for line in sql.splitlines() if line.startswith("        ('v'"))
    assert row.count("cast(null as string)") == 12
    assert row.count("cast(null as bigint)") == 3
    assert row.count("cast(null as timestamp)") == 5
    assert parse(sql.strip())


@pytest.mark.parametrize("text", NASTY)
def test_a_plan(text: str) -> None:
    given = {**outcome(DBT), "plan": {"schedule": {"next": text}, "next_time": 12}}
    sql = DBT("_outcomes_sql", [given])
    assert outcome_rows(sql) == [in_state(given)]
    assert not has_variable(sql)
