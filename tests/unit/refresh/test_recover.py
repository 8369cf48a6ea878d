"""Step recover: what the holders before left behind."""

from __future__ import annotations

from typing import Any

from ..kit.engine import micros
from ..kit.harness import Dbt
from ..kit.records import as_job

# Step recover: what the holders before left behind.


SPEC = {"mview_id": "c.s.v"}
HOLDER = {"job_id": "job0", "owner": "run0", "intent": None}


def test_holders_oldest_first() -> None:
    oldest: dict[str, Any] = {"job_id": "a", "intent": None}
    middle = {"job_id": "b", "intent": {"holder": oldest}}
    newest = {"job_id": "c", "intent": {"definition": "x", "holder": middle}}
    assert [holder["job_id"] for holder in Dbt()("_predecessors", newest)] == ["a", "b", "c"]
    assert Dbt()("_predecessors", oldest) == [oldest]


def test_a_view_that_could_not_be_recovered_for_long() -> None:
    """Every run that tries leaves one more."""
    holder: dict[str, Any] = {"job_id": "0", "intent": None}
    for turn in range(1, 400):
        holder = {"job_id": str(turn), "intent": {"holder": holder}}
    assert [one["job_id"] for one in Dbt()("_predecessors", holder)] == [str(n) for n in range(400)]


def test_without_a_holder_nothing_happens() -> None:
    dbt = Dbt()
    dbt("_recover", SPEC, {"holder": None, "skip": None})
    dbt("_recover", SPEC, {"holder": HOLDER, "skip": "nothing changed"})
    assert dbt.engine.log == []


# The end of somebody else's refresh.


JOB = as_job({"owner": "run9", "token": 9})
DEAD_HOLDER = {"job_id": "job0", "owner": "run0", "lock_time": micros(1), "intent": None}


def test_rolled_back() -> None:
    outcome = Dbt()("_recovered_outcome", SPEC, JOB, DEAD_HOLDER, None)
    assert outcome["result"] == "failed"
    assert outcome["failed_reason"] == ("the run did not finish; its lock was taken over by run9")
    assert (outcome["job_id"], outcome["invocation_id"]) == ("job0", "run0")
    assert (outcome["owner"], outcome["token"]) == ("run9", 9), "the lock is ours by now"
    assert outcome["sources"] is None and outcome["started"] == micros(1)


def test_rolled_forward() -> None:
    meta = {
        "method": "complete", "reason": "r", "started": 5, "sources": [1], "read_time": 6,
        "definition_hash": "h",
    }  # fmt: skip
    holder = {**DEAD_HOLDER, "intent": {"definition": "select 1", "spec": {"a": 1}}}
    commit = {"version": 4, "rows": 7, "meta": meta}
    outcome = Dbt()("_recovered_outcome", SPEC, JOB, holder, commit)
    expected = {
        "result": "success", "type": "complete", "reason": "r", "started": 5, "rows": 7,
        "sources": [1], "read_time": 6, "target_version": 4, "definition": "select 1",
        "definition_hash": "h", "spec": {"a": 1, "unfinished": True}, "failed_reason": None,
    }  # fmt: skip
    assert {key: outcome[key] for key in expected} == expected
