"""Sources: which commits are new data, for which view, and how often that is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dbt_mview.serve.sources import Sources
from tests.sim.sown import sown
from tests.support.delta import StateTable

ROW = {"schedule": "x"}


@pytest.fixture
def facts(tmp_path: Path) -> StateTable:
    """A table at version 1."""
    table = StateTable(tmp_path / "facts")
    table.put({"a": ROW})
    return table


def sources(table: StateTable, **read: int | None) -> Sources:
    """Of views that have read the table at a version each."""
    return Sources({"facts": str(table.root)}, {view: [("facts", at)] for view, at in read.items()})


def test_new_data_is_told_once(facts: StateTable) -> None:
    found = sources(facts, v=1)
    assert found.poll(["v"]) == ()
    facts.put({"a": None})
    facts.put({"b": ROW})
    assert found.poll(["v"]) == ("v",) and found.poll(["v"]) == ()
    facts.put({"b": None})
    assert found.poll([]) == () and found.poll(["v"]) == ("v",) and found.closed == set()


def test_commits_without_new_data_are_none(facts: StateTable) -> None:
    found = sources(facts, v=1)
    facts.put({"a": ROW}, dataChange=False)
    facts.write({"metaData": facts.meta})
    facts.write()
    facts.write(facts.remove("a", dataChange=False))
    assert found.poll(["v"]) == ()
    facts.put({"b": ROW})
    facts.write()
    assert found.poll(["v"]) == ("v",), "also before one that is none"


def test_an_optimize_that_wakes_is_seen(facts: StateTable) -> None:
    with sown("an OPTIMIZE wakes"), pytest.raises(AssertionError):
        test_commits_without_new_data_are_none(facts)


def test_what_happened_meanwhile_is_found(facts: StateTable) -> None:
    """For the view that has not read it: from the oldest version of all on."""
    facts.put({"b": ROW})
    facts.write()
    found = sources(facts, late=1, early=2, new=None)
    assert found.poll(["late", "early", "new"]) == ("late", "new")


def test_each_view_over_a_source_is_told(facts: StateTable) -> None:
    found = sources(facts, v=1, w=1)
    facts.put({"b": ROW})
    assert found.poll(["v"]) == ("v",)
    assert found.poll(["v", "w"]) == ("w",)


def test_one_of_several_sources_is_enough(facts: StateTable, tmp_path: Path) -> None:
    other = StateTable(tmp_path / "other")
    places = {"facts": str(facts.root), "other": str(other.root)}
    found = Sources(places, {"v": [("facts", 1), ("other", 0)]})
    assert found.poll(["v"]) == ()
    other.put({"a": ROW})
    assert found.poll(["v"]) == ("v",) and found.poll(["v"]) == ()


def test_a_refresh_moves_what_its_view_has_read(facts: StateTable) -> None:
    found = sources(facts, v=1)
    facts.put({"b": ROW})
    found.update({"v": [("facts", 2)]})
    assert found.poll(["v"]) == ()
    facts.put({"c": ROW})
    assert found.poll(["v"]) == ("v",)
    found.update({"v": [("facts", 2)]})
    assert found.poll(["v"]) == (), "a SKIP has looked at it, and leaves what it has read"


def test_views_come_and_go(facts: StateTable, tmp_path: Path) -> None:
    facts.put({"b": ROW})
    found = sources(facts, v=2)
    assert found.poll(["v"]) == ()
    found.update({"w": [("facts", 1)]})
    assert found.poll(["v", "w"]) == ("w",), "it has read less than what was looked at"
    other = StateTable(tmp_path / "other", version=4)
    found.update({"x": [("other", 5)]}, {"other": str(other.root)})
    other.put({"a": ROW})
    assert found.poll(["x"]) == ("x",)
    found.forget("x")
    other.put({"b": ROW})
    assert found.poll(["x"]) == () and found.closed == {"x"}


def test_a_table_that_lies_elsewhere_now(facts: StateTable, tmp_path: Path) -> None:
    """Its versions are others."""
    found = sources(facts, v=1)
    assert found.poll(["v"]) == ()
    StateTable(tmp_path / "elsewhere")
    found.update({}, {"facts": str(tmp_path / "elsewhere")})
    assert found.poll(["v"]) == ("v",) and found.poll(["v"]) == ()


def test_a_table_that_was_made_anew(facts: StateTable) -> None:
    facts.put({"b": ROW})
    found = sources(facts, v=2, w=2)
    assert found.poll(["v", "w"]) == ()
    shutil.rmtree(facts.root)
    again = StateTable(facts.root)
    assert found.poll(["v"]) == ("v",) and found.poll(["v", "w"]) == ("w",)
    assert found.poll(["v", "w"]) == ()
    for number in range(3):
        again.put({"b": ROW})
        assert found.poll(["v"]) == ("v",), number
    shutil.rmtree(facts.root)
    again = StateTable(facts.root)
    for _ in range(5):
        again.write()
    assert found.poll(["v"]) == ("v",), "it has more versions than the one before"


def test_commits_that_were_cleaned_up_count_as_new(facts: StateTable) -> None:
    for _ in range(2):
        facts.write()
    facts.log(1).unlink()
    facts.log(0).unlink()
    for read in (0, 1, None):
        found = sources(facts, v=read)
        assert found.poll(["v"]) == ("v",) and found.poll(["v"]) == (), read


def test_what_cannot_be_looked_at_is_asked_otherwise(facts: StateTable, tmp_path: Path) -> None:
    places = {
        "facts": str(facts.root),
        "file": None,
        "hive": "hdfs://name/x",
        "gone": str(tmp_path / "gone"),
    }
    read = {
        "open": [("facts", 1)],
        "plain": [("facts", 1), ("file", None)],
        "far": [("hive", 3)],
        "lost": [("gone", 3)],
        "nameless": [("elsewhere", 3)],
        "unbuilt": [],
    }
    found = Sources(places, read)
    views = [*read, "unknown"]
    facts.put({"b": ROW})
    assert found.poll(views) == ("open", "plain")
    assert found.closed == {*views} - {"open"}
    problems = found.why_closed()
    assert problems["gone"].endswith("has no commits: it is no Delta table, or gone")
    assert "hdfs://name/x is no storage that can be listed" in problems["hive"]
    assert "no Delta table" in problems["file"] and "no Delta table" in problems["elsewhere"]
    StateTable(tmp_path / "gone", version=2)
    found.update({"unbuilt": [("facts", 2)]})
    assert found.poll(views) == () and found.closed == {"plain", "far", "nameless", "unknown"}


def test_a_commit_that_is_no_json(facts: StateTable) -> None:
    found = sources(facts, v=1)
    facts.put({"b": ROW})
    facts.log(2).write_text('{"commitInfo": {}}\n{"add"')
    assert found.poll(["v"]) == () and found.closed == {"v"}
    assert "commit 2 is no JSON" in found.why_closed()["facts"]
