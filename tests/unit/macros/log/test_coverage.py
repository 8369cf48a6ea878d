"""What a log holds, and how far its own word goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...kit.engine import Delta, delta, micros
from ...kit.harness import Dbt
from ...kit.lexer import strings
from ...kit.log_engine import Change, LogEngine
from ...kit.log_scenes import LOG
from ...kit.scenes import SOURCE

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
        "noted before it began anew", "captured before it began anew",
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
