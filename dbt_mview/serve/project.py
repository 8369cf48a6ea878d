"""The dbt project: where it is, when its files have changed, and what it says of its models."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.times import SECOND

SUFFIXES = (".sql", ".yml", ".yaml", ".csv", ".py", ".md")
PROJECT_FILE, PROFILES_FILE = "dbt_project.yml", "profiles.yml"
# A folder that holds one of these has no sources: a target of dbt, a virtual environment.
FOREIGN = frozenset({"partial_parse.msgpack", "pyvenv.cfg"})
PRINTED = "models: "
# Of the service: the folder of what is its own, in the project; its database there.
HOME, DATABASE = ".dbt_mview", "serve.db"


def database_url(given: str | None, home: Path) -> str:
    """Where the database is: SQLite in the home, if nothing else is said."""
    return given or f"sqlite:///{home / DATABASE}"


def project_dir(dbt_arguments: Sequence[str], environ: Mapping[str, str]) -> Path:
    """Finds the folder of the project, as dbt does.

    Args:
        dbt_arguments: what dbt is given.
        environ: the environment.

    Returns:
        What --project-dir says, else DBT_PROJECT_DIR, else the nearest folder from the current one
        upwards that holds a dbt_project.yml, else the current one.
    """
    if given := _given("project-dir", dbt_arguments, environ):
        return given
    here = Path.cwd()
    return next((place for place in (here, *here.parents) if (place / PROJECT_FILE).exists()), here)


def profiles_dir(dbt_arguments: Sequence[str], environ: Mapping[str, str]) -> Path:
    """Finds the folder of profiles.yml, as dbt does.

    Args:
        dbt_arguments: what dbt is given.
        environ: the environment.

    Returns:
        What --profiles-dir says, else DBT_PROFILES_DIR, else the current folder if it holds a
        profiles.yml, else ~/.dbt.
    """
    if given := _given("profiles-dir", dbt_arguments, environ):
        return given
    here = Path.cwd()
    return here if (here / PROFILES_FILE).exists() else Path.home() / ".dbt"


def _given(option: str, dbt_arguments: Sequence[str], environ: Mapping[str, str]) -> Path | None:
    """The folder that an option names: the last of the arguments, else of the environment."""
    found = None
    for word, after in pairwise([*dbt_arguments, ""]):
        name, is_joined, value = word.partition("=")
        if name == f"--{option}":
            found = value if is_joined else after
    variable = option.upper().replace("-", "_")
    # dbt 1.11 has the first of these, and prefers it.
    found = found or environ.get(f"DBT_ENGINE_{variable}") or environ.get(f"DBT_{variable}")
    return Path(found).absolute() if found else None


class Watch:
    """Notices that files of the project have changed, once all of a change is there.

    Compared are names, sizes and times of change of all that dbt reads, packages included. Folders
    that are hidden, targets of dbt and virtual environments are left out.
    """

    def __init__(
        self, project_dir: Path, profiles_dir: Path | None = None, quiet: float = 2.0
    ) -> None:
        """Takes the files as they are now for known.

        Args:
            project_dir: of the project.
            profiles_dir: of profiles.yml; None for one that is not watched.
            quiet: seconds for which nothing more may have changed: an editor, or git, writes one
                file after the other.
        """
        self._project_dir = project_dir
        self._profiles = None if profiles_dir is None else profiles_dir / PROFILES_FILE
        self._quiet = quiet
        self._since = 0.0
        self._known = self._seen = self._look()

    def settle(self) -> None:
        """Takes the files as they are now for known."""
        self._known = self._seen = self._look()

    def is_changed(self, now: float) -> bool:
        """Whether files are other than those that are known, and the same for a while.

        They are known from then on, so that each change is told once.

        Args:
            now: monotonic time in seconds.
        """
        files = self._look()
        if files != self._seen:
            self._seen, self._since = files, now
        if files == self._known or now - self._since < self._quiet:
            return False
        self._known = files
        return True

    def _look(self) -> frozenset[tuple[str, int, int]]:
        """Path, size and time of change of each file."""
        found = set(_sources(str(self._project_dir)))
        if self._profiles and self._profiles.exists():
            entry = self._profiles.stat()
            found.add((str(self._profiles), entry.st_size, entry.st_mtime_ns))
        return frozenset(found)


def _sources(root: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and time of change of each source below a folder.

    Links are followed, as a local package is one, but no folder is read twice.
    """
    folders, seen = [root], set()
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                # Of two ways to a folder it must be the same each time.
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # It was deleted meanwhile, or dbt cannot read it either.
        names = {entry.name for entry in inside}
        if names & FOREIGN and PROJECT_FILE not in names:
            continue
        for entry in inside:
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    # dbt has just begun to write it, and nothing in it tells what it is.
                    if entry.name == "target" and PROJECT_FILE in names:
                        continue
                    stat = entry.stat()
                    if (stat.st_dev, stat.st_ino) not in seen:
                        seen.add((stat.st_dev, stat.st_ino))
                        folders.append(entry.path)
                elif entry.name.endswith(SUFFIXES):
                    stat = entry.stat()
                    yield entry.path, stat.st_size, stat.st_mtime_ns
            except OSError:
                continue  # It was deleted meanwhile, or is a link to nothing.


