"""How the ends of refreshes come into state."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from tests.support.golden import Golden

from ..kit.engine import outcome_rows
from ..kit.harness import Dbt
from ..kit.lexer import has_variable, skeleton
from ..kit.nasty import NASTY
from ..kit.parsing import parse, split
from ..kit.records import as_job
from ..kit.rows import outcome

# One end of a refresh.


def test_outcome() -> None:
    found = Dbt()(
        "_outcome", "v", "j", "o", 3, "failed", None, failed_reason="x", method="complete"
    )
    assert found == {
        "mview_id": "v",
        "job_id": "j",
        "owner": "o",
        "token": 3,
        "result": "failed",
        "type": None,
        "release": True,
        "method": "complete",
        "reason": None,
        "failed_reason": "x",
        "started": None,
        "ended": None,
        "rows": None,
        "sources": None,
        "read_time": None,
        "target_version": None,
        "definition": None,
        "definition_hash": None,
        "spec": None,
        "invocation_id": "o",
        "refresh_group": None,
        "plan": None,
        "seen": None,
        "noted": True,
        "charge": True,
    }


@pytest.mark.parametrize("type_", ["complete", "skip"])
def test_the_method_is_the_type_unless_said_otherwise(type_: str) -> None:
    assert Dbt()("_outcome", "v", "j", "o", 3, "success", type_)["method"] == type_


# Outcomes as rows of a subquery.


DBT = Dbt()


def in_state(given: dict[str, Any]) -> dict[str, Any]:
    """An outcome as its row says it. Whether it counts, the statement says of all of them; what is
    not noted has no row."""
    plan = given["plan"] or {"schedule": None, "next_time": None}
    row = {key: value for key, value in given.items() if key not in ("plan", "charge", "noted")}
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


# The row of a view after a refresh.


def merge() -> str:
    dbt = Dbt()
    rows = [outcome(dbt), dbt("_outcome", "v2", "j2", "o", None, "success", "skip")]
    text: str = dbt("_merge_info_sql", rows)
    return text.strip()


def test_merge_info(golden: Golden) -> None:
    golden("merge_info", merge())


def test_each_view_has_its_own_partition_in_the_condition() -> None:
    """Literals in ON: MERGEs of different views do not conflict."""
    assert "\non t.mview_id = s.mview_id and t.mview_id in ('plain', 'v2')\n" in merge()


def test_clauses() -> None:
    tree = parse(merge())
    assert isinstance(tree, exp.Merge)
    whens = tree.args["whens"].expressions
    assert [bool(when.args["matched"]) for when in whens] == [True, True, True, False]
    skip, success, failed, _ = (when.sql(dialect="spark").lower() for when in whens)
    as_seen = "t.lock_owner is null and t.last_refresh_time is not distinct from s.seen"
    assert as_seen in skip and "target_version" not in skip
    assert f"s.token is null and {as_seen}" in failed, "and an older failure replaces no success"
    assert "t.lock_token = s.token" in success and "t.lock_owner = s.owner" in success
    assert "sources = coalesce(t.sources, s.sources)" in failed, "the last success stays"
    assert "target_version" not in failed


# The rows of views after a run in which one was refreshed, or all were skipped.


SKIP = DBT("_outcome", "v", "j", "o", None, "success", "skip")
FAILED = DBT("_outcome", "v", "j", "o", 3, "failed", None)


def note(*outcomes: Any) -> str:
    text: str = DBT("_note_outcomes_sql", list(outcomes))
    return text.strip()


def test_one_refresh_and_skips_are_updates() -> None:
    for given in ([outcome(DBT)], [SKIP], [SKIP, {**SKIP, "mview_id": "w"}]):
        assert note(*given).startswith("update `shop_mview`.`mview_refresh_info`\nset\n")
        assert parse(note(*given))


def assigned(statement: exp.Expression) -> set[str]:
    """The columns that an UPDATE, or a clause of a MERGE, sets."""
    return {one.this.name for one in statement.expressions}


@pytest.mark.parametrize(("clause", "of"), [(0, SKIP), (1, outcome(DBT))], ids=["skip", "success"])
def test_an_update_sets_what_the_merge_does(clause: int, of: Any) -> None:
    """A column of state that one of the two forgets would be as it was before, now and then."""
    plan = {"schedule": {"next": "x"}, "next_time": 12}
    one = {**of, "plan": plan, "spec": {"a": 1}, "release": True}
    whens = parse(DBT("_merge_info_sql", [one]).strip()).args["whens"].expressions
    text = DBT("_update_refreshed_sql", one) if clause else DBT("_update_skipped_sql", [one])
    assert assigned(parse(text.strip())) == assigned(whens[clause].args["then"])


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
def test_update_info_what_goes_in_comes_out(text: str) -> None:
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


# Which statements record the ends of refreshes.


JOB = as_job({"id": "j", "dry_run": False, "token": 4, "owner": "o'"})


def skipped(dbt: Dbt) -> object:
    return dbt("_outcome", "v", "j", "o", None, "success", "skip")


def test_history_first_then_info() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [outcome(dbt), skipped(dbt)], JOB)
    history, info = (one.sql for one in dbt.engine.log)
    assert "insert into `shop_mview`.`mview_refresh_hist`" in history
    assert "merge into `shop_mview`.`mview_refresh_info`" in info
    first = history.split("set tries = 100")[0]
    assert [row["mview_id"] for row in outcome_rows(first)] == ["plain"], "skips leave no history"
    first = info.split("set tries = 100")[0]
    assert [row["mview_id"] for row in outcome_rows(first)] == ["plain", "v"]


def test_skips_take_one_commit() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [skipped(dbt)] * 3, JOB)
    assert dbt.engine.steps == ["record"]


def test_nothing_to_write() -> None:
    dbt = Dbt()
    dbt("_write_outcomes", [], JOB)
    assert dbt.engine.log == []


@pytest.mark.parametrize("text", NASTY)
def test_delete_and_release_name_one_row(text: str) -> None:
    dbt = Dbt()
    row = f" where mview_id = {dbt('_literal', text)} and lock_token = 4"
    dbt("_delete_state", text, JOB)
    assert f"delete from `shop_mview`.`mview_refresh_info`{row};" in dbt.engine.sql("forget")
    dbt("_release", text, JOB)
    assert f"{row} and lock_owner = 'o\\'';" in dbt.engine.sql("release")


# A statement that is run again after a conflict.


def test_retry_on_conflict(golden: Golden) -> None:
    golden(
        "retry_on_conflict", Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip()
    )


def test_the_statement_is_tried_at_first_within_the_loop_and_at_last_without_a_handler() -> None:
    pieces = split(Dbt()("_retry_on_conflict_sql", "delete from t where a = 'x;'").strip())
    assert pieces.count("delete from t where a = 'x;'") == 3


def test_without_a_conflict_nothing_else_is_evaluated() -> None:
    text = Dbt()("_retry_on_conflict_sql", "delete from t").strip()
    assert text.endswith("    end;\n    delete from t;\nend")


# What failed, as state says it and as it is read back.


@pytest.mark.parametrize("detail", ["why", "two\nlines: and more", "a; b", "it's"])
@pytest.mark.parametrize("code", ["not_finished", "taken_over", "group_not_published"])
def test_a_failure_is_read_back_by_its_code(code: str, detail: str) -> None:
    detail = detail if code != "group_not_published" else "sales"
    assert DBT("_failed_code", DBT("_failed_reason", code, detail)) == code


def test_a_run_that_died_without_a_word() -> None:
    assert DBT("_failed_reason", "not_finished") == "the run did not finish"
    assert DBT("_failed_code", "the run did not finish") == "not_finished"


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "no such column",
        "the run did not finish it",
        "published, but failed afterwards: the run did not finish",
        "refresh_group 'a' was not published, because not all of its members got that far.",
    ],
)
def test_any_other_failure_has_no_code(text: Any) -> None:
    assert DBT("_failed_code", text) is None
