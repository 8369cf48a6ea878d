"""What a log holds, and what it answers for a feed."""

from __future__ import annotations

import copy
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ..kit.engine import FEED, Delta, Foreign, delta, micros
from ..kit.harness import Dbt
from ..kit.lexer import strings
from ..kit.log_engine import Change, LogEngine, fed
from ..kit.log_scenes import (
    COLUMNS,
    LOG,
    base,
    change,
    later,
    log_model,
    log_world,
    pin,
    run_log,
    started,
    vacuum,
)
from ..kit.parsing import parse
from ..kit.records import as_reason, text_of, with_text
from ..kit.scenes import SOURCE

# What a log holds, and how far its own word goes.


NAME = "`shop`.`orders_log`"


def at(version: int, minute: float | None = None) -> dict[str, Any]:
    return {"version": version, "commit_time": micros(version if minute is None else minute)}


def meta(**more: Any) -> str:
    return json.dumps({"dbt_mview": {"mlog_id": LOG, **more}})


def told(captured: Any) -> str:
    return meta(captured=captured)


def log(start: Any, *commits: str | None, note: Any = None, **changes: Any) -> LogEngine:
    """A log whose commits say these things; it began at `start`."""
    engine = LogEngine()
    known = {"base": SOURCE, "start": start, "gap": "first capture", **changes}
    table = Delta([], properties={"dbt_mview.mlog": json.dumps(known)})
    if note:
        table.properties["dbt_mview.captured"] = json.dumps(note)
    for text in commits:
        table.commit(500, "WRITE" if text else "OPTIMIZE", 1, text)
    engine.tables[LOG] = table
    return engine


def note(captured: Any, log_version: int, base: str = SOURCE, **more: Any) -> dict[str, Any]:
    return {"base": base, "captured": captured, "log_version": log_version, **more}


def coverage(engine: LogEngine) -> Any:
    return Dbt(engine)("_coverage", NAME)


def test_what_a_log_says() -> None:
    engine = log(at(2), told(at(2)), told(at(5)), None)
    assert coverage(engine) == {
        "base": SOURCE,
        "began": at(2),
        "start": at(2),
        "captured": at(5),
        "gap": "first capture",
        "changed": None,
        "version": 2,
        "properties": {**engine.tables[LOG].properties, "delta.minReaderVersion": "1"},
    }
    assert engine.steps == ["read_describe_history", "read_properties"]
    assert engine.sql("read_describe_history").endswith(f"{NAME} limit 20")


def test_a_table_that_is_no_log() -> None:
    engine = LogEngine()
    engine.tables[LOG] = delta(1, 2)
    found = coverage(engine)
    assert (found["base"], found["version"]) == (None, 1)
    assert "read_last_logged" not in engine.steps


@pytest.mark.parametrize(
    ("start", "commits", "given", "version"),
    [
        (at(2), [told(at(2))], None, 2),
        (at(2), [told(at(2)), told(at(5)), told(at(7)), None], None, 7),
        (at(6), [told(at(2)), told(at(5))], None, 6),
        (at(2), [told(at(2)), meta()], None, 2),
        (at(2), [told(at(2)), told(at(5))], note(at(6), 1), 6),
        (at(2), [told(at(2)), told(at(5))], note(at(4), 1), 5),
        (at(2), [told(at(2)), told(at(5))], note(at(6), 2), 5),
        (at(2), [told(at(2)), told(at(5))], note(at(6), 1, "another"), 5),
        (at(2, 50), [told(at(2, 50))], note(at(6, 60), 0, began=at(1, 9)), 2),
        (at(2), [told(at(2)), meta(captured=at(9), began=at(1))], None, 2),
        (at(2, 50), [told(at(2, 50)), meta(captured=at(3, 49), began=at(2, 50))], None, 3),
        (at(2, 50), [told(at(2, 50))], note(at(3, 49), 0, began=at(2, 50)), 3),
    ],
    ids=[
        "begun", "the newest capture", "start raised since", "a commit that says nothing of it",
        "noted later", "noted before", "noted in a later state", "noted for another base",
        "noted before it was rebuilt", "captured before it was rebuilt",
        "captured when the clock had gone back", "noted when the clock had gone back",
    ],
)  # fmt: skip
def test_how_far(start: Any, commits: Any, given: Any, version: int) -> None:
    found = coverage(log(start, *commits, note=given))
    assert found["captured"]["version"] == version
    assert found["start"] == start


