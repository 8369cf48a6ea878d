"""Every cell of the matrix, one after the other, on one server.

make crash                                       all of them
make crash CRASH="TestFastGroups and publish-lost"    one of them
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash.cells import POINTS, Cell, cells, points, written
from tests.crash.play import leaves_traces, play
from tests.crash.scenes import SCENES, Scene, on_server

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def scene_of(
    server: ThriftServer, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Scene]:
    """The scenes, each begun when its first cell asks for it."""
    begun: dict[str, Scene] = {}
    count = itertools.count()

    def scene(name: str) -> Scene:
        if name not in begun or begun[name].broken:
            schema = f"crash_{name.lower()}_{next(count)}"
            begun[name] = begin(name, schema, server, tmp_path_factory.mktemp("crash"))
        return begun[name]

    return scene


def begin(name: str, schema: str, server: ThriftServer, root: Path) -> Scene:
    """One scene with a project and a schema of its own."""
    scene = SCENES[name](on_server(server, root / "p", schema), server.home / "warehouse")
    scene.begin()
    return scene


class Matrix:
    """The cells of one scene."""

    scene: str

    def test_points_are_all_known(
        self, scene_of: Callable[[str], Scene], request: pytest.FixtureRequest
    ) -> None:
        """A statement that is not in points.txt has no cell."""
        scene = scene_of(self.scene)
        scene.reset()
        ended = scene.dbt(*scene.args, ok=not scene.fails)
        scene.repair()
        scene.free(recover=True)
        if request.config.getoption("--update-golden"):
            rewrite(self.scene, ended.points)
        assert points()[self.scene] == ended.points

    def test_cell(self, cell: Cell, scene_of: Callable[[str], Scene]) -> None:
        """Old or new whatever dies, and the next run makes it good."""
        play(scene_of(cell.scene), cell.death)


def rewrite(name: str, steps: list[tuple[str, str]]) -> None:
    """Writes the points of one scene."""
    known = {**(points() if POINTS.exists() else {}), name: steps}
    lines = [written(one, known[one]) for one in SCENES if one in known]
    POINTS.write_text("\n".join(lines) + "\n")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each scene has its own cells."""
    if "cell" in metafunc.fixturenames:
        mine = [cell for cell in cells() if cell.scene == metafunc.cls.scene]
        mine.sort(key=lambda cell: leaves_traces(cell.death))
        named = [pytest.param(cell, id=cell.short_name) for cell in mine]
        metafunc.parametrize("cell", named)


# A class for each scene: all cells of one stay on one engine.
for _scene in SCENES:
    globals()[f"Test{_scene}"] = type(f"Test{_scene}", (Matrix,), {"scene": _scene})
