"""State by the operation: the same rows as from the log, with the engine's clock."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.log_state import LogState
from dbt_mview.serve.operation_state import OperationState
from tests.support.delta import StateTable

AT = 1_800_000_000_123_456
PLAIN = {
    "kind": "view",
    "version": 1,
    **dict.fromkeys(("next_time", "retry_time", "ended", "lease_until", "paused_time")),
    **dict.fromkeys(("failures", "took", "schedule", "result", "reason")),
}


class Dbt:
    """Prints what state holds, and notes what it was asked."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = rows
        self.asked: list[dict[str, Any]] = []

    def __call__(self, name: str, args: dict[str, Any]) -> list[str]:
        assert name == "mview_due"
        self.asked.append(args)
        ids = args.get("ids")
        rows = [{**PLAIN, **row} for row in self.rows if ids is None or row["id"] in ids]
        return ["hello", "state: " + json.dumps({"clock": AT, "rows": rows})]


def test_all_rows_and_the_engines_clock() -> None:
    dbt = Dbt(
        {"id": "a", "next_time": AT, "took": 2.5, "schedule": {"every": 60}},
        {"id": "b_log", "kind": "log", "failures": 1, "reason": "bad\nworse", "version": 7},
        {"id": "c", "reason": "bad, once"},
    )
    state = OperationState(dbt, now=lambda: 5)
    answer = state.fetch(m.Fetch(3, False))
    assert answer.number == 3 and answer.is_whole and answer.clock == m.Clock(AT, 5)
    assert [(row.id, row.version) for row in answer.rows] == [("a", 1), ("b_log", 7), ("c", 1)]
    assert answer.rows[0].took == 2.5
    assert dbt.asked == [{"format": "state"}] and not state.is_changed()
    details = state.details()
    assert details["a"].schedule == '{"every": 60}'
    assert (details["b_log"].kind, details["b_log"].problem) == ("log", "bad")
    assert details["c"].problem == "", "it has succeeded since"


def test_rows_of_some() -> None:
    dbt = Dbt({"id": "a"}, {"id": "b"})
    state = OperationState(dbt)
    state.fetch(m.Fetch(1, True))
    assert [row.id for row in state.read(["b", "nowhere"])] == ["b"]
    assert dbt.asked[-1]["ids"] == ["b", "nowhere"] and state.details().keys() == {"a", "b"}
    assert state.read([]) == () and len(dbt.asked) == 2


def test_both_readers_say_the_same(tmp_path: Any) -> None:
    """Whoever changes from one to the other sees nothing move."""
    table = StateTable(tmp_path / "views")
    schedule = {"on_update": True, "at_most_every": 600}
    times = {"next_time": AT, "retry_time": AT + 1, "lease_until": -1, "paused_time": 7}
    table.put({"a": {**times, "schedule": json.dumps(schedule), "last_refresh_time": AT + 999}})
    dbt = Dbt({"id": "a", **times, "schedule": schedule, "ended": AT + 999})
    by_log = LogState(str(table.root), None).fetch(m.Fetch(1, True)).rows
    assert OperationState(dbt).fetch(m.Fetch(1, True)).rows == by_log


def test_what_is_wrong_with_one_row_keeps_up_no_other() -> None:
    dbt = Dbt(
        {"id": "a", "next_time": AT, "schedule": {"every": 60}},
        {"id": "b", "next_time": AT, "schedule": {"on_update": True, "at_most_every": "soon"}},
        {"id": "c", "next_time": AT, "schedule": 5},
        {"id": None, "kind": "log"},
        {"id": None, "kind": "log"},
    )
    state = OperationState(dbt)
    rows = {row.id: row for row in state.fetch(m.Fetch(1, True)).rows}
    assert rows["a"].due and rows["b"].due is None and rows["b"].at_most_every is None
    assert rows["c"].due is None and rows.keys() == {"a", "b", "c"}
    faults = {id_: one.fault for id_, one in state.details().items() if one.fault}
    assert faults == {
        "b": 'its schedule in state says at_most_every "soon"',
        "c": "its schedule in state is 5, where a mapping is needed",
        "(logs without an id)": "rows of state without an id, which are nobody's: 2; delete them",
    }


def test_an_answer_that_is_none() -> None:
    state = OperationState(lambda name, args: ["hello"])
    with pytest.raises(OSError, match="mview_due printed no state: is the package"):
        state.fetch(m.Fetch(1, True))
