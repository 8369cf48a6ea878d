"""The engine is killed while it writes: before it wrote, between its files and its commit, after
its commit. dbt lives on without it; a new engine on the same tables finds what is there.

    make crash CRASH="engine_dies and FastRows"
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest

from dbt_mview import thrift
from tests.crash import invariants, lake
from tests.crash.scenes import SCENES, Fails, Scene, on_server
from tests.support.quick import INTERRUPTED
from tests.support.session import Session

pytestmark = pytest.mark.crash
# However much memory this machine gives: the glutton needs more.
SETTINGS = {**INTERRUPTED, "spark.driver.memory": "2g"}

TRIES = 4  # the window between a file and its commit is milliseconds wide
STATE_OF = {"acquire": "mview_refresh_info", "record": "mview_refresh_info"}


class Moment(str, Enum):
    """When the engine is killed."""

    WRITTEN = "written"  # a data file is there, its commit is not
    COMMITTED = "committed"  # the commit is there; catalog and client may not know
    __str__ = str.__str__


@dataclass(frozen=True)
class Blow:
    """One cell: the table whose write is met, and when."""

    scene: str
    step: str
    moment: Moment

    @property
    def name(self) -> str:
        """The name under which it can be run alone."""
        return f"{self.scene}-{self.step}-{self.moment}"


BLOWS = [
    Blow(scene, step, moment)
    for scene, steps in {
        "FirstBuild": "acquire publish record",
        "Complete": "acquire publish record",
        "NewSchema": "publish",
        "Audited": "stage publish",
        "FastRows": "stage publish record",
        "OverView": "publish",
        "Capture": "capture",
    }.items()
    for step in steps.split()
    for moment in Moment
]


class Engine:
    """A thrift server that is killed and started again on the same tables."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.server = thrift.start(home, settings=SETTINGS)

    def restart(self) -> None:
        """After its death."""
        self.server = thrift.start(self.home, self.server.port, settings=SETTINGS)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One engine at a time for all cells."""
    running = Engine(tmp_path_factory.mktemp("engine"))
    yield running
    running.server.stop()


@pytest.fixture(scope="module")
def scene_of(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Scene]:
    """The scenes, each begun when its first cell asks for it."""
    begun: dict[str, Scene] = {}
    count = itertools.count()

    def scene(name: str) -> Scene:
        if name not in begun or begun[name].broken:
            root = tmp_path_factory.mktemp("dies") / "p"
            schema = f"dies_{name.lower()}_{next(count)}"
            project = on_server(engine.server, root, schema)
            begun[name] = SCENES[name](project, engine.home / "warehouse")
            begun[name].begin()
        return begun[name]

    return scene


class Watch(threading.Thread):
    """Kills the engine when the moment of a blow has come. It looks every half millisecond."""

    told: Path  # where dbt tells what it comes by, known when it runs

    def __init__(self, scene: Scene, blow: Blow, server: thrift.ThriftServer) -> None:
        super().__init__(daemon=True)
        self.scene, self.blow, self.server = scene, blow, server
        self.struck = self.over = False

    def places(self) -> list[Path]:
        """The directories of the tables that the step writes."""
        state = self.scene.warehouse / f"{self.scene.project.state}.db"
        if self.blow.step in STATE_OF:
            return [state / STATE_OF[self.blow.step]]
        if self.blow.step == "stage":
            return sorted(state.glob("mview_stage_*"))
        beside = sorted(self.scene.place("v").parent.glob("dbt_mview_*"))
        return [self.scene.place(table) for table in self.scene.watched] + beside

    def known(self, place: Path) -> set[Path]:
        """The files of a table that tell of the moment."""
        if self.blow.moment == Moment.WRITTEN:
            return {file for file in place.rglob("*.parquet") if "_delta_log" not in file.parts}
        return set(place.glob("_delta_log/*.json"))

    def run(self) -> None:
        """Waits for the step to be sent, then for a file that was not there."""
        while not self.over and f'"point": "{self.blow.step}"' not in self.told.read_text():
            time.sleep(0.0005)
        before = {place: self.known(place) for place in self.places()}
        while not self.over:
            if any(self.known(place) - before.get(place, set()) for place in self.places()):
                self.server.kill()
                self.struck = True
                return
            time.sleep(0.0005)


def versions(watch: Watch) -> dict[Path, int]:
    """The versions of all tables that the step writes."""
    return {place: lake.version(place) for place in watch.places()}


@pytest.mark.parametrize("blow", [pytest.param(blow, id=blow.name) for blow in BLOWS])
def test_engine_dies(blow: Blow, scene_of: Callable[[str], Scene], engine: Engine) -> None:
    """Old or new, and the next run on the new engine makes it good."""
    scene = scene_of(blow.scene)
    scene.broken = True
    for _ in range(TRIES):
        if strike(blow, scene, engine):
            break
        scene.project.spark = Session(engine.server.port)
    else:
        raise AssertionError(f"{blow.name} was not reached in {TRIES} tries")
    scene.broken = False


def strike(blow: Blow, scene: Scene, engine: Engine) -> bool:
    """One try. Returns whether the moment was met; what must hold is checked in any case."""
    scene.reset()
    old = scene.seen()
    new = {table: scene.expected(table) for table in scene.watched}
    watch = Watch(scene, blow, engine.server)
    before = versions(watch)
    acquired = 1 if blow.step == "record" else 0  # commits on the same table before it
    # dbt is forked before the thread begins: a fork takes no other thread along.
    running = scene.launch(*scene.args)
    watch.told = running.told
    watch.start()
    ended = running.end()
    watch.over = True
    watch.join()
    if not watch.struck:
        return False
    after = versions(watch)
    is_committed = any(after[place] > before.get(place, -1) + acquired for place in after)
    met = is_committed == (blow.moment == Moment.COMMITTED)
    engine.restart()
    scene.project.spark = Session(engine.server.port)
    unknown = invariants.unknown_to_the_catalog(scene)
    pictures = scene.allowed(old, new)
    invariants.nothing_is_torn(scene, pictures)
    invariants.nothing_is_denied(scene, ended)
    scene.free(recover=len(blow.name) % 2 == 0)
    invariants.is_made_good(scene, unknown=unknown)
    return met


class Glutton(Fails):
    """A query that needs more memory than there is, for one bad row."""

    def models(self) -> None:
        checked = "if(max(n) > 999, length(repeat('x', max(n) * 2000000)), max(n))"
        query = self.at_schema(self.query.replace("max(n)", checked))
        self.project.model("v", query, **self.config)


def test_out_of_memory(engine: Engine, tmp_path: Path) -> None:
    """The query of a view takes all memory: the engine says so or ends itself, readers see the old,
    and once the row is gone and the engine back all is as it should be."""
    project = on_server(engine.server, tmp_path / "p", "glutton")
    scene = Glutton(project, engine.home / "warehouse")
    scene.begin()
    scene.reset()
    old = scene.seen()
    ended = scene.dbt("run", ok=False)
    if engine.server.is_running:
        assert "OutOfMemoryError" in ended.log, ended.log
    else:
        engine.restart()
        scene.project.spark = Session(engine.server.port)
    assert scene.seen() == old, ended.log
    invariants.nothing_is_denied(scene, ended)
    scene.free(recover=True)
    invariants.is_made_good(scene)
