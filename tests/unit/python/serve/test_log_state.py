"""State from Delta's logs: what is known without an engine, and how it is kept up to date."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbt_mview.serve import messages as m
from dbt_mview.serve.delta_log import DeltaLog, Unreadable
from dbt_mview.serve.log_state import LogState
from dbt_mview.serve.times import SECOND
from tests.support.delta import StateTable, Values

AT = 1_800_000_000_123_456
CRON = '{"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin", "after": 17}'
EVERY: Values = {"schedule": '{"every": 60}', "next_time": AT}


class Clock:
    """Seconds since the epoch, as a test moves them."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def table(tmp_path: Path) -> StateTable:
    return StateTable(tmp_path / "mview_refresh_info")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(table: StateTable, clock: Clock) -> LogState:
    return LogState(f"file:{table.root}", None, clock=clock)


def whole(state: LogState) -> dict[str, m.Row]:
    """All rows, by id."""
    answer = state.fetch(m.Fetch(1, True))
    assert answer.is_whole and answer.number == 1
    return {row.id: row for row in answer.rows}


def news(state: LogState) -> tuple[set[str], set[str]]:
    """The ids of which something is told, and those that are gone."""
    answer = state.fetch(m.Fetch(2, False))
    assert not answer.is_whole
    return {row.id for row in answer.rows}, set(answer.gone)


def test_a_row_is_known_from_statistics_alone(table: StateTable, state: LogState) -> None:
    """No file is opened: there is none."""
    full = {"retry_time": AT + 1, "lease_until": -1, "paused_time": AT, "last_refresh_time": AT}
    table.put(
        {
            "full": {**EVERY, **full},
            "planned": {"schedule": CRON, "next_time": AT},
            "soon": {"schedule": '{"start_with": null, "next": "now() + interval 1 hour"}'},
            "lagging": {"schedule": '{"target_lag": 3600}', "next_time": 0},
            "plain": {"next_time": AT, "retry_time": AT},
        }
    )
    for file in table.root.rglob("*.parquet"):
        file.unlink()
    rows = whole(state)
    late = AT // 1000 * 1000 + 999
    assert rows["full"] == m.Row(
        "full",
        1,
        next_time=late,
        retry_time=late,
        ended=late,
        lease_until=-1,
        paused_time=late,
    )
    assert rows["planned"] == m.Row("planned", 1, next_time=late), "its cron was worked out"
    assert rows["soon"] == m.Row("soon", 1, None)
    assert rows["lagging"].at_most_every == 3600 * SECOND and rows["lagging"].next_time == 999
    assert rows["plain"] == m.Row("plain", 1, None), "what has no schedule is never due"
    schedules = {id_: detail.schedule for id_, detail in state.details().items()}
    assert schedules["full"] == '{"every": 60}' and schedules["plain"] == ""
    assert schedules["planned"] == '{"cron": "0 3 * * *", "time_zone…'


def test_what_statistics_cut_off_is_read_from_the_file(table: StateTable, state: LogState) -> None:
    spec = '{"took": {"last": [["fast", 3, 2.5], ["complete", 0, 9]]}}'
    table.put(
        {
            "nightly": {"schedule": CRON, "spec": spec},
            "utc": {"schedule": '{"cron": "0 3 1,2,3,4,5,6,7,8,9 * *"}', "spec": "{}"},
            "follows": {"schedule": '{"on_update": true, "at_most_every": 600}', "next_time": AT},
            "at once": {"schedule": '{"on_update": true, "at_most_every": null}', "next_time": AT},
            "failing": {
                **EVERY,
                "failures": 2,
                "last_refresh_failed_reason": "Runtime Error in model v (v.sql)\n  too many\n  1",
            },
        }
    )
    rows = whole(state)
    assert rows["nightly"].cron == m.Cron("0 3 * * *", "Europe/Berlin", 17)
    assert rows["nightly"].took == 2.5
    assert rows["utc"].cron == m.Cron("0 3 1,2,3,4,5,6,7,8,9 * *", "UTC", None)
    assert rows["utc"].took is None
    assert rows["follows"].at_most_every == 600 * SECOND
    assert rows["follows"].next_time == AT // 1000 * 1000 + 999, "as from statistics"
    assert rows["at once"].at_most_every == 0
    assert rows["failing"].failures == 2
    details = state.details()
    assert details["failing"].problem == "too many" and details["nightly"].problem == ""
    assert details["nightly"].schedule == (
        '{"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin"}'
    )
    table.put({"nightly": {"schedule": CRON.replace("17", "18"), "spec": spec}})
    (row,) = state.read(["nightly"])
    assert row.cron == m.Cron("0 3 * * *", "Europe/Berlin", 18), "the beginning is as before"


