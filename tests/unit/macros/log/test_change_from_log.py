"""What a log answers for a feed that does not reach back far enough."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ...kit.engine import FEED, Delta, Foreign, delta, micros
from ...kit.harness import Dbt
from ...kit.log_engine import Change, LogEngine, fed
from ...kit.log_scenes import (
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
from ...kit.scenes import SOURCE

MORE = 10001  # microseconds, see same_commit.sql


def asked(dbt: Dbt, was: Any, now: Any, reason: str = "CHANGE_DATA_UNAVAILABLE") -> Any:
    return dbt("_change_from_log", SOURCE, was, now, reason)


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
    assert found == {
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
    other = dbt("_covered_by", LOG, "spark_catalog.shop.others", at, now)
    assert other["reason"].endswith("is no log of it any more")
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
        dbt("_look_at_base", spec, job)
        if not job["feed_is_on"]:
            self.readable = self.base.commits[-1].version + 2
        dbt("_switch_feed_on", spec, job)
        dbt("_look_at_log", spec, job)
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
                    found = self.dbt("_covered_by", LOG, SOURCE, was, now)
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
            return self.dbt("_covered_by", LOG, SOURCE, was, now)
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
    assert told == "CHANGE_DATA_UNAVAILABLE: its columns of then cannot be read"
