"""What is around dbt and Spark fails: disks, clocks, people at the keyboard."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash import invariants
from tests.crash.death import Death, Way
from tests.crash.play import play
from tests.crash.scenes import SCENES, Audited, Complete, FastRows, Scene, on_server
from tests.support.project import Project

pytestmark = pytest.mark.crash


@pytest.fixture
def project(server: ThriftServer, tmp_path: Path, request: pytest.FixtureRequest) -> Project:
    """A project of the test's own."""
    schema = "env_" + "".join(one if one.isalnum() else "_" for one in request.node.name).lower()
    return on_server(server, tmp_path / "p", schema)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    yield from mounted(tmp_path / "disk")


def mounted(place: Path) -> Iterator[Path]:
    """A small disk at this place, for as long as it is used."""
    place.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Writes until the disk is full. Returns the file that fills it."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))
    return filler


def on(disk: Path, kind: type[Scene]) -> type[Scene]:
    """A scene whose view is on that disk."""

    class OnDisk(kind):  # type: ignore[misc, valid-type]
        def models(self) -> None:
            self.config = {**self.config, "location_root": str(disk)}
            super().models()

        def place(self, table: str) -> Path:
            return disk / table if table == "v" else super().place(table)

    return OnDisk


def begun(kind: type[Scene], project: Project, server: ThriftServer) -> Scene:
    """A scene after its first build, with something to do."""
    scene = kind(project, server.home / "warehouse")
    scene.begin()
    scene.reset()
    return scene


def fails_and_is_made_good(scene: Scene, undo: Any) -> None:
    """The command fails and says so, readers see the old, the lock is free; then it works."""
    old, new = scene.seen(), {view: scene.expected(view) for view in scene.views}
    ended = scene.dbt("run", ok=False)
    assert invariants.nothing_is_torn(scene, [old]) == old
    for view in scene.views:
        (row,) = scene.state("mview_refresh_info", view)
        assert row["last_refresh_result"] == "failed" and row["lock_owner"] is None, ended.log
        assert row["last_refresh_failed_reason"]
    undo()
    assert invariants.is_made_good(scene) == new


@pytest.mark.parametrize("kind", [Complete, FastRows])
def test_the_disk_is_full(
    kind: type[Scene], disk: Path, project: Project, server: ThriftServer
) -> None:
    """No room for the data of a view."""
    scene = begun(on(disk, kind), project, server)
    filler = fill(disk)
    fails_and_is_made_good(scene, filler.unlink)


@pytest.mark.parametrize("kind", [Complete, FastRows])
def test_no_room_for_the_commit(
    kind: type[Scene], project: Project, server: ThriftServer, tmp_path: Path
) -> None:
    """The data is written, its commit is not."""
    scene = begun(kind, project, server)
    log = scene.place("v") / "_delta_log"
    kept = tmp_path / "kept"
    shutil.copytree(log, kept)
    for small in mounted(log):
        shutil.copytree(kept, small, dirs_exist_ok=True)
        filler = fill(small)
        fails_and_is_made_good(scene, filler.unlink)


def test_a_table_that_may_not_be_written(
    disk: Path, project: Project, server: ThriftServer
) -> None:
    """Its directory is read-only."""
    scene = begun(on(disk, Audited), project, server)

    def remount(how: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)

    remount("ro")
    fails_and_is_made_good(scene, lambda: remount("rw"))


@pytest.mark.parametrize("way", [Way.CTRL_C, Way.HURRY, Way.TERM])
@pytest.mark.parametrize("step", ["stage", "publish"])
def test_somebody_stops_it(way: Way, step: str, project: Project, server: ThriftServer) -> None:
    """Ctrl-C once and twice, and the signal that containers send."""
    scene = SCENES["FastRows"](project, server.home / "warehouse")
    scene.begin()
    play(scene, Death(step, way))


@pytest.mark.parametrize("minutes", [-5, 5])
def test_the_clock_of_the_client_jumps(
    minutes: int, project: Project, server: ThriftServer
) -> None:
    """Locks and versions go by the engine's clock."""
    scene = begun(Complete, project, server)
    for scene.minutes in (minutes, 0):
        scene.change()
        new = {view: scene.expected(view) for view in scene.views}
        scene.dbt("run")
        assert scene.seen() == new
        invariants.all_is_well(scene)
        invariants.nothing_more_happens(scene)
