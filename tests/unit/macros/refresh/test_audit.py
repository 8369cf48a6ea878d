"""Audits of the staged result."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError

SPEC = {"mview_id": "c.s.v", "audit": ["a > 0", "count(*) > 1 -- many"], "unique_key": ["a", "b`c"]}
JOB = {"id": "j1", "staged": True, "dry_run": False, "fast": None}


def audit(answer: list[int], **changes: Any) -> Dbt:
    dbt = Dbt()
    dbt.engine.audit = answer
    dbt("_audit", {**SPEC, **changes.pop("spec", {})}, {**JOB, **changes})
    return dbt


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


@pytest.mark.parametrize("changes", [{"staged": False}, {"dry_run": True}])
def test_not_asked(changes: Any) -> None:
    assert audit([9, 9, 9], **changes).engine.log == []


def test_fast_looks_at_what_comes() -> None:
    """Groups by their own key cannot clash: their question costs nothing."""
    fast = {"strategy": "keyed", "keys": ["a"], "values": {}, "one_row": True}
    dbt = audit([0], spec={"audit": []}, fast=fast)
    assert dbt.engine.sql("read_audit").endswith("select 0 as unique_key")
    with pytest.raises(DbtError, match=r"unique_key a, b`c \(2 keys occur more than once\)"):
        audit([2], spec={"audit": []}, fast=fast)
