"""The end of somebody else's refresh."""

from __future__ import annotations

from ...kit.engine import micros
from ...kit.harness import Dbt

SPEC = {"mview_id": "c.s.v"}
JOB = {"owner": "run9", "token": 9}
HOLDER = {"job_id": "job0", "owner": "run0", "lock_time": micros(1), "intent": None}


def test_rolled_back() -> None:
    outcome = Dbt()("_recovered_outcome", SPEC, JOB, HOLDER, None)
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
    holder = {**HOLDER, "intent": {"definition": "select 1", "spec": {"a": 1}}}
    commit = {"version": 4, "rows": 7, "meta": meta}
    outcome = Dbt()("_recovered_outcome", SPEC, JOB, holder, commit)
    expected = {
        "result": "success", "type": "complete", "reason": "r", "started": 5, "rows": 7,
        "sources": [1], "read_time": 6, "target_version": 4, "definition": "select 1",
        "definition_hash": "h", "spec": {"a": 1, "unfinished": True}, "failed_reason": None,
    }  # fmt: skip
    assert {key: outcome[key] for key in expected} == expected
