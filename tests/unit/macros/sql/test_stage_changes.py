"""What FAST stages; the statements around it are golden, see test_stage.py."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, append, job
from ...kit.parsing import parse

DBT = Dbt()


def test_one_row_for_each_group() -> None:
    sql = DBT("_stage_changes_sql", SPEC, aggregate())
    assert sql.endswith("\n)\ngroup by `k`, `s`")
    assert "coalesce(min(_mview_sign) < 0, false) as _mview_gone" in sql


def test_rows_that_cancel_out_are_left_out() -> None:
    sql = DBT("_stage_changes_sql", SPEC, append())
    assert sql.endswith("\ngroup by `k`, `s`\nhaving sum(_mview_sign) <> 0")
    assert "sum(_mview_sign) as _mview_n" in sql


def test_without_keys() -> None:
    """One group of all rows."""
    sql = DBT("_stage_changes_sql", SPEC, job("aggregate", [], {"n": "count_all"}))
    assert "group by" not in sql and parse(sql)
    sql = DBT("_stage_changes_sql", SPEC, job("keyed", [], {"mean": "other"}))
    assert sql.startswith("select\n    max(1) as _mview_all\nfrom (\n") and "group by" not in sql


SUM = "sum(case when _mview_sign < 0 then - `a``b` else `a``b` end)"


@pytest.mark.parametrize("kind", ["sum", "count", "count_all"])
def test_what_adds_up(kind: str) -> None:
    assert DBT("_staged_value", 2, "`a``b`", kind, "bigint") == f"{SUM} as _mview_sum_2"


def test_decimals_are_added_up_in_the_type_of_the_column() -> None:
    sql = DBT("_staged_value", 2, "`a``b`", "sum", "decimal(28,8)")
    assert sql == f"cast({SUM} as decimal(28,8)) as _mview_sum_2"


def test_a_wide_sum_is_known_where_all_its_terms_are() -> None:
    sql = DBT("_staged_value", 2, "`a``b`", "wide_sum", "decimal(38,4)")
    assert sql == f"case when count(`a``b`) = count(*) then {SUM} end as _mview_sum_2"


@pytest.mark.parametrize("kind", ["min", "max"])
def test_extremes(kind: str) -> None:
    assert DBT("_staged_value", 1, "`a`", kind, "int") == (
        f"{kind}(case when _mview_sign > 0 then `a` end) as _mview_come_1,\n"
        f"    {kind}(case when _mview_sign < 0 then `a` end) as _mview_gone_1"
    )
