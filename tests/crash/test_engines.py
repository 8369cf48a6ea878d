"""Two Sparks on one metastore, and what goes wrong between them.

make crash CRASH=test_engines
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash import invariants, lake
from tests.crash.death import Death, Way
from tests.crash.engines import Engines, freeze, thaw
from tests.crash.play import LOSES
from tests.crash.process import Ended, Running
from tests.crash.scenes import FAST, SCENES, Audited, Complete, FastRows, Scene, on_server
from tests.support.session import Session

pytestmark = pytest.mark.crash

ROUNDS = int(os.environ.get("ROUNDS", "50"))


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Two Sparks."""
    shared = Engines(tmp_path_factory.mktemp("engines"))
    shared.running.append(shared.start())
    yield shared
    shared.stop()


class Crowd(Complete):
    """A view refreshed COMPLETE, one that follows the changes, and a log."""

    views = ("v", "w")
    logs = ("l",)
    tables = frozenset({"src", "v", "w", "l"})
    queries: Mapping[str, str] = {"v": Complete.query, "w": FastRows.query}

    @property
    def watched(self) -> tuple[str, ...]:
        return self.views

    def models(self) -> None:
        super().models()
        self.project.model("w", self.at_schema(self.queries["w"]), **FAST)
        body = self.at_schema("select id, k, n from @.src")
        self.project.model("l", body, materialized="materialized_view_log")

    def expected(self, view: str, at: int | None = None) -> lake.Rows:
        query = self.queries[view].replace("@.src", "src")
        return lake.query(query, at, src=self.place("src"))


def begun(kind: type[Scene], engines: Engines, root: Path, name: str) -> Scene:
    """A scene after its first build, on the first engine; `--target other` is the second one."""
    first, second = engines.running
    project = on_server(first, root / "p", name)
    project.target("other", port=second.port)
    scene = kind(project, engines.warehouse)
    scene.begin()
    return scene


def test_four_at_once(engines: Engines, tmp_path: Path) -> None:
    """Each time one wins, the others skip or say who was quicker; nothing is ever wrong."""
    scene = begun(Crowd, engines, tmp_path, "crowd")
    other = ("--target", "other")
    commands = (
        ("run",),
        ("run", *other),
        ("run-operation", "mview_refresh", "--args", "{view: v}"),
        ("run-operation", "mlog_purge", "--args", "{log: l, batch_size: 3}", *other),
    )
    for turn in range(ROUNDS):
        scene.change()
        known = {view: set(lake.refreshes(scene.place(view))) for view in scene.views}
        started = [scene.launch(*command) for command in commands]
        ended = [running.end() for running in started]
        for one in ended:
            assert one.success or any(why in one.log for why in LOSES), f"{turn}: {one.log}"
        for view in scene.views:
            published = set(lake.refreshes(scene.place(view))) - known[view]
            by_runs = published & (ended[0].published | ended[1].published)
            assert len(by_runs) <= 1, f"{turn}: {view} was refreshed twice\n{logs(ended)}"
        if not all(one.success for one in ended[:2]):
            scene.dbt("run")
        for view in scene.views:
            assert scene.seen_of(view) == scene.expected(view), f"{turn}: {view}\n{logs(ended)}"
        invariants.all_is_well(scene)
    scene.dbt("run")
    invariants.nothing_more_happens(scene)


def logs(ended: list[Ended]) -> str:
    """What several commands printed."""
    return "\n".join(one.log for one in ended)


def held(scene: Scene, engines: Engines) -> Running:
    """A run whose publish has written its data and waits for its commit."""
    running = scene.launch("run", death=Death("publish", Way.STANDS))
    running.stands()
    files = set(scene.place("v").rglob("*.parquet"))
    (engines.hold / "v").touch()
    running.go_on()
    until(lambda: set(scene.place("v").rglob("*.parquet")) != files)
    return running


