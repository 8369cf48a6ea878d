"""What a FAST publish takes away and puts in."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.jobs import BOUNDS, SPEC, aggregate, append, job, keyed
from ...kit.parsing import parse

DBT = Dbt()
AGAIN = (
    "\nselect _mview_q.`k`, _mview_q.`s`, _mview_q.`n`, _mview_q.`total`, _mview_q.`lo`, 'insert'\n"
    "from (\n"
)


def test_every_touched_group_goes() -> None:
    assert DBT("_touched_groups_sql", SPEC, keyed()) == (
        "select `k`, null as `total`, 'delete' as _mview_op\nfrom `shop_mview`.`mview_stage_job1`"
    )


def test_groups_that_are_added_up() -> None:
    """Each is put in the place of what it was, or goes; so do those that are computed again."""
    sql = DBT("_merge_source_sql", SPEC, aggregate())
    op = "when _mview_alive and not _mview_doubt then 'put'\n        else 'delete'\n    end"
    names = "`k`, `s`, `n`, `total`, `lo`"
    assert sql.startswith(f"select\n    {names},\n    case\n        {op} as _mview_op\nfrom (\n")
    assert "union all" not in sql and AGAIN not in sql, "none is in doubt"
    assert parse(sql)


def test_groups_that_are_added_up_at_once() -> None:
    """The changes in place of the stage. What is in doubt is an error: nobody has looked for it."""
    sql = DBT("_merge_source_sql", SPEC, aggregate(staged=False))
    changes = DBT("_stage_changes_sql", SPEC, aggregate())
    assert "\n        when _mview_doubt then raise_error('dbt_mview: a group is in doubt')\n" in sql
    assert f"\nfrom (\n{changes}\n) as s\nleft join " in sql and "mview_stage" not in sql
    assert parse(sql)


def test_groups_in_doubt_are_computed_again() -> None:
    sql = DBT("_merge_source_sql", SPEC, aggregate(doubts=1))
    assert AGAIN in sql and sql.endswith(" and _mview_a._mview_doubt\n    )")
    assert parse(sql)


def test_keyed_groups_are_all_computed_again() -> None:
    sql = DBT("_merge_source_sql", SPEC, keyed(bounds=BOUNDS[:1]))
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
    sql = DBT("_merge_source_sql", SPEC, job("keyed", [], {"mean": "other"}))
    assert "where true\n    and exists" in sql and "\n        where true\n" in sql
    assert parse(sql)


def test_rows() -> None:
    assert DBT("_merge_source_sql", SPEC, append()) == DBT("_merge_rows_sql", SPEC, append())