def test_what_stands_behind_many_commits() -> None:
    engine = log(at(2), told(at(2)), told(at(5)), *[None] * 25)
    assert coverage(engine)["captured"] == at(5)
    assert engine.steps.count("read_describe_history") == 2
    assert engine.sql("read_describe_history", 1).endswith(NAME)


def test_a_history_that_was_cleaned_up() -> None:
    """Then the log's last row says how far it goes."""
    engine = log(at(2), *[None] * 3)
    engine.held[LOG] = {0: (Change("t", 4, "insert", 0, 4), Change("t", 3, "delete", 0, 3))}
    assert coverage(engine)["captured"] == at(4)
    assert f"from {NAME} version as of 2" in engine.sql("read_last_logged")
    engine.held[LOG] = {0: ()}
    assert coverage(engine)["captured"] == at(2)


def test_a_start_that_is_raised_meanwhile_is_seen() -> None:
    """Rows are purged after that, so that the version looked at still has them."""
    engine = log(at(2), told(at(2)), told(at(5)))
    engine.held[LOG] = {0: (Change("t", 3, "insert", 0, 3), Change("t", 5, "insert", 0, 5))}

    def purge(sql: str) -> None:
        engine.on.clear()
        engine.purge(LOG, at(4), 4)

    for step in ("read_properties", "read_describe_history"):
        engine.on[step] = purge
        found = coverage(engine)
        first = min(row.version for row in engine.rows_of(LOG, found["version"]))
        assert found["start"]["version"] >= first - 1, step


def test_what_the_properties_say() -> None:
    known = {"base": "it's", "start": at(1), "captured": at(3), "gap": None, "version": 4}
    known["began"] = at(0)
    dbt = Dbt()
    key, value = strings(dbt("_coverage_property", known))
    assert key == "dbt_mview.mlog"
    assert json.loads(value) == {"base": "it's", "start": at(1), "gap": None}
    key, value = strings(dbt("_captured_property", known))
    assert key == "dbt_mview.captured"
    noted = {"base": "it's", "began": at(0), "captured": at(3), "log_version": 4}
    assert json.loads(value) == noted


@pytest.mark.parametrize(
    ("began", "start", "minute"),
    [({"began": at(2, 5)}, 7, 7), ({}, 7, 7), ({"began": at(2, 4)}, 2, 5)],
    ids=["its own", "of an older release", "of the log before"],
)
def test_purged(began: Any, start: int, minute: int) -> None:
    """Also where the history knows of no capture any more."""
    engine = log(at(2, 5), None)
    engine.held[LOG] = {0: ()}
    purged = {"base": SOURCE, "start": at(7), **began}
    engine.tables[LOG].properties["dbt_mview.purged"] = json.dumps(purged)
    found = coverage(engine)
    assert found["start"] == found["captured"] == at(start, minute)


def test_a_purge_up_to_a_commit_of_an_older_time() -> None:
    """The start's time is none that the log did not see; what was captured keeps its own."""
    engine = log(at(2, 50), told(at(2, 50)), told(at(7, 49)))
    purged = {"base": SOURCE, "start": at(7, 49), "began": at(2, 50)}
    engine.tables[LOG].properties["dbt_mview.purged"] = json.dumps(purged)
    found = coverage(engine)
    assert (found["start"], found["captured"]) == (at(7, 50), at(7, 49))


# What the properties of a log say.


START = {"version": 5, "commit_time": micros(5)}


def until(version: int, minute: float) -> dict[str, Any]:
    return {"version": version, "commit_time": micros(minute)}


