"""Audits of the staged result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..harness import Dbt, DbtError
from ..parsing import parse

SPEC = {"mview_id": "c.s.v", "audit": ["a > 0", "count(*) > 1 -- many"], "unique_key": ["a", "b`c"]}
JOB = {"id": "j1", "staged": True, "dry_run": False}


def audit(answer: list[int], **changes: Any) -> Dbt:
    dbt = Dbt()
    dbt.engine.audit = answer
    dbt("_audit", {**SPEC, **changes.pop("spec", {})}, {**JOB, **changes})
    return dbt


def test_audit_query(golden: Callable[[str, str], None]) -> None:
    sql = audit([0, 0, 0]).engine.sql("read_audit")
    golden("audit", sql)


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        ([2, 0, 0], "a > 0 (not met 2 times)"),
        ([0, 0, 3], "unique_key a, b`c (3 keys occur more than once)"),
        (
            [1, 1, 1],
            "a > 0 (not met 1 times); count(*) > 1 -- many (not met 1 times);"
            " unique_key a, b`c (1 keys occur more than once)",
        ),
    ],
)
def test_broken(answer: list[int], broken: str) -> None:
    with pytest.raises(DbtError) as error:
        audit(answer)
    assert str(error.value) == (
        f"dbt_mview: c.s.v: audit failed: {broken}. Nothing was published, the view keeps its last"
        " result."
    )


def test_key_alone() -> None:
    sql = audit([0], spec={"audit": []}).engine.sql("read_audit")
    assert "group by `a`, `b``c` having count(*) > 1" in sql and "audit_1" not in sql


@pytest.mark.parametrize("changes", [{"staged": False}, {"dry_run": True}])
def test_not_asked(changes: Any) -> None:
    assert audit([9, 9, 9], **changes).engine.log == []


@pytest.mark.parametrize("condition", ["a > 0 -- ok", "a in (1, 2)", "a = ')'", "max(a) > 0"])
def test_any_condition_fits(condition: str) -> None:
    assert parse(Dbt()("_audit_sql", {**SPEC, "audit": [condition]}, JOB).strip())
