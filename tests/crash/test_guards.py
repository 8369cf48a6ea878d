"""Negative controls: the matrix is able to fail.

Each guard is taken out of the macros, as somebody could do it by mistake; the cell that is named
must fail then. With the macros as they are it passes: test_matrix.py has it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash.cells import Cell, cells
from tests.crash.guards import GUARDS
from tests.crash.play import play
from tests.crash.scenes import SCENES, on_server
from tests.support.project import ROOT, copy_package


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package."""
    return copy_package(tmp_path / "package")


@pytest.mark.unit
@pytest.mark.parametrize("name", GUARDS)
def test_the_guard_and_its_cell_are_there(name: str) -> None:
    """Macros change, and what looks for their text must not find nothing, unseen."""
    guard = GUARDS[name]
    guard.change.changed(ROOT / "macros")
    assert Cell(guard.scene, guard.death) in cells()


@pytest.mark.crash
@pytest.mark.parametrize("name", GUARDS)
def test_without_the_guard_the_cell_fails(
    name: str, server: ThriftServer, package: Path, tmp_path: Path
) -> None:
    """And says what was to be expected without it."""
    guard = GUARDS[name]
    schema = f"guard_{list(GUARDS).index(name)}"
    project = on_server(server, tmp_path / "p", schema, package)
    scene = SCENES[guard.scene](project, server.home / "warehouse")
    scene.begin()
    guard.change.apply(package / "macros")
    scene.parse()
    with pytest.raises(AssertionError, match=guard.shows):
        play(scene, guard.death)
