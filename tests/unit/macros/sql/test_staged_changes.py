"""Asking what the staged changes amount to."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, columns, job, keyed
from ...kit.parsing import parse

DBT = Dbt()


def test_doubtful_groups_are_counted() -> None:
    sql = DBT("_staged_changes_sql", SPEC, aggregate(), columns("k"))
    assert sql.startswith(
        "select\n    count(*),\n    count_if(_mview_doubt),\n    cast(min(`k`) as string),\n"
        "    cast(max(`k`) as string),\n    count_if(`k` is null)\nfrom (\nselect\n    s.`k`"
    )
    assert parse(sql)


def test_nothing_is_in_doubt_where_rows_only_came() -> None:
    sql = DBT("_staged_changes_sql", SPEC, aggregate(changes=[{"deletes": False}]), [])
    assert sql == "select\n    count(*),\n    0\nfrom `shop_mview`.`mview_stage_job1`"
    sql = DBT("_staged_changes_sql", SPEC, keyed(), [])
    assert sql.endswith("    0\nfrom `shop_mview`.`mview_stage_job1`")


def test_wide_sums_are_in_doubt_whatever_changed() -> None:
    wide = job("aggregate", ["k"], {"w": "wide_sum"}, changes=[{"deletes": False}])
    assert "count_if(_mview_doubt)" in DBT("_staged_changes_sql", SPEC, wide, [])
