"""Step recover: what the holders before left behind."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt

SPEC = {"mview_id": "c.s.v"}
HOLDER = {"job_id": "job0", "owner": "run0", "intent": None}


def test_holders_oldest_first() -> None:
    oldest: dict[str, Any] = {"job_id": "a", "intent": None}
    middle = {"job_id": "b", "intent": {"holder": oldest}}
    newest = {"job_id": "c", "intent": {"definition": "x", "holder": middle}}
    assert [holder["job_id"] for holder in Dbt()("_holders", newest)] == ["a", "b", "c"]
    assert Dbt()("_holders", oldest) == [oldest]


def test_a_view_that_could_not_be_recovered_for_long() -> None:
    """Every run that tries leaves one more."""
    holder: dict[str, Any] = {"job_id": "0", "intent": None}
    for turn in range(1, 400):
        holder = {"job_id": str(turn), "intent": {"holder": holder}}
    assert [one["job_id"] for one in Dbt()("_holders", holder)] == [str(n) for n in range(400)]


def test_without_a_holder_nothing_happens() -> None:
    dbt = Dbt()
    dbt("_recover", SPEC, {"holder": None, "skip": None})
    dbt("_recover", SPEC, {"holder": HOLDER, "skip": "nothing changed"})
    assert dbt.engine.log == []