def connect(scene: Scene, engine: ThriftServer) -> None:
    """The scene looks at its tables through this engine."""
    scene.project.spark = Session(engine.port)


def until(is_so: Callable[[], bool]) -> None:
    """Waits until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "it never was so"
        time.sleep(0.01)


@pytest.mark.parametrize("kind", [Complete, Audited, FastRows])
def test_an_engine_that_wakes_up_late(kind: type[Scene], engines: Engines, tmp_path: Path) -> None:
    """It stands still in the middle of its publish, for longer than its lease; another engine takes
    over meanwhile."""
    scene = begun(kind, engines, tmp_path, f"late_{kind.__name__.lower()}")
    scene.reset()
    zombie = held(scene, engines)
    freeze(engines.running[0])
    (engines.hold / "v").unlink()
    connect(scene, engines.running[1])
    scene.free(recover=False)
    scene.dbt("run", "--target", "other")
    new = scene.expected("v")
    assert scene.seen_of("v") == new
    thaw(engines.running[0])
    ended = zombie.end()
    assert not ended.success, ended.log
    assert scene.seen_of("v") == new
    assert not ended.published & set(lake.refreshes(scene.place("v")))
    invariants.is_made_good(scene)


def test_an_engine_that_is_dead(engines: Engines, tmp_path: Path) -> None:
    """It is killed in the middle of its publish; another engine takes over."""
    scene = begun(FastRows, engines, tmp_path, "dead")
    scene.reset()
    old = scene.seen()
    running = held(scene, engines)
    engines.running[0].kill()
    (engines.hold / "v").unlink()
    assert not running.end().success
    connect(scene, engines.running[1])
    assert scene.seen() == old
    scene.free(recover=False)
    scene.dbt("run", "--target", "other")
    engines.running[0] = engines.start(engines.running[0].port)
    invariants.is_made_good(scene)


def test_a_slow_disk(engines: Engines, tmp_path: Path) -> None:
    """A commit takes longer than the lease. Another run takes over while it is being written: which
    of the two commits comes first decides, and either is right."""
    scene = begun(Complete, engines, tmp_path, "slow")
    scene.reset()
    old, new = scene.seen(), {"v": scene.expected("v")}
    since = {"v": lake.version(scene.place("v"))}
    slow = held(scene, engines)
    scene.free(recover=False)
    second = scene.launch("run", "--target", "other", death=Death("fence", Way.STANDS))
    second.stands()
    second.go_on()
    time.sleep(3)
    (engines.hold / "v").unlink()
    one, two = slow.end(), second.end()
    assert two.success, two.log
    assert one.success or not one.published & set(lake.refreshes(scene.place("v"))), one.log
    assert scene.seen() == new
    invariants.readers_saw_nothing_else(scene, since, [old, new])
    invariants.all_is_well(scene)
    invariants.nothing_more_happens(scene)


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("name", ["FirstBuild", "Complete", "FastRows", "OverView"])
def test_the_metastore_is_gone(
    name: str, committed: bool, engines: Engines, tmp_path: Path
) -> None:
    """PostgreSQL ends before the publish, or when all but its commit is done."""
    scene = begun(SCENES[name], engines, tmp_path, f"gone_{name.lower()}_{committed}".lower())
    scene.reset()
    old, new = scene.seen(), {"v": scene.expected("v")}
    running = scene.launch("run", death=Death("publish", Way.STANDS))
    running.stands()
    if committed:
        (engines.hold / "v").touch()
        running.go_on()
        time.sleep(3)
    engines.metastore.kill()
    (engines.hold / "v").unlink(missing_ok=True)
    if not committed:
        running.go_on()
    ended = running.end()
    engines.metastore.start()
    connect(scene, engines.running[0])
    unknown = invariants.unknown_to_the_catalog(scene)
    invariants.nothing_is_torn(scene, scene.allowed(old, new))
    invariants.nothing_is_denied(scene, ended)
    scene.free(recover=False)
    invariants.is_made_good(scene, unknown=unknown or None)