def test_new_commits_name_what_changed(table: StateTable, state: LogState) -> None:
    assert state.is_changed()
    table.put({"a": EVERY, "b": EVERY, "c": EVERY})
    assert len(whole(state)) == 3
    assert not state.is_changed() and news(state) == (set(), set())
    table.put({"a": {**EVERY, "next_time": AT + SECOND}})
    table.put({"b": None, "d": EVERY})
    table.put({"d": None})
    table.put({"e": EVERY})
    assert state.is_changed()
    rows = {row.id: row for row in state.read(["a", "c", "nowhere"])}
    assert rows.keys() == {"a", "c"} and rows["a"].version == 2 and rows["c"].version == 1
    assert news(state) == ({"a", "e"}, {"b"}), "also what a look of its own has seen"
    assert not state.is_changed() and news(state) == (set(), set())
    assert whole(state).keys() == {"a", "c", "e"}


def test_a_rewrite_that_changes_nothing_is_no_news(table: StateTable, state: LogState) -> None:
    """OPTIMIZE, and statistics that are made anew."""
    table.put({"a": EVERY})
    whole(state)
    table.put({"a": EVERY}, dataChange=False)
    assert news(state) == (set(), set()) and whole(state)["a"].version == 1
    table.put({"a": None})
    assert news(state) == (set(), {"a"}), "its file is the new one"


def test_views_and_logs_are_both_read_or_neither(tmp_path: Path, clock: Clock) -> None:
    views = StateTable(tmp_path / "views")
    logs = StateTable(tmp_path / "logs", "mlog_id")
    state = LogState(str(views.root), str(logs.root), clock=clock)
    views.put({"a": EVERY})
    logs.put({"a_log": EVERY})
    assert whole(state).keys() == {"a", "a_log"}
    assert {id_: detail.kind for id_, detail in state.details().items()} == {
        "a": "view",
        "a_log": "log",
    }
    views.put({"a": {**EVERY, "next_time": 0}})
    logs.log(logs.version + 1).write_text("{")
    assert state.is_changed()
    with pytest.raises(Unreadable, match=r"/logs: state cannot be read: "):
        state.fetch(m.Fetch(2, False))
    logs.put({"a_log": None})
    assert news(state) == ({"a"}, {"a_log"})


def test_a_log_that_was_cleaned_up_is_read_whole(
    table: StateTable, state: LogState, clock: Clock
) -> None:
    """Who has slept cannot see it: the next commit is missing, as if there was none."""
    table.put({"a": EVERY})
    whole(state)
    table.put({"a": None, "b": EVERY})
    table.put({"c": EVERY})
    kept = table.log(1).stat()
    table.checkpoint(keep=1)
    assert table.log(1).stat() == kept
    clock.now += 3601
    assert news(state) == ({"b", "c"}, {"a"})


def test_the_whole_table_is_read_once_an_hour(
    table: StateTable, state: LogState, clock: Clock
) -> None:
    table.put({"a": EVERY})
    whole(state)
    table.log(0).unlink()
    for _ in range(3):
        clock.now += 1200
        assert whole(state).keys() == {"a"}
    clock.now += 1
    with pytest.raises(Unreadable):
        whole(state)


def test_columns_that_are_added(table: StateTable, state: LogState) -> None:
    """A newer release has brought the layout up to date."""
    schema = json.loads(table.meta["schemaString"])
    schema["fields"] = [one for one in schema["fields"] if one["name"] != "paused_time"]
    table.write({"metaData": {**table.meta, "schemaString": json.dumps(schema)}})
    table.put({"a": EVERY})
    assert whole(state)["a"].paused_time is None
    table.write({"metaData": table.meta})
    table.put({"a": {**EVERY, "paused_time": AT}})
    assert whole(state)["a"].paused_time == AT // 1000 * 1000 + 999


def test_a_removal_that_does_not_say_whose(table: StateTable, state: LogState) -> None:
    table.put({"a": EVERY, "b": EVERY})
    whole(state)
    path = table.remove("a")["remove"]["path"]
    table.write({"remove": {"path": path, "dataChange": True}})
    assert news(state) == (set(), {"a"})


def test_a_table_that_was_made_anew(table: StateTable, state: LogState) -> None:
    """Its rows are newer, whatever its versions are."""
    table.put({"a": EVERY})
    table.put({"b": EVERY})
    last = max(row.version for row in whole(state).values())
    table.root.rename(table.root.with_name("old"))
    assert state.is_changed()
    with pytest.raises(Unreadable, match="mview_refresh_info: state cannot be read"):
        state.fetch(m.Fetch(2, False))
    again = StateTable(table.root)
    again.put({"a": {**EVERY, "next_time": 0}})
    again.put({"c": EVERY})
    assert state.is_changed() and news(state) == ({"a", "c"}, {"b"})
    assert all(row.version > last for row in whole(state).values())
    again.put({"c": {**EVERY, "next_time": 0}})
    assert news(state) == ({"c"}, set())


