"""A run: how late it began, and what became of each view by state and by dbt."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.process import Answer, Result
from dbt_mview.serve.runs import DbtRun
from dbt_mview.serve.times import SECOND

AT = 1_000 * SECOND


def result(name: str, status: str = "success", **more: Any) -> Result:
    given = {"message": "", "skip": False, "left": False, "seconds": 2.5, **more}
    return Result(f"model.shop.{name}", name, None, status, **given)


def run(*before: m.Row, answer: Answer | None = None, **action: Any) -> DbtRun:
    ids = tuple(row.id for row in before)
    names = {f"model.shop.{id_}": id_ for id_ in ids}
    start = m.Start("a/b/1", "view", ids, **action)
    return DbtRun(start, "a", AT, names, {row.id: row for row in before}, answer=answer)


def outcome(was: m.Row, now: m.Row | None, *results: Result) -> str:
    one = run(was, answer=Answer("done", results=results))
    return one.outcomes({now.id: now} if now else {})[was.id]


@pytest.mark.parametrize(
    ("row", "late"),
    [
        (m.Row("v", 1, AT - 3 * SECOND), [3.0]),
        (m.Row("v", 1, AT + SECOND), [0.0]),
        (m.Row("v", 1, AT - 60 * SECOND, retry_time=AT - SECOND, failures=1), [1.0]),
        (m.Row("v", 1, None), []),
        (m.Row("v", 1, AT - 60 * SECOND, at_most_every=SECOND), []),
        (m.Row("v", 1, 0, retry_time=AT - SECOND, failures=1, at_most_every=SECOND), [1.0]),
    ],
)
def test_lateness_is_of_a_plan(row: m.Row, late: list[float]) -> None:
    """A view that listens has none: when its source has changed is not known."""
    assert run(row).lateness() == late
    assert run(row, is_manual=True).lateness() == []


@pytest.mark.parametrize(
    ("row", "due"),
    [
        (m.Row("v", 1, AT), {"v": AT}),
        (m.Row("v", 1, AT, retry_time=AT + SECOND, failures=1), {"v": AT + SECOND}),
        (m.Row("v", 1, None), {}),
    ],
)
def test_dbt_is_told_for_which_plan_it_runs(row: m.Row, due: dict[str, int]) -> None:
    assert run(row).due() == due
    assert run(row, is_manual=True).due() == {}


def test_state_says_what_became_of_it() -> None:
    was = m.Row("v", 1, 5, failures=1, retry_time=7)
    assert outcome(was, None) == "not reached"
    assert outcome(was, m.Row("v", 2, 5, failures=2), result("v")) == "failed"
    assert outcome(was, m.Row("v", 2, 9), result("v")) == "success"
    assert outcome(was, m.Row("v", 2, 9), result("v", skip=True)) == "skip"
    assert outcome(was, m.Row("v", 2, 9), result("v", left=True)) == "not reached"
    assert outcome(was, was, result("v", "error")) == "not reached"
    assert outcome(was, was) == "not reached"


def test_a_success_that_dbt_did_not_come_to_tell_is_one() -> None:
    was = m.Row("v", 1, 5, ended=3)
    assert outcome(was, m.Row("v", 2, 5, ended=4)) == "success"
    assert outcome(was, m.Row("v", 2, 6, ended=3)) == "success"
    assert outcome(was, m.Row("v", 2, 5, ended=3)) == "not reached"


def test_who_has_not_seen_what_changed() -> None:
    one = run(*(m.Row(name, 1, 0) for name in "abcd"))
    outcomes = {"a": "success", "b": "skip", "c": "failed", "d": "not reached"}
    assert one.missed(outcomes) == ("c", "d")
    assert run(m.Row("c", 1, 0), is_manual=True).missed(outcomes) == ()


def test_what_dbt_took() -> None:
    results = (
        result("a"),
        result("b", skip=True),
        result("c", "error", message="division by zero"),
        result("x"),
    )
    one = run(*(m.Row(name, 1, 0) for name in "abcd"), answer=Answer("done", results=results))
    assert one.took() == {"a": 2.5}, "as the next one will take"
    assert [one.seconds(name) for name in "abcd"] == [2.5, 2.5, 2.5, 0.0]
    assert (one.said("c"), one.said("d")) == ("division by zero", "")


def test_how_it_ended() -> None:
    one = run(m.Row("v", 1, 0))
    assert (one.how(), one.problem()) == ("", "")
    one.answer = Answer("died", "worker 1 was killed")
    assert (one.how(), one.problem()) == ("died", "worker 1 was killed")
    one.cancelled = "timeout"
    assert (one.how(), one.problem()) == ("cancelled", "timeout")
    line = one.line("a/b/1")
    assert (line.ended, line.ids, line.began, line.how) == (None, ("v",), AT, "cancelled")