@pytest.mark.parametrize(
    ("upto", "start"),
    [(until(7, 7), until(7, 7)), (until(5, 7), START), (until(4, 4), START), (None, START),
     (until(9, 4), until(9, 5))],
)  # fmt: skip
def test_start(upto: Any, start: Any) -> None:
    """Versions say what is later; its time is never before that of the log's own beginning."""
    found = {"base": "c.s.b", "began": START, "start": START, "gap": "g"}
    Dbt()("_raise_start", found, upto)
    assert found["start"] == start
    assert found["gap"] == ("g" if start == START else "what came before was purged")


@pytest.mark.parametrize(
    ("note", "counts"),
    [
        ({"base": "c.s.b", "began": START}, True),
        ({"base": "c.s.b"}, True),
        ({"base": "c.s.b", "began": until(5, 6)}, False),
        ({"base": "c.s.other", "began": START}, False),
        ({}, False),
    ],
)
def test_whose_note_it_is(note: Any, counts: bool) -> None:
    found = {"base": "c.s.b", "began": START}
    assert Dbt()("_note_of", found, json.dumps(note)) == (note if counts else {})
    assert Dbt()("_note_of", found, None) == {}


def test_the_note_says_no_more_than_needed() -> None:
    coverage = {"base": "c.s.b", "began": START, "captured": until(9, 9)}
    sql = Dbt()("_purged_property", coverage, {**until(7, 7), "dependents": [1]})
    key, value = strings(sql)
    assert key == "dbt_mview.purged"
    assert json.loads(value) == {"base": "c.s.b", "began": START, "start": until(7, 7)}


# What a log answers for a feed that does not reach back far enough.


MORE = 10001  # microseconds, see _same_commit


def asked(dbt: Dbt, was: Any, now: Any, reason: str = "CHANGE_DATA_UNAVAILABLE") -> Any:
    return with_text(dbt("_change_from_log", SOURCE, was, now, as_reason(reason)))


def captured() -> Dbt:
    """v0 to v5 of the base; the log begins at v2 and goes to v5."""
    dbt = started()
    change(dbt)
    run_log(dbt)
    return later(dbt)


def test_a_base_that_was_laid_out_anew_after_the_capture() -> None:
    """What the log does not hold yet is read from the feed, by the partitions of now."""
    dbt = captured()
    given = {"partitionBy": '["id"]', "properties": '{"delta.enableChangeDataFeed":"true"}'}
    base(dbt).commit(60, "CREATE OR REPLACE TABLE AS SELECT", 3, parameters=given)
    assert asked(dbt, pin(dbt, 4), pin(dbt, 6))["reason"].endswith("with other partitions")


def test_all_of_it_is_in_the_log() -> None:
    dbt = captured()
    found = asked(dbt, pin(dbt, 2), pin(dbt, 5))
    expected = {
        "reason": None,
        "relation": SOURCE,
        "start": 2,
        "end": 5,
        "rows": 6,
        "inserts": True,
        "deletes": True,
        "log": {
            "name": "`spark_catalog`.`shop`.`orders_log`",
            "version": 1,
            "end": 5,
            "columns": [
                {"name": name, "type": type_, "expression": f"`{name}`"} for name, type_ in COLUMNS
            ],
        },
    }
    assert {key: found[key] for key in expected} == expected


def test_its_columns_are_those_of_the_version_that_is_read() -> None:
    dbt = captured()
    columns = dbt.engine.tables[LOG].columns
    dbt.engine.tables[LOG].older_columns = {1: [*columns[:1], *columns[2:]]}
    found = asked(dbt, pin(dbt, 2), pin(dbt, 5))
    assert [column["name"] for column in found["log"]["columns"]] == ["customer"]


