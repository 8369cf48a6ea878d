"""The MERGE that publishes changes: what it takes away and puts in, within literal bounds."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sqlglot import exp

from tests.support.golden import Golden

from ..kit.harness import Dbt
from ..kit.jobs import (
    BOUNDS,
    SPEC,
    affected_keys_job,
    aggregate_delta_job,
    averages,
    job,
    row_delta_job,
)
from ..kit.lexer import skeleton
from ..kit.nasty import NASTY
from ..kit.parsing import parse

# The MERGE that publishes changes.


DBT = Dbt()
JOBS: dict[str, Any] = {
    "aggregate_delta": aggregate_delta_job(undecided=2, bounds=BOUNDS),
    "at_once": aggregate_delta_job(staged=False),
    "averages": averages(staged=False),
    "affected_keys": affected_keys_job(bounds=BOUNDS[:1]),
    "row_delta": row_delta_job(bounds=BOUNDS),
}


@pytest.mark.parametrize("strategy", JOBS)
def test_merge(strategy: str, golden: Golden) -> None:
    sql = DBT("_merge_changes_sql", SPEC, JOBS[strategy])
    golden(f"merge_{strategy}", sql)
    assert isinstance(parse(sql), exp.Merge)


def test_what_the_commit_says_of_itself() -> None:
    """In hexadecimal digits, which no rule of Delta's history changes."""
    sql = DBT("_merge_changes_sql", SPEC, affected_keys_job(reason="it's\\ 'x' \u00e9 ${y}"))
    (digits,) = re.findall(r"'([0-9a-f]{40,})'", sql)
    meta = json.loads(bytes.fromhex(digits))["dbt_mview"]
    assert (
        meta
        == DBT("_publish_meta", SPEC, affected_keys_job(reason="it's\\ 'x' \u00e9 ${y}"))[
            "dbt_mview"
        ]
    )
    written = {"notMatchedPredicates": json.dumps([{"predicate": sql}])}
    assert DBT("_commit_meta", DBT("_merge_meta", written)) == meta


def test_the_guard_is_a_branch_of_its_own() -> None:
    sql = DBT("_merge_changes_sql", SPEC, affected_keys_job())
    assert "\nunion all\nselect null, null, null\nwhere case\n" in sql
    assert "raise_error('dbt_mview: lock lost" in sql


# What a FAST publish takes away and puts in.


AGAIN = (
    "\nselect _mview_q.`k`, _mview_q.`s`, _mview_q.`n`, _mview_q.`total`, _mview_q.`lo`, 'insert'\n"
    "from (\n"
)


def test_every_touched_group_goes() -> None:
    assert DBT("_affected_keys_sql", SPEC, affected_keys_job()) == (
        "select `k`, null as `total`, 'delete' as _mview_op\nfrom `shop_mview`.`mview_stage_job1`"
    )


def test_groups_that_are_added_up() -> None:
    """Each is put in the place of what it was, or goes; so do those that are computed again."""
    sql = DBT("_merge_source_sql", SPEC, aggregate_delta_job(invariants=False))
    op = "when _mview_alive and not _mview_undecided then 'put'\n        else 'delete'\n    end"
    names = "`k`, `s`, `n`, `total`, `lo`"
    assert sql.startswith(f"select\n    {names},\n    case\n        {op} as _mview_op\nfrom (\n")
    assert "union all" not in sql and AGAIN not in sql, "none is undecided"
    assert parse(sql)


def test_groups_that_are_added_up_at_once() -> None:
    """The changes in place of the stage. What is undecided is an error: nobody looked for it."""
    sql = DBT("_merge_source_sql", SPEC, aggregate_delta_job(staged=False))
    changes = DBT("_stage_changes_sql", SPEC, aggregate_delta_job())
    assert (
        "\n        when _mview_undecided then raise_error('dbt_mview: a group is undecided')\n"
        in sql
    )
    assert f"\nfrom (\n{changes}\n) as s\nleft join " in sql and "mview_stage" not in sql
    assert parse(sql)


def test_undecided_groups_are_computed_again() -> None:
    sql = DBT("_merge_source_sql", SPEC, aggregate_delta_job(undecided=1))
    assert AGAIN in sql and sql.endswith(" and _mview_a._mview_undecided\n    )")
    assert parse(sql)


def test_keyed_groups_are_all_computed_again() -> None:
    sql = DBT("_merge_source_sql", SPEC, affected_keys_job(bounds=BOUNDS[:1]))
    assert "_mview_alive" not in sql
    assert sql.endswith(
        "union all\nselect _mview_q.`k`, _mview_q.`total`, 'insert'\nfrom (\n"
        "select `k`, `total`\nfrom (\nselect * from orders version as of 3 -- all\n)\n"
        ") as _mview_q\n"
        "where (_mview_q.`k` between cast('1' as int) and cast('9' as int)"
        " or _mview_q.`k` is null)\n"
        "    and exists (\n        select 1\n"
        "        from `shop_mview`.`mview_stage_job1` as _mview_a\n"
        "        where _mview_a.`k` <=> _mview_q.`k`\n    )"
    )


def test_one_group_of_all() -> None:
    sql = DBT("_merge_source_sql", SPEC, job("affected keys", [], {"mean": "holistic"}))
    assert "where true\n    and exists" in sql and "\n        where true\n" in sql
    assert parse(sql)


def test_rows() -> None:
    assert DBT("_merge_source_sql", SPEC, row_delta_job()) == DBT(
        "_row_delta_sql", SPEC, row_delta_job()
    )


# Literal bounds of keys.


def bound(low: Any, high: Any, nulls: bool) -> dict[str, Any]:
    return {"column": "k`1", "low": low, "high": high, "nulls": nulls}


@pytest.mark.parametrize(
    ("bounds", "sql"),
    [
        ([], "true"),
        ([bound("1", "9", False)], "(v.`k``1` between 1 and 9)"),
        ([bound("1", "9", True)], "(v.`k``1` between 1 and 9 or v.`k``1` is null)"),
        ([bound(None, None, True)], "(v.`k``1` is null)"),
        ([bound(None, None, False)], "true"),
        (
            BOUNDS,
            "(v.`k` between cast('1' as int) and cast('9' as int) or v.`k` is null)"
            " and (v.`s` between 'a' and 'z')",
        ),
    ],
)
def test_bounds(bounds: Any, sql: str) -> None:
    assert DBT("_bounds_sql", "v", bounds) == sql


@pytest.mark.parametrize(
    ("text", "type_", "literal"),
    [
        (None, "int", None),
        (None, "string", None),
        ("it's", "string", "'it\\'s'"),
        ("", "string", "''"),
        ("7", "bigint", "cast('7' as bigint)"),
        ("1.50", "decimal(10,2)", "cast('1.50' as decimal(10,2))"),
        ("2024-03-01", "date", "cast('2024-03-01' as date)"),
    ],
)
def test_typed_literal(text: Any, type_: str, literal: Any) -> None:
    assert DBT("_typed_literal", text, type_) == literal


@pytest.mark.parametrize("text", NASTY)
def test_no_text_leaves_its_literal(text: str) -> None:
    assert skeleton(DBT("_typed_literal", text, "string")) == skeleton("'x'")
