"""The result with its guard: a branch without rows that fails if the lock was lost."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse
from .test_create_table import JOB


def result(**changes: Any) -> str:
    dbt = Dbt()
    text: str = dbt("_guarded_result_sql", dbt("_spec_from_model"), {**JOB, **changes})
    assert parse(text)
    return text.strip()


def test_from_the_query() -> None:
    assert result().startswith(
        "select cast(`a` as string) as `a`, `b`\n"
        "from (\nselect a, b from shop.orders version as of 2\n)\n"
        "union all\nselect null, null\nwhere case\n"
    )


def test_from_the_stage() -> None:
    sql = result(staged=True)
    assert sql.startswith(
        "select cast(`a` as string) as `a`, `b`\n"
        "from `shop_mview`.`mview_stage_job1`\nunion all\nselect null, null\n"
    )
    assert "shop.orders" not in sql


def test_deferred_has_no_rows() -> None:
    assert "\n)\nwhere false\nunion all\n" in result(deferred=True)


def test_the_guard_names_this_refresh_only() -> None:
    guard = result().split("union all\n", 1)[1]
    assert "where mview_id = 'spark_catalog.shop.totals'\n" in guard
    assert "and lock_token = 3\n" in guard and "and refresh_job_id = 'job1'\n" in guard
    assert "select count(*) = 1\n" in guard, "a missing row must fail as well"
    assert "then false\n    else raise_error('dbt_mview: lock lost: " in guard


@pytest.mark.parametrize(
    "query", ["select 1 as a -- end", "with c as (select 1 as a) select * from c"]
)
def test_any_query_fits(query: str) -> None:
    assert f"\n{query}\n)" in result(query=query)


def test_expressions_get_the_names_of_the_view() -> None:
    columns = [
        {"name": "a", "type": "int", "expression": "cast(`a` as int)"},
        {"name": "b`c", "type": "string", "expression": "null"},
        {"name": "d", "type": "date", "expression": "`d`"},
    ]
    assert result(columns=columns, publish="insert").startswith(
        "select cast(`a` as int) as `a`, null as `b``c`, `d`\nfrom ("
    )


def test_a_table_that_is_there_keeps_its_columns() -> None:
    """Only a new one would take over the length of a VARCHAR."""
    for staged in (False, True):
        assert result(publish="insert", staged=staged).startswith("select `a`, `b`\nfrom")
