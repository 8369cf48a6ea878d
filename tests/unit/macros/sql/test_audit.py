"""Counting what an audit finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.harness import Dbt
from ...kit.parsing import parse

SPEC = {"audit": ["a > 0", "count(*) > 1 -- many"], "unique_key": ["a", "b`c"]}
JOB = {"id": "j1"}


def test_audit(golden: Callable[[str, str], None]) -> None:
    golden("audit", Dbt()("_audit_sql", SPEC, JOB))


def test_key_alone() -> None:
    sql = Dbt()("_audit_sql", {**SPEC, "audit": []}, JOB)
    assert "group by `a`, `b``c`\n" in sql and "audit_1" not in sql
    assert parse(sql)


@pytest.mark.parametrize("condition", ["a > 0 -- ok", "a in (1, 2)", "a = ')'", "max(a) > 0"])
def test_any_condition_fits(condition: str) -> None:
    assert parse(Dbt()("_audit_sql", {**SPEC, "audit": [condition]}, JOB))