def test_kinds_and_numbers() -> None:
    dbt = captured()
    some = asked(dbt, pin(dbt, 4), pin(dbt, 5))
    assert (some["rows"], some["inserts"], some["deletes"]) == (1, True, False)
    some = asked(dbt, pin(dbt, 3), pin(dbt, 4))
    assert (some["rows"], some["inserts"], some["deletes"], some["log"]["end"]) == (
        1, False, True, 4,
    )  # fmt: skip
    none = asked(dbt, pin(dbt, 5), pin(dbt, 5))
    assert (none["rows"], none["inserts"], none["deletes"]) == (0, False, False)


def test_what_is_not_captured_yet_comes_from_the_feed() -> None:
    dbt = captured()
    base(dbt).commit(60, "DELETE", numDeletedRows=4)
    found = asked(dbt, pin(dbt, 4), pin(dbt, 6))
    assert (found["rows"], found["inserts"], found["deletes"]) == (5, True, True)
    assert (found["start"], found["log"]["end"], found["end"]) == (4, 5, 6)
    base(dbt).commit(61, "TRUNCATE")
    assert asked(dbt, pin(dbt, 4), pin(dbt, 7))["rows"] is None, "nobody knows how many"
    vacuum(base(dbt), 70)
    dbt = later(dbt)
    told = asked(dbt, pin(dbt, 4), pin(dbt, 7))
    assert told == {"reason": "CHANGE_DATA_UNAVAILABLE: removed by VACUUM"}


@pytest.mark.parametrize("reason", ["SOURCE_REPLACED", "SCHEMA_CHANGED"])
def test_other_reasons_stay(reason: str) -> None:
    dbt = captured()
    assert asked(dbt, pin(dbt, 2), pin(dbt, 5), reason) == {"reason": reason}
    assert dbt.engine.log == []


def test_without_logs_the_reason_stays() -> None:
    dbt = captured()
    dbt.engine.logs.clear()
    reason = "CHANGE_DATA_UNAVAILABLE: no change data feed"
    assert asked(dbt, pin(dbt, 2), pin(dbt, 5), reason) == {"reason": reason}


def refused(dbt: Dbt, was: Any, now: Any) -> str:
    reason: str = asked(dbt, was, now)["reason"]
    return reason.removeprefix("CHANGE_DATA_UNAVAILABLE: shop.orders_log ")


def test_reasons() -> None:
    dbt = captured()
    before, at, end, now = pin(dbt, 1), pin(dbt, 2), pin(dbt, 4), pin(dbt, 5)
    assert refused(dbt, before, now) == "begins at v2, first capture"
    assert refused(dbt, {**at, "commit_time": at["commit_time"] - MORE}, now).startswith("begins")
    assert refused(dbt, {**at, "version": 1}, now).startswith("begins")
    assert refused(dbt, {**now, "version": 6}, now) == "ends at v5"
    assert refused(dbt, {**now, "commit_time": now["commit_time"] + MORE}, now) == "ends at v5"
    late = {**end, "commit_time": now["commit_time"] + MORE}
    assert asked(dbt, at, late) == {"reason": "SOURCE_REPLACED"}, "v4 is no version of the log's"
    other = dbt("_change_in_log", LOG, "spark_catalog.shop.others", at, now)
    assert other["reason"]["detail"].endswith("is no log of it any more")
    dbt.engine.tables[LOG].commit(99, "UPDATE", 1)
    assert refused(dbt, at, now) == "was changed: UPDATE by somebody else in version 2"
    dbt.engine.tables[LOG] = delta(1)
    assert refused(dbt, at, now) == "is no log of it any more"
    dbt.engine.tables[LOG] = Foreign()
    assert refused(dbt, at, now) == "is no log of it any more"
    del dbt.engine.tables[LOG]
    assert refused(dbt, at, now) == "is no log of it any more"


def test_times_of_one_second_are_told_out_of_order() -> None:
    dbt = captured()
    for was, now in ((-1000, 0), (0, 1000), (1000, -1000)):
        pins = [pin(dbt, 2), pin(dbt, 5)]
        for one, by in zip(pins, (was, now), strict=True):
            one["commit_time"] += by
        assert asked(dbt, *pins)["reason"] is None


