"""The generic test mview_fresh."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Delta, delta, micros
from ..kit.harness import Dbt, DbtError, Relation
from ..kit.lexer import skeleton, strings
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.scenes import SOURCE, VIEW, built, change_source, new

# The generic test mview_fresh.


VIEW_RELATION = Relation(None, "shop", "totals")


def fresh(dbt: Dbt, **args: Any) -> str:
    dbt.context["flags"].WHICH = "test"
    sql: str = dbt("test_mview_fresh", VIEW_RELATION, **args)
    assert parse(sql.strip())
    return sql


def findings(dbt: Dbt, **args: Any) -> list[str]:
    return strings(fresh(dbt, **args))


def test_fresh() -> None:
    assert findings(built()) == []


def test_what_is_not_read() -> None:
    dbt = built()
    change_source(dbt, 40)
    dbt.engine.tables[SOURCE].commit(41, "OPTIMIZE")
    change_source(dbt, 42)
    sql = fresh(dbt)
    assert strings(sql) == [SOURCE, "2 commits are not read"]
    assert f"timestamp_micros({micros(40)})" in sql, "since the oldest"
    assert "cast(2 as bigint),\n        cast(5 as bigint)" in sql


def test_commits_that_change_no_row() -> None:
    dbt = built()
    dbt.engine.tables[SOURCE].commit(40, "OPTIMIZE")
    assert findings(dbt) == []


def test_max_lag() -> None:
    dbt = built()
    change_source(dbt)
    assert "cast('2 hours' as interval)" in fresh(dbt, max_lag="2 hours")


def test_a_refresh_that_failed() -> None:
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed", last_refresh_failed_reason="disk full")
    assert findings(dbt) == ["the last refresh failed: disk full"]


@pytest.mark.parametrize("minutes", [(100,), (100, 101, 102), (100, 101, 102, 103)])
def test_a_source_that_was_dropped_and_created(minutes: tuple[float, ...]) -> None:
    dbt = built()
    dbt.engine.tables[SOURCE] = delta(*minutes)
    assert findings(dbt)[0] == SOURCE


def test_a_source_without_versions() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["sources"][0]["version"] = None
    assert findings(dbt) == []
    dbt.engine.state(VIEW, sources=None)
    assert findings(dbt) == []


@pytest.mark.parametrize(("execute", "which"), [(False, "test"), (True, "compile")])
def test_while_it_is_only_rendered(execute: bool, which: str) -> None:
    """dbt compile and dbt docs generate render tests, also of views that are not built yet."""
    dbt = new()
    dbt.context["execute"] = execute
    dbt.context["flags"].WHICH = which
    assert parse(dbt("test_mview_fresh", VIEW_RELATION).strip()) and dbt.engine.log == []


def test_a_view_that_was_never_refreshed() -> None:
    dbt = built()
    dbt.engine.state(VIEW, last_successful_refresh_read_time=None)
    with pytest.raises(DbtError, match=f"{VIEW}: no refresh of it is known"):
        fresh(dbt)


def test_unread() -> None:
    dbt = built()
    dbt.engine.tables["c.s.t"] = Delta([])
    for minute in (1, 2, 3):
        dbt.engine.tables["c.s.t"].commit(minute, "WRITE", 1)
    source = {"relation": "c.s.t", "version": 2, "commit_time": micros(3)}
    assert dbt("_unread", source) == []
    assert dbt("_unread", {**source, "commit_time": micros(3) + 1000}) == []
    (line,) = dbt("_unread", {**source, "version": 1, "commit_time": micros(2)})
    assert line == {
        "source": "c.s.t", "read": 1, "newest": 2, "since": micros(3),
        "problem": "1 commits are not read",
    }  # fmt: skip


# The findings of mview_fresh.


UNREAD = {"source": "c.s.t", "read": 3, "newest": 5, "since": 12, "problem": "2 commits"}
FAILED = {"source": None, "read": None, "newest": None, "since": 7, "problem": "failed"}


def stale(lines: list[Any], max_lag: str | None = None) -> str:
    sql: str = Dbt()("_stale_sql", lines, max_lag)
    assert parse(sql)
    return sql


def test_stale(golden: Golden) -> None:
    golden("stale", stale([UNREAD, FAILED], "2 hours"))


def test_without_a_lag_every_finding_counts() -> None:
    assert "unread_since <" not in stale([UNREAD])
    assert stale([UNREAD]).endswith("where\n    problem is not null")


def test_no_finding_is_a_query_without_rows() -> None:
    """VALUES needs a row; this one has no problem."""
    assert strings(stale([])) == []
    assert stale([]).count("(\n") == 1


def test_a_failure_counts_whatever_the_lag() -> None:
    assert "source is null\n        or unread_since <" in stale([FAILED], "1 day")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_changes_the_statement(text: str) -> None:
    line = {**UNREAD, "source": text, "problem": text}
    assert skeleton(stale([line], text)) == skeleton(stale([UNREAD], "plain"))
    assert strings(stale([line], text)) == [text] * 3
