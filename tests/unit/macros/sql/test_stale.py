"""The findings of mview_fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.lexer import skeleton, strings
from ...kit.nasty import NASTY
from ...kit.parsing import parse

UNREAD = {"source": "c.s.t", "read": 3, "newest": 5, "since": 12, "problem": "2 commits"}
FAILED = {"source": None, "read": None, "newest": None, "since": 7, "problem": "failed"}


def stale(lines: list[Any], max_lag: str | None = None) -> str:
    sql: str = Dbt()("_stale_sql", lines, max_lag)
    assert parse(sql)
    return sql


def test_stale(golden: Callable[[str, str], None]) -> None:
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