def test_the_first_log_that_does() -> None:
    dbt = captured()
    dbt.engine.logs = {"spark_catalog.shop.a_log": SOURCE, LOG: SOURCE, "z": "another"}
    assert asked(dbt, pin(dbt, 2), pin(dbt, 5))["log"]["name"].endswith("`orders_log`")


def test_the_log_that_leaves_out_least() -> None:
    dbt = captured()
    narrow = "spark_catalog.shop.a_log"
    dbt.engine.tables[narrow] = copy.deepcopy(dbt.engine.tables[LOG])
    dbt.engine.tables[narrow].columns = dbt.engine.tables[narrow].columns[1:]
    dbt.engine.held[narrow] = dict(dbt.engine.held[LOG])
    for names in ([narrow, LOG], [LOG, narrow]):
        dbt.engine.logs = dict.fromkeys(names, SOURCE)
        dbt.engine.forget()
        assert asked(dbt, pin(dbt, 2), pin(dbt, 5))["log"]["name"].endswith("`orders_log`")


# Whatever happens to the base and to the log: what a log says it has, it has


@dataclass
class World:
    """A base with its past lives, a log, and the moment."""

    dbt: Dbt = field(default_factory=lambda: Dbt(log_world(), log_model()))
    minute: float = 100
    jobs: int = 0
    lives: list[Delta] = field(default_factory=list)
    readable: int = 0

    @property
    def engine(self) -> LogEngine:
        engine = self.dbt.engine
        assert isinstance(engine, LogEngine)
        return engine

    @property
    def base(self) -> Delta:
        return base(self.dbt)

    def commit(self, *facts: Any, **more: Any) -> None:
        self.minute += 1
        self.base.commit(self.minute, *facts, **more)

    def append(self) -> None:
        self.commit("WRITE", 2, parameters={"mode": "Append"})

    def update(self) -> None:
        self.commit("UPDATE", numUpdatedRows=1)

    def delete(self) -> None:
        self.commit("DELETE", numDeletedRows=1)

    def nothing(self) -> None:
        self.commit("UPDATE", numUpdatedRows=0)

    def optimize(self) -> None:
        self.commit("OPTIMIZE")

    def vacuum(self) -> None:
        self.minute += 1
        self.readable = self.base.commits[-1].version + 1
        vacuum(self.base, self.minute)

    def feed_off(self) -> None:
        self.base.properties.clear()
        self.commit("UNSET TBLPROPERTIES", parameters={"properties": str([*FEED])})

    def feed_on(self) -> None:
        if not self.base.properties:
            self.base.properties.update(FEED)
            self.commit("SET TBLPROPERTIES", parameters={"properties": str(FEED)})
            self.readable = self.base.commits[-1].version + 1

    def recreate(self, feed: bool = True) -> None:
        self.minute += 1
        self.lives.append(self.base)
        columns = "customer string, amount bigint"
        name = f"t-{len(self.lives) + 1}"
        self.engine.tables[SOURCE] = delta(self.minute, columns=columns, id=name)
        self.base.properties.update(FEED if feed else {})
        self.readable = 0

    def recreate_without_feed(self) -> None:
        self.recreate(feed=False)

    def capture(self, full_refresh: bool = False) -> None:
        """The steps of the materialization, without what is around them."""
        self.minute += 1
        self.engine.minute = self.minute
        dbt = self.dbt
        dbt.full_refresh = full_refresh
        spec = dbt("_log_spec_from_model")
        job = dbt("_log_job", spec)
        self.jobs += 1
        job["id"] = f"job-{self.jobs}"
        dbt("_inspect_base", spec, job)
        if not job["feed_is_on"]:
            self.readable = self.base.commits[-1].version + 2
        dbt("_switch_feed_on", spec, job)
        dbt("_inspect_log", spec, job)
        dbt("_start_log" if job["gap"] else "_capture", spec, job)
        dbt("_register_log", spec, job)

    def full_refresh(self) -> None:
        self.capture(full_refresh=True)

    def capture_and_note(self) -> None:
        """Rows, then a commit without one."""
        self.capture()
        self.optimize()
        self.capture()

    def purge(self) -> None:
        """Up to the version before what was captured, so that something stays."""
        if LOG in self.engine.tables:
            known = self.dbt("_coverage", "`shop`.`orders_log`")
            upto = max(known["start"]["version"], known["captured"]["version"] - 1)
            at = [one for one in self.base.commits if one.version == upto]
            if at and micros(at[0].minute) >= known["start"]["commit_time"]:
                start = {"version": upto, "commit_time": micros(at[0].minute)}
                self.engine.purge(LOG, start, upto)

    def forget(self) -> None:
        """Of the log's history, only a maintenance commit is left."""
        if LOG in self.engine.tables:
            table = self.engine.tables[LOG]
            table.commit(self.minute, "OPTIMIZE")
            del table.commits[:-1]

    def pins(self) -> list[tuple[Delta, dict[str, Any]]]:
        return [
            (life, {"version": one.version, "commit_time": micros(one.minute)})
            for life in [*self.lives, self.base]
            for one in life.commits
        ]

    def check(self) -> int:
        """Asks for all readers that _feed_change lets pass; returns how many the log serves."""
        served = 0
        for life, was in self.pins():
            for now in [pin(self.dbt, one.version) for one in self.base.commits[-2:]]:
                if now["version"] > was["version"]:
                    found = self.dbt("_change_in_log", LOG, SOURCE, was, now)
                    served += not found["reason"]
                    self.compare(found, life, was, now)
        return served

    def compare(self, found: Any, life: Delta, was: Any, now: Any) -> None:
        if not found["reason"]:
            assert life is self.base, "a version of another life of the base"
            rows = self.rows(found)
            assert Counter(rows) == Counter(fed(life, was["version"], now["version"]))
            came = {row.kind in ("insert", "update_postimage") for row in rows}
            assert found["inserts"] or True not in came
            assert found["deletes"] or False not in came

    def asked(self, was: Any, now: Any, action: str, count: int) -> Any:
        """The log's answer; in the middle of it, before the n-th statement, something happens."""
        execute, left = self.engine.execute, [count]

        def disturbed(step: str, sql: str) -> Any:
            left[0] -= 1
            if left[0] == -1:
                del self.engine.execute
                getattr(self, action)()
                self.engine.execute = disturbed  # type: ignore[method-assign]
            return execute(step, sql)

        self.engine.execute = disturbed  # type: ignore[method-assign]
        try:
            return self.dbt("_change_in_log", LOG, SOURCE, was, now)
        finally:
            del self.engine.execute

    def rows(self, found: Any) -> list[Change]:
        """What the statement of a refresh gets: the log's rows, and the feed after it."""
        text = self.dbt("_logged_sql", found)
        rows = self.engine.logged(text)
        if found["log"].get("next"):
            tail = fed(self.base, found["log"]["next"] - 1, found["end"])
            assert all(row.version >= self.readable for row in tail), "their files are gone"
            assert self.base.properties or not tail
            rows += tail
        return rows


