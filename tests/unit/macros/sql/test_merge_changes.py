"""The MERGE that publishes changes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlglot import exp

from ...kit.harness import Dbt
from ...kit.jobs import BOUNDS, SPEC, aggregate, append, keyed, means
from ...kit.parsing import parse

DBT = Dbt()
JOBS: dict[str, Any] = {
    "aggregate": aggregate(doubts=2, bounds=BOUNDS),
    "at_once": aggregate(staged=False),
    "means": means(staged=False),
    "keyed": keyed(bounds=BOUNDS[:1]),
    "append": append(bounds=BOUNDS),
}


@pytest.mark.parametrize("strategy", JOBS)
def test_merge(strategy: str, golden: Callable[[str, str], None]) -> None:
    sql = DBT("_merge_changes_sql", SPEC, JOBS[strategy])
    golden(f"merge_{strategy}", sql)
    assert isinstance(parse(sql), exp.Merge)


def test_what_the_commit_says_of_itself() -> None:
    """In hexadecimal digits, which no rule of Delta's history changes."""
    sql = DBT("_merge_changes_sql", SPEC, keyed(reason="it's\\ 'x' \u00e9 ${y}"))
    (digits,) = re.findall(r"'([0-9a-f]{40,})'", sql)
    meta = json.loads(bytes.fromhex(digits))["dbt_mview"]
    assert meta == DBT("_publish_meta", SPEC, keyed(reason="it's\\ 'x' \u00e9 ${y}"))["dbt_mview"]
    written = {"notMatchedPredicates": json.dumps([{"predicate": sql}])}
    assert DBT("_commit_meta", DBT("_merge_meta", written)) == meta


def test_the_guard_is_a_branch_of_its_own() -> None:
    sql = DBT("_merge_changes_sql", SPEC, keyed())
    assert "\nunion all\nselect null, null, null\nwhere case\n" in sql
    assert "raise_error('dbt_mview: lock lost" in sql
