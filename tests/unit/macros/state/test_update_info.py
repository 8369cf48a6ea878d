"""The rows of views after a run in which one was refreshed, or all were skipped."""

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
SKIP = DBT("_outcome", "v", "j", "o", None, "success", "skip")
FAILED = DBT("_outcome", "v", "j", "o", 3, "failed", None)


def note(*outcomes: Any) -> str:
    text: str = DBT("_note_outcomes_sql", list(outcomes))
    return text.strip()


def test_one_refresh_and_skips_are_updates() -> None:
    for given in ([outcome(DBT)], [SKIP], [SKIP, {**SKIP, "mview_id": "w"}]):
        assert note(*given).startswith("update `shop_mview`.`mview_refresh_info`\nset\n")
        assert parse(note(*given))


@pytest.mark.parametrize("others", [[outcome(DBT), SKIP], [outcome(DBT)] * 2, [FAILED]])
def test_all_else_is_a_merge(others: list[Any]) -> None:
    assert note(*others).startswith("merge into `shop_mview`.`mview_refresh_info` as t\n")
    assert note(SKIP, FAILED).startswith("merge into ")


def test_skips_touch_no_locked_row_and_nothing_but_the_last_refresh() -> None:
    values = {
        "failures": "null",
        "retry_time": "null",
        "last_refresh_result": "'success'",
        "last_refresh_type": "'skip'",
        "last_refresh_time": "current_timestamp()",
        "last_refresh_failed_reason": "cast(null as string)",
    }
    seen = {**SKIP, "seen": 7}
    free = "lock_owner is null and last_refresh_time <=> timestamp_micros(7)"
    set_ = [f"    {key} = if({free}, {text}, {key})" for key, text in values.items()]
    assert note(seen, {**seen, "mview_id": "it's"}) == (
        "update `shop_mview`.`mview_refresh_info`\nset\n"
        + ",\n".join(set_)
        + "\nwhere mview_id in ('v', 'it\\'s')"
    )


def test_a_refresh_needs_its_lock() -> None:
    held = "lock_token = cast(3 as bigint) and lock_owner = 'plain'"
    sql = note(outcome(DBT))
    assert sql.endswith("\nwhere mview_id in ('plain')")
    assert sql.count(f" = if({held}, ") == sql.count(" = if(") == 16


def test_the_lock_goes_with_the_outcome() -> None:
    lock = ["intent", "lock_owner", "lock_time", "lease_until"]
    released = note(outcome(DBT))
    kept = note({**outcome(DBT), "release": False})
    assert [f", null, {name})" in released for name in lock] == [True] * 4
    assert [f", null, {name})" in kept for name in lock] == [False] * 4
    assert parse(kept)


@pytest.mark.parametrize("text", NASTY)
def test_what_goes_in_comes_out(text: str) -> None:
    given = outcome(DBT, text)
    sql = note(given)
    (row,) = outcome_rows(sql)
    for name in ("mview_id", "owner", "token", "definition", "spec", "sources", "read_time"):
        assert row[name] == given[name]
    assert row["target_version"] == 10 and row["failed_reason"] == text and row["release"]
    assert skeleton(sql) == skeleton(note(outcome(DBT)))
    assert not has_variable(sql)


def test_what_is_not_known_stays() -> None:
    sql = note(DBT("_outcome", "v", "j", "o", 1, "success", "fast"))
    assert "coalesce(cast(null as string), definition), definition)" in sql
    assert "coalesce(cast(null as string), spec), spec)" in sql


PLAN = {"schedule": {"every": 60}, "next_time": 12}


@pytest.mark.parametrize("plan", [PLAN, {"schedule": None, "next_time": None}])
def test_a_plan_comes_with_the_success(plan: dict[str, Any]) -> None:
    for given in (outcome(DBT), SKIP):
        (row,) = outcome_rows(note({**given, "plan": plan}))
        assert row["planned"] and {key: row[key] for key in plan} == plan
        assert not outcome_rows(note(given))[0]["planned"], "else it stays"


@pytest.mark.parametrize("other", [{"plan": PLAN}, {"seen": 8}, {"failed_reason": "no"}])
def test_what_differs_between_skips_takes_a_merge(other: dict[str, Any]) -> None:
    assert note(SKIP, {**SKIP, **other}).startswith("merge into ")
    (row,) = outcome_rows(note({**SKIP, **other}))
    assert {key: row.get(key) for key in ("seen", "failed_reason")} == {
        "seen": None,
        "failed_reason": None,
        **{key: value for key, value in other.items() if key != "plan"},
    }, "but not where it is alone"
