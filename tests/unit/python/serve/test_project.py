"""Where a project is, when it has changed, and what it says of its models."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.project import (
    Flashback,
    Source,
    Table,
    Watch,
    models_of,
    profiles_dir,
    project_dir,
)

pytestmark = pytest.mark.unit


def write(path: Path, text: str = "select 1 as a") -> Path:
    """A file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project."""
    place = tmp_path / "project"
    write(place / "dbt_project.yml", "name: p")
    write(place / "models" / "a.sql")
    return place


# --- where


def test_a_project_is_found_as_dbt_finds_it(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "models")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert project_dir([], {}) == place
    assert profiles_dir([], {}) == tmp_path / ".dbt"
    write(place / "models" / "profiles.yml")
    assert profiles_dir([], {}) == place / "models"
    both = {"DBT_PROJECT_DIR": "/one", "DBT_PROFILES_DIR": "/two"}
    assert (project_dir([], both), profiles_dir([], both)) == (Path("/one"), Path("/two"))
    assert project_dir([], {**both, "DBT_ENGINE_PROJECT_DIR": "/three"}) == Path("/three")
    given = ["--project-dir", "/four", "--target", "t", "--profiles-dir=five", "--project-dir"]
    assert project_dir([*given, "/six"], both) == Path("/six")
    assert profiles_dir(given, both) == place / "models" / "five"


# --- when


def test_a_change_is_told_once_and_when_it_is_over(place: Path) -> None:
    watch = Watch(place, quiet=2.0)
    assert not watch.is_changed(100.0)
    write(place / "models" / "b.sql")
    assert not watch.is_changed(101.0)
    write(place / "models" / "c.sql")
    assert not watch.is_changed(103.5), "it was another 2.5 s ago"
    assert not watch.is_changed(105.0)
    assert watch.is_changed(105.5)
    assert not watch.is_changed(200.0)


def test_what_is_taken_back_or_settled_is_no_change(place: Path) -> None:
    watch = Watch(place, quiet=0.0)
    added = write(place / "models" / "b.sql")
    watch.settle()
    assert not watch.is_changed(1.0)
    added.unlink()
    assert watch.is_changed(2.0)


def touched(file: str) -> Any:
    """A change of a file's time."""

    def change(place: Path) -> None:
        os.utime(place / file, ns=(1, 1))

    return change


@pytest.mark.parametrize(
    "change",
    [
        touched("models/a.sql"),
        touched("dbt_project.yml"),
        touched("../profiles/profiles.yml"),
        lambda place: (place / "models" / "a.sql").rename(place / "models" / "b.sql"),
        lambda place: (place / "models" / "a.sql").unlink(),
        lambda place: write(place / "models" / "logs" / "target" / "a.sql"),
        lambda place: write(place / "dbt_packages" / "one" / "macros" / "a.sql"),
        lambda place: write(place.parent / "package" / "macros" / "b.sql"),
        *(
            lambda place, name=name: write(place / name)
            for name in ("packages.yml", "dependencies.yml", "seeds/a.csv", "models/a.py", "d.md")
        ),
    ],
)
def test_what_is_a_change(change: Any, place: Path) -> None:
    profiles = write(place.parent / "profiles" / "profiles.yml").parent
    write(place.parent / "package" / "macros" / "a.sql")
    (place / "dbt_packages").mkdir()
    (place / "dbt_packages" / "local").symlink_to(place.parent / "package")
    watch = Watch(place, profiles, quiet=0.0)
    change(place)
    assert watch.is_changed(1.0)


def test_what_dbt_and_others_write_is_none(place: Path) -> None:
    """The folders of workers, which each run writes, may be below the project."""
    for name in ("home/targets/1", "build"):
        write(place / name / "partial_parse.msgpack")
    write(place / "env" / "pyvenv.cfg")
    (place / "dbt_packages").mkdir()
    (place / "dbt_packages" / "itself").symlink_to(place)
    (place / "models" / "gone.sql").symlink_to("nowhere")
    watch = Watch(place, place, quiet=0.0)
    for name in (
        "target/compiled/a.sql",
        "dbt_packages/one/.git/a.sql",
        "home/targets/1/compiled/a.sql",
        "build/run/a.sql",
        "logs/dbt.log",
        ".git/a.sql",
        ".venv/a.py",
        "env/lib/a.py",
        "models/notes.txt",
        "models/.a.sql",
    ):
        write(place / name)
        assert not watch.is_changed(1.0), name


# --- what


FOUND: dict[str, Any] = {
    "clock": 5,
    "project": "p",
    "target": "t",
    "method": "thrift",
    "broken_after": 16,
    "lease": 3600,
    "flashback": {"enable": False, "create_interval": 5, "clean_interval": 60, "window": 9},
    "tables": {"views": {"name": "s.i", "location": "/s/i"}, "logs": None},
    "models": [
        {
            "id": "c.s.a",
            "node": "model.p.a",
            "kind": "view",
            "select": "p.a",
            "group": None,
            "parents": ["c.s.b"],
            "priority": 5,
            "pool": "heavy",
            "timeout": 1.5,
        },
        {
            "id": "c.s.l",
            "node": "model.p.l",
            "kind": "log",
            "select": "p.l",
            "group": None,
            "parents": [],
            "priority": 3,
            "pool": None,
            "timeout": None,
        },
    ],
    "took": {"c.s.a": 2},
    "sources": {"c.s.a": [{"relation": "c.s.o", "version": 7}]},
    "locations": {"c.s.o": None},
}


def test_models_are_read() -> None:
    project = models_of(["of a macro", "models: " + json.dumps(FOUND), "of an end hook"])
    view, log = project.models["c.s.a"], project.models["c.s.l"]
    assert view == m.Model("c.s.a", "view", None, ("c.s.b",), 5, "heavy", 1_500_000)
    assert (log.kind, log.timeout) == ("log", None)
    assert (project.method, project.names["model.p.l"]) == ("thrift", "c.s.l")
    assert project.selects == {"c.s.a": "p.a", "c.s.l": "p.l"}
    assert project.sources == {"c.s.a": (Source("c.s.o", 7),)}
    assert project.locations == {"c.s.o": None}
    assert (project.tables.views, project.tables.logs) == (Table("s.i", "/s/i"), None)
    assert (project.name, project.target, project.took) == ("p", "t", {"c.s.a": 2.0})
    assert (project.broken_after, project.lease, project.clock) == (16, 3600.0, 5)
    assert project.flashback is None
    on = {**FOUND, "flashback": {**FOUND["flashback"], "enable": True}}
    assert models_of([f"models: {json.dumps(on)}"]).flashback == Flashback(5.0, 60.0)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["hello"], "has printed no models"),
        (["models: {"], "is not understood"),
        (["models: []"], "is not understood"),
        (['models: {"models": []}'], "is not understood"),
    ],
)
def test_what_is_not_there_is_named(lines: list[str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        models_of(lines)