def test_a_table_that_was_made_anew_in_an_object_store(
    table: StateTable, state: LogState, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commits begin anew, and nobody looks whether the last one that was read is there."""
    monkeypatch.setattr(DeltaLog, "is_local", False)
    table.put({"a": EVERY})
    table.put({"b": EVERY})
    last = max(row.version for row in whole(state).values())
    shutil.rmtree(table.root)
    StateTable(table.root).put({"a": {**EVERY, "next_time": 0}})
    for _ in range(3):
        clock.now += 1200
        assert not state.is_changed() and news(state) == (set(), set())
    clock.now += 1
    assert news(state) == ({"a"}, {"b"})
    assert whole(state)["a"].version > last


def test_of_two_files_of_a_row_the_newer_one_counts(table: StateTable, state: LogState) -> None:
    table.put({"a": EVERY})
    older = dict(table.paths)
    whole(state)
    table.paths.clear()
    table.put({"a": {**EVERY, "next_time": 999}})
    assert whole(state)["a"].next_time == 999
    assert news(state) == (set(), set())
    table.write(table.remove("a"))
    table.paths = older
    assert whole(state)["a"].next_time == AT // 1000 * 1000 + 999
    table.put({"a": None})
    assert news(state) == (set(), {"a"})


def test_more_than_one_row_in_a_file_is_refused(table: StateTable, state: LogState) -> None:
    table.put({"a": EVERY}, stats='{"numRecords": 2}')
    with pytest.raises(Unreadable, match="2 rows of a, where state has one"):
        whole(state)


def test_a_file_without_rows_is_no_row(table: StateTable, state: LogState) -> None:
    table.put({"a": EVERY})
    whole(state)
    table.put({"a": EVERY}, stats='{"numRecords": 0}')
    assert news(state) == (set(), {"a"})


def test_statistics_may_be_missing_or_in_another_zone(table: StateTable, state: LogState) -> None:
    table.put({"none": EVERY}, stats=None)
    part = '{"numRecords": 1, "maxValues": {"next_time": "%s"}, "nullCount": {"schedule": 0}}'
    table.put({"old layout": {**EVERY, "failures": 3}}, stats=part % "2027-01-15T08:00:00.123Z")
    assert whole(state)["none"].next_time == AT // 1000 * 1000 + 999
    rows = {row.id: row for row in state.read(["none", "old layout"])}
    assert rows["old layout"].failures == 3
    for number, text in enumerate(("2027-01-15T03:00:00.123-05:00", "+12027-01-15T08:00:00.123Z")):
        id_ = f"later {number}"
        action = table.add(id_, EVERY)
        statistics = json.loads(action["add"]["stats"])
        statistics["maxValues"]["next_time"] = text
        action["add"]["stats"] = json.dumps(statistics)
        table.write(action)
        assert news(state) == ({id_}, set())
        assert state.read([id_])[0].next_time == AT // 1000 * 1000 + 999


def test_ids_as_they_are_written_in_paths(table: StateTable, state: LogState) -> None:
    odd = "spark_catalog.s.ü %20=x"
    table.put({odd: {"schedule": CRON}})
    assert whole(state)[odd].cron is not None
    table.put({odd: {"schedule": CRON, "failures": 1}})
    assert news(state) == ({odd}, set())
    table.put({odd: None})
    assert news(state) == (set(), {odd})


def test_a_row_without_an_id_is_nobodys(table: StateTable, state: LogState) -> None:
    nobodys = {"mview_id": None}
    table.put({"a": EVERY}, partitionValues=nobodys)
    table.put({"b": EVERY})
    assert whole(state).keys() == {"b"}
    assert state.details()["(views without an id)"].fault == (
        "rows of state without an id, which are nobody's: 1; delete them"
    )
    table.write({"remove": {**table.remove("a")["remove"], "partitionValues": nobodys}})
    assert news(state) == (set(), set()) and state.details().keys() == {"b"}


LISTENING = {"next_time": AT, "retry_time": AT}
SPEC = {**EVERY, "failures": 1}  # whose file is opened


@pytest.mark.parametrize(
    ("values", "fault", "due"),
    [
        ({**EVERY, "schedule": "{every"}, "its schedule in state is no JSON: {every", False),
        ({**EVERY, "schedule": "[60]"}, "is [60], where a mapping is needed", False),
        ({**EVERY, "schedule": '{"every": null}'}, "says every null", False),
        ({**EVERY, "schedule": '{"target_lag": NaN}'}, "says target_lag NaN", False),
        ({**EVERY, "schedule": '{"target_lag": true}'}, "says target_lag true", False),
        ({"schedule": '{"cron": 5}'}, "says cron 5", False),
        (
            {**LISTENING, "schedule": '{"on_update": true, "at_most_every": "soon"}'},
            'says at_most_every "soon"',
            False,
        ),
        ({"schedule": CRON.replace("17", f"{10**40}")}, f"says after {10**40}", False),
        ({**SPEC, "spec": "{took"}, "its spec in state is not understood: {took", True),
        ({**SPEC, "spec": "[]"}, "its spec in state is not understood: []", True),
        ({**SPEC, "spec": '{"took": {"last": 7}}'}, '{"took": {"last": 7}}', True),
        ({**SPEC, "spec": '{"took": {"last": [["fast", 3, "long"]]}}'}, '"long"', True),
        ({**SPEC, "spec": '{"took": {"last": [["fast", 3, NaN]]}}'}, "", True),
    ],
)
def test_what_is_wrong_with_one_row_keeps_up_no_other(
    table: StateTable, state: LogState, values: Values, fault: str, due: bool
) -> None:
    table.put({"fine": EVERY, "bad": values})
    rows = whole(state)
    assert rows["fine"].next_time is not None and not state.details()["fine"].fault
    bad = rows["bad"]
    assert (bad.due is not None) == due and bad.took is None and bad.cron is None
    said = state.details()["bad"].fault
    assert fault in said and bool(said) == bool(fault)
    table.put({"fine": {**EVERY, "next_time": 0}, "bad": {**values, "paused_time": AT}})
    assert news(state) == ({"fine", "bad"}, set())
    table.put({"bad": EVERY})
    assert whole(state)["bad"].due is not None and not state.details()["bad"].fault


def test_rows_that_a_deletion_vector_deletes(table: StateTable, state: LogState) -> None:
    """All rows of a file: the row is gone."""
    bitmap = struct.pack("<IQI", 1681511377, 1, 0) + struct.pack("<IIHHIH", 12346, 1, 0, 0, 16, 0)
    inline = base64.b85encode(bitmap + b"\0\0").decode()
    standard = (
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
    )
    z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    vector = {
        "storageType": "i",
        "pathOrInlineDv": inline.translate(str.maketrans(standard, z85)),
        "sizeInBytes": len(bitmap),
        "cardinality": 1,
    }
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    table.write({"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}})
    table.put({"a": EVERY, "b": EVERY})
    assert whole(state).keys() == {"a", "b"}
    table.put({"a": EVERY}, deletionVector=vector)
    assert news(state) == (set(), {"a"})


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    StateTable(tmp_path / "logs", "mlog_id")
    with pytest.raises(Unreadable, match="is not partitioned by mview_id"):
        whole(LogState(str(tmp_path / "logs"), None))
    with pytest.raises(Unreadable, match="nowhere: state cannot be read: "):
        whole(LogState(str(tmp_path / "nowhere"), None))


IDS = st.sampled_from("abcde")
VALUES = st.none() | st.fixed_dictionaries(
    {
        "schedule": st.sampled_from(
            [None, '{"every": 60}', CRON, '{"on_update": true, "at_most_every": 60}']
        ),
        "next_time": st.none() | st.integers(-(10**15), 10**16),
    },
    optional={
        "retry_time": st.integers(0, 10**16),
        "failures": st.integers(0, 3),
        "paused_time": st.integers(0, 10**16),
    },
)
STEPS = st.lists(
    st.tuples(
        st.dictionaries(IDS, VALUES, max_size=3),
        st.sampled_from(["", "look", "read", "checkpoint"]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_read_forward_is_the_same_as_read_whole(
    steps: list[tuple[dict[str, Values | None], str]],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        table = StateTable(Path(place) / str(uuid4()))
        forward = LogState(str(table.root), None, clock=Clock())
        told = whole(forward)
        for rows, step in steps:
            table.put(rows)
            if step == "checkpoint":
                table.checkpoint()
            if step == "read":
                forward.read(rows.keys())
            if step:
                answer = forward.fetch(m.Fetch(1, False))
                assert not set(told.values()) & set(answer.rows), "told twice"
                told |= {row.id: row for row in answer.rows}
                assert told.keys() >= set(answer.gone)
                for id_ in answer.gone:
                    del told[id_]
                assert same(told, whole(LogState(str(table.root), None)))
                assert told == whole(forward)


def same(told: Mapping[str, m.Row], read: Mapping[str, Any]) -> bool:
    """Whether rows are alike but for the version, which a whole read does not know."""
    assert all(told[id_].version <= read[id_].version for id_ in told.keys() & read.keys())
    return {id_: replace(row, version=0) for id_, row in told.items()} == {
        id_: replace(row, version=0) for id_, row in read.items()
    }
