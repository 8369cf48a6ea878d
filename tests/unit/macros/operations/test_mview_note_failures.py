"""mview_note_failures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt, DbtError
from ...kit.lexer import strings
from ...kit.log_engine import LogEngine
from ...kit.log_scenes import LOG, started
from ...kit.parsing import parse
from ...kit.scenes import MEMBER_IDS, VIEW, again, built, group, lock

REASON = "its process died three times"


def job_id(id_: str, run: str = "r1") -> str:
    return hashlib.md5((run + id_).encode()).hexdigest()


def note(dbt: Dbt, *ids: str, run: str = "r1", **args: Any) -> list[str]:
    """Notes failures, and lets history know of what was inserted."""

    def insert(sql: str) -> None:
        found = set(strings(sql)) if "insert into" in sql else set()
        jobs = {job_id(id_, run) for id_ in ids} & found
        dbt.engine.noted.update(dict.fromkeys(jobs, micros(dbt.engine.minute)))

    dbt.engine.on.update(record=insert, close_purge=insert)
    failures = {id_: f"{REASON}: {number}" for number, id_ in enumerate(ids)}
    return dbt.operation("mview_note_failures", failures=failures, run=run, **args)


def steps(dbt: Dbt) -> list[str]:
    return [one.step for one in dbt.engine.writes]


def test_a_view() -> None:
    dbt = built()
    row = dbt.engine.states[VIEW]
    row.update(next_time=micros(1), failures=1)
    note(dbt, VIEW)
    why = f"the run did not finish: {REASON}: 0"
    assert (row["failures"], row["last_refresh_result"]) == (2, "failed")
    assert (row["last_refresh_failed_reason"], row["lock_owner"]) == (why, None)
    assert row["retry_time"] and row["sources"], "what the last success has read stays"
    history = strings(dbt.engine.sql("record"))
    assert {job_id(VIEW), "r1", "failed", why, "complete"} <= set(history)


def test_twice_is_once() -> None:
    dbt = built()
    note(dbt, VIEW)
    before = dict(dbt.engine.states[VIEW])
    dbt = again(dbt, invocation_id="third")
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW] == before and steps(dbt) == []
    note(dbt, VIEW, run="r2")
    assert dbt.engine.states[VIEW]["failures"] == 2


def test_a_note_that_died_between_history_and_row_is_finished() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["last_refresh_time"] = micros(700)
    dbt.engine.noted[job_id(VIEW)] = micros(710)
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW]["failures"] == 1


def test_a_refresh_since_has_settled_it() -> None:
    dbt = built()
    dbt.engine.states[VIEW]["last_refresh_time"] = micros(711)
    dbt.engine.noted[job_id(VIEW)] = micros(710)
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW]["failures"] is None and steps(dbt) == []


def test_what_somebody_holds_is_left_alone() -> None:
    dbt = built()
    lock(dbt, lease_until=micros(1))
    before = dict(dbt.engine.states[VIEW])
    note(dbt, VIEW)
    assert dbt.engine.states[VIEW] == before and steps(dbt) == []


def test_members_of_a_group_in_two_commits() -> None:
    dbt = group()
    note(dbt, *MEMBER_IDS, "c.s.unknown")
    assert steps(dbt) == ["record", "record"]
    assert [dbt.engine.states[id_]["failures"] for id_ in MEMBER_IDS] == [1, 1]
    reasons = {dbt.engine.states[id_]["last_refresh_failed_reason"][-1] for id_ in MEMBER_IDS}
    assert reasons == {"0", "1"}, "each its own"
    assert "'sales'" in dbt.engine.sql("record"), "history shows them as one line"


def test_a_log(golden: Callable[[str, str], None]) -> None:
    dbt = started()
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    note(dbt, LOG, "c.s.unknown")
    assert engine.log_rows[LOG]["failures"] == 1
    purge = engine.purges[job_id(LOG)]
    assert (purge["purge_status"], purge["purge_method"]) == ("failed", "automatic")
    assert "the purge did not finish: its process died" in engine.sql("close_purge")
    asked = [one.sql for one in engine.log if one.step == "read_noted"][-1].split("*/\n", 1)[1]
    charged = engine.sql("close_purge", 1)
    texts = [asked, charged[charged.rindex("update ") : charged.rindex(";\n")]]
    assert all(parse(text) for text in texts)
    golden("note_failed_purge", "\n;\n".join(texts))
    note(again(dbt), LOG)
    assert engine.log_rows[LOG]["failures"] == 1


def test_a_log_that_is_being_purged() -> None:
    dbt = started()
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    engine.log_rows[LOG] = {"lock_owner": "somebody", "lock_token": 1, "lease_until": micros(900)}
    note(dbt, LOG)
    assert steps(dbt) == []


def test_nothing_failed() -> None:
    dbt = built()
    note(dbt)
    assert dbt.engine.log == [] or steps(dbt) == []


def test_no_mapping() -> None:
    with pytest.raises(DbtError, match=r'failures is \["v"\]\. Give a reason for each mview_id'):
        built().operation("mview_note_failures", failures=["v"], run="r1")


def test_dry_run() -> None:
    dbt = built()
    before = dict(dbt.engine.states[VIEW])
    printed = note(dbt, VIEW, dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == ["record", "record"]
    assert dbt.engine.states[VIEW] == before