@dataclass(frozen=True, slots=True)
class Table:
    """A table of state.

    Args:
        name: as SQL names it.
        location: its folder; None where it is not known.
    """

    name: str
    location: str | None


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of state.

    Args:
        views: of materialized views.
        logs: of materialized view logs; None where there is none.
    """

    views: Table
    logs: Table | None


@dataclass(frozen=True, slots=True)
class Source:
    """A table that a view reads, and waits for.

    Args:
        relation: its name.
        version: of it that the view has seen; None for none.
    """

    relation: str
    version: int | None


@dataclass(frozen=True, slots=True)
class Flashback:
    """How often track points are made and cleaned.

    Args:
        create: seconds between two.
        clean: seconds between two.
    """

    create: float
    clean: float


@dataclass(frozen=True, slots=True)
class Project:
    """What the parsed project says, and what goes with it.

    Args:
        name: of the project.
        target: of dbt.
        method: of its connection: session, thrift, http, ...
        names: by dbt's unique id of a model, the id of its view or log.
        models: its views and logs, by id.
        selects: by id, how dbt's --select names it; a refresh group is named whole.
        took: by id, seconds of the last refresh.
        sources: by id of a view that is due when they have changed.
        locations: by relation of a source, its folder; None if it is no Delta table.
        tables: of state.
        broken_after: failures after which a view is BROKEN.
        lease: seconds for which a lock holds.
        clock: of the engine, in microseconds since the epoch.
        flashback: None where it is disabled.
    """

    name: str
    target: str
    method: str
    names: dict[str, str]
    models: dict[str, m.Model]
    selects: dict[str, str]
    took: dict[str, float]
    sources: dict[str, tuple[Source, ...]]
    locations: dict[str, str | None]
    tables: Tables
    broken_after: int
    lease: float
    clock: int
    flashback: Flashback | None = None

    def reads(self, id_: str) -> tuple[str, ...]:
        """What a view reads, as far as it is known: views, and sources that it waits for.

        Args:
            id_: of the view, or of a log.
        """
        parents = self.models[id_].parents if id_ in self.models else ()
        sources = (one.relation for one in self.sources.get(id_, ()))
        return tuple(dict.fromkeys((*parents, *sources)))


def is_session(project: Project) -> bool:
    """Whether Spark runs in dbt's own process, so that one dbt at a time can run.

    Args:
        project: whose target it is.
    """
    return project.method == "session" and not os.environ.get("SPARK_REMOTE")


def models_of(lines: Sequence[str]) -> Project:
    """Reads what the operation `mview_models` of the dbt package has printed.

    Args:
        lines: that were printed; macros of the user may have printed others.

    Raises:
        ValueError: it is not there, or is not understood.
    """
    text = next((line for line in reversed(lines) if line.startswith(PRINTED)), None)
    if text is None:
        raise ValueError(
            "the operation mview_models has printed no models: is the package dbt_mview that the "
            "project uses older than this service? Run dbt deps with one of the same version"
        )
    try:
        return _project(json.loads(text[len(PRINTED) :]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"what the operation mview_models has printed is not understood ({error!r}): use one "
            "version of the package dbt_mview and of this service"
        ) from error


def _project(found: Mapping[str, Any]) -> Project:
    """Makes a project of the JSON."""
    models = {model["id"]: _model(model) for model in found["models"]}
    logs = found["tables"]["logs"]
    return Project(
        name=found["project"],
        target=found["target"],
        method=found["method"],
        names={model["node"]: model["id"] for model in found["models"]},
        models=models,
        selects={model["id"]: model["select"] for model in found["models"]},
        took={name: float(seconds) for name, seconds in found["took"].items()},
        sources={
            name: tuple(Source(one["relation"], one["version"]) for one in sources)
            for name, sources in found["sources"].items()
        },
        locations=dict(found["locations"]),
        tables=Tables(_table(found["tables"]["views"]), logs and _table(logs)),
        broken_after=int(found["broken_after"]),
        lease=float(found["lease"]),
        clock=int(found["clock"]),
        flashback=_flashback(found["flashback"]),
    )


def _model(found: Mapping[str, Any]) -> m.Model:
    """Makes a model of the JSON."""
    timeout = found["timeout"]
    return m.Model(
        id=found["id"],
        kind=found["kind"],
        group=found["group"],
        parents=tuple(found["parents"]),
        priority=int(found["priority"]),
        pool=found["pool"],
        timeout=None if timeout is None else round(timeout * SECOND),
    )


def _flashback(found: Mapping[str, Any]) -> Flashback | None:
    """Makes the periods of track points of the JSON."""
    if not found["enable"]:
        return None
    return Flashback(float(found["create_interval"]), float(found["clean_interval"]))


def _table(found: Mapping[str, Any]) -> Table:
    """Makes a table of the JSON."""
    return Table(found["name"], found["location"])
