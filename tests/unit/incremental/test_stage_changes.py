"""What FAST stages, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.golden import Golden

from ..kit.harness import Dbt
from ..kit.jobs import (
    BOUNDS,
    SPEC,
    affected_keys_job,
    aggregate_delta_job,
    columns,
    job,
    row_delta_job,
)
from ..kit.parsing import parse

# What FAST stages; the statements around it are golden, see test_stage.py.


DBT = Dbt()


def test_one_row_for_each_group() -> None:
    sql = DBT("_stage_changes_sql", SPEC, aggregate_delta_job())
    assert sql.endswith("\n)\ngroup by `k`, `s`")
    assert "coalesce(min(_mview_sign) < 0, false) as _mview_has_deletes" in sql


def test_rows_that_cancel_out_are_left_out() -> None:
    sql = DBT("_stage_changes_sql", SPEC, row_delta_job())
    assert sql.endswith("\ngroup by `k`, `s`\nhaving sum(_mview_sign) <> 0")
    assert "sum(_mview_sign) as _mview_n" in sql


def test_without_keys() -> None:
    """One group of all rows."""
    sql = DBT("_stage_changes_sql", SPEC, job("aggregate delta", [], {"n": "count_all"}))
    assert "group by" not in sql and parse(sql)
    sql = DBT("_stage_changes_sql", SPEC, job("affected keys", [], {"mean": "holistic"}))
    assert sql.startswith("select\n    max(1) as _mview_all\nfrom (\n") and "group by" not in sql


SUM = "sum(case when _mview_sign < 0 then - `a``b` else `a``b` end)"


@pytest.mark.parametrize("kind", ["sum", "count", "count_all"])
def test_what_adds_up(kind: str) -> None:
    assert DBT("_staged_value", 2, "`a``b`", kind, "bigint") == f"{SUM} as _mview_sum_2"


def test_decimals_are_added_up_in_the_type_of_the_column() -> None:
    sql = DBT("_staged_value", 2, "`a``b`", "sum", "decimal(28,8)")
    assert sql == f"cast({SUM} as decimal(28,8)) as _mview_sum_2"


def test_an_overflowable_sum_is_known_where_all_its_terms_are() -> None:
    sql = DBT("_staged_value", 2, "`a``b`", "overflowable_sum", "decimal(38,4)")
    assert sql == f"case when count(`a``b`) = count(*) then {SUM} end as _mview_sum_2"


@pytest.mark.parametrize("kind", ["min", "max"])
def test_extremes(kind: str) -> None:
    assert DBT("_staged_value", 1, "`a`", kind, "int") == (
        f"{kind}(case when _mview_sign > 0 then `a` end) as _mview_come_1,\n"
        f"    {kind}(case when _mview_sign < 0 then `a` end) as _mview_gone_1"
    )


# Asking what the staged changes amount to.


def test_undecided_groups_are_counted() -> None:
    sql = DBT("_staged_changes_sql", SPEC, aggregate_delta_job(), columns("k"))
    assert sql.startswith(
        "select\n    count(*),\n    count_if(_mview_undecided),\n    cast(min(`k`) as string),\n"
        "    cast(max(`k`) as string),\n    count_if(`k` is null),\n    count_if(`n` < 0)\nfrom (\n"
        "select\n    s.`k`"
    )
    assert parse(sql)


def test_nothing_is_undecided_where_rows_only_came() -> None:
    sql = DBT("_staged_changes_sql", SPEC, aggregate_delta_job(changes=[{"deletes": False}]), [])
    assert sql == "select\n    count(*),\n    0,\n    0\nfrom `shop_mview`.`mview_stage_job1`"
    sql = DBT("_staged_changes_sql", SPEC, affected_keys_job(), [])
    assert sql.endswith("    0\nfrom `shop_mview`.`mview_stage_job1`")


def test_overflowable_sums_are_undecided_whatever_changed() -> None:
    wide = job("aggregate delta", ["k"], {"w": "overflowable_sum"}, changes=[{"deletes": False}])
    assert "count_if(_mview_undecided)" in DBT("_staged_changes_sql", SPEC, wide, [])


# Keys that a view would hold twice after FAST.


UNIQUE = {**SPEC, "unique_key": ["s"]}


def test_rows_that_come(golden: Golden) -> None:
    golden("audit_changes", DBT("_audit_changes_sql", UNIQUE, row_delta_job()))


@pytest.mark.parametrize("job", [aggregate_delta_job, affected_keys_job])
def test_groups_by_their_own_key(job: Callable[[], object]) -> None:
    """Nothing is asked."""
    assert DBT("_audit_changes_sql", UNIQUE, job()) is None


def test_rows_that_are_computed_again(golden: Golden) -> None:
    """Several rows for a key: only what comes tells whether unique_key holds."""
    job = affected_keys_job(bounds=BOUNDS[:1])
    job["fast"]["one_row"] = False
    sql = DBT("_audit_changes_sql", {**SPEC, "unique_key": ["k", "total"]}, job)
    golden("audit_again", sql)
    assert parse(sql)


def test_groups_that_share_a_key(golden: Golden) -> None:
    sql = DBT("_shared_keys_sql", UNIQUE, aggregate_delta_job())
    golden("shared_keys", sql)
    assert parse(sql)