COMMITS = ["append", "append", "update", "delete", "nothing", "optimize"]
CAPTURES = ["capture", "capture", "capture", "full_refresh", "purge", "forget"]
BREAKS = ["vacuum", "feed_off", "feed_on", "recreate", "recreate_without_feed"]
MEANWHILE = ["capture_and_note", *CAPTURES[2:]]
ACTIONS = st.sampled_from([*COMMITS, *CAPTURES, *BREAKS])


@settings(max_examples=60)
@given(st.lists(ACTIONS, max_size=14))
@example(["capture", "append", "append", "capture", "recreate_without_feed", "append", "append"])
@example(["capture", "append", "append", "capture", "recreate", "capture", "append", "capture"])
@example(["capture", "append", "capture", "forget", "append", "capture", "append"])
@example(["append", "capture", "append", "delete", "capture", "delete"])
@example(["append", "append", "capture", "delete", "capture", "append"])
@example(["append", "capture", "append", "capture", "delete"])
def test_whatever_happens_a_log_that_answers_has_all_rows(actions: list[str]) -> None:
    world = World()
    for action in actions:
        getattr(world, action)()
    world.check()


@settings(max_examples=80)
@given(
    st.lists(ACTIONS, max_size=6),
    st.integers(0, 9),
    st.sampled_from(MEANWHILE),
    st.integers(0, 3),
)
@example(["append", "capture", "append", "append", "capture"], 3, "purge", 2)
@example(["append", "capture", "append"], 3, "capture_and_note", 2)
def test_while_a_reader_looks(actions: list[str], reader: int, meanwhile: str, when: int) -> None:
    """A purge, or captures, between the reader's own statements."""
    world = World()
    world.capture()
    for action in [*actions, "append"]:
        getattr(world, action)()
    life, was = world.pins()[reader % len(world.pins())]
    now = pin(world.dbt, world.base.commits[-1].version)
    if now["version"] > was["version"]:
        world.compare(world.asked(was, now, meanwhile, when), life, was, now)


