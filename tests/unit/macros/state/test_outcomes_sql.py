"""Outcomes as rows of a subquery."""

from __future__ import annotations

import pytest

from ..engine import outcome_rows
from ..harness import Dbt
from ..lexer import has_variable, skeleton
from ..nasty import NASTY
from ..parsing import parse
from .rows import outcome

DBT = Dbt()


@pytest.mark.parametrize("text", NASTY)
def test_what_goes_in_comes_out(text: str) -> None:
    given = outcome(DBT, text)
    sql = DBT("_outcomes_sql", [given])
    assert outcome_rows(sql) == [given]
    assert skeleton(sql) == skeleton(DBT("_outcomes_sql", [outcome(DBT)]))
    assert not has_variable(sql)


def test_nothing_is_null() -> None:
    """A value that is not there is NULL of the right type, so that any row can be the first."""
    empty = DBT("_outcome", "v", "j", None, None, "failed", None)
    sql = DBT("_outcomes_sql", [empty, outcome(DBT)])
    assert outcome_rows(sql)[0] == empty
    row = next(line for line in sql.splitlines() if line.startswith("        ('v'"))
    assert row.count("cast(null as string)") == 10
    assert row.count("cast(null as bigint)") == 3
    assert row.count("cast(null as timestamp)") == 3
    assert parse(sql.strip())