def test_the_log_serves_all_whom_it_can() -> None:
    """Readers since its start; neither a purge nor a VACUUM takes more than it says."""
    world = World()
    for action in ("capture", "append", "update", "capture", "vacuum", "nothing", "capture"):
        getattr(world, action)()
    assert [one.version for one in world.base.commits] == [0, 1, 2, 3, 4, 5, 6]
    assert world.check() == 3 + 4, "v2 to v4, read up to v5; v2 to v5, read up to v6"


def test_columns_that_changed_before_the_capture() -> None:
    """A log compares names and types of its own columns, not their order, nor those it leaves."""
    dbt = started()
    change(dbt)
    base(dbt).commit(50, "CHANGE COLUMN")
    run_log(dbt)
    dbt = later(dbt)
    found = asked(dbt, pin(dbt, 2), pin(dbt, 6))
    assert dbt("_note_columns_since", found, pin(dbt, 2), pin(dbt, 6)) is None
    assert (found["reason"], found["columns_since"]) == (None, 2)


def test_columns_of_then_that_cannot_be_read() -> None:
    dbt = captured()
    base(dbt).commits[4].operation = "MERGE"
    base(dbt).properties["delta.deletedFileRetentionDuration"] = "interval 1 minutes"
    dbt.engine.feed_is_there = False
    found = asked(dbt, pin(dbt, 2), pin(dbt, 5))
    told = dbt("_note_columns_since", found, pin(dbt, 2), pin(dbt, 5))
    assert text_of(told) == "CHANGE_DATA_UNAVAILABLE: its columns of then cannot be read"


# The rows of a log that belong to a change.


CHANGE = {"start": 3, "end": 9, "log": {"name": "`s`.`log`", "version": 7, "end": 5}}


def test_after_what_was_read_up_to_what_is_captured() -> None:
    """At the version of the log that was looked at: purges since then take nothing away."""
    sql = Dbt()("_logged_sql", CHANGE)
    assert sql == (
        "from `s`.`log` version as of 7\n    where _commit_version > 3 and _commit_version <= 5"
    )
    assert parse("select * " + sql)


def test_count() -> None:
    sql = Dbt()("_count_logged_sql", CHANGE)
    assert parse(sql)
    assert sql == (
        "select\n"
        "    count_if(_change_type in ('insert', 'update_postimage')) as came,\n"
        "    count_if(_change_type in ('delete', 'update_preimage')) as went\n"
        + Dbt()("_logged_sql", CHANGE)
    )


def test_last() -> None:
    sql = Dbt()("_last_logged_sql", "`s`.`log`", 7)
    assert parse(sql)
    assert sql == (
        "select\n    max(_commit_version) as version,\n"
        "    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time\n"
        "from `s`.`log` version as of 7"
    )
