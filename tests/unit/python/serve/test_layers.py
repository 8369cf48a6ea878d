"""The service from the bottom up: no module imports one that stands above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt_mview import serve

FOLDER = Path(serve.__file__).parent
# As the package lists them.
LAYERS = re.findall(r"^([a-z]\w*) +\S", (serve.__doc__ or "").partition("\n\n")[2], re.MULTILINE)
PACKAGE = "dbt_mview.serve"


def imported(module: str) -> Iterator[str]:
    """The modules of the service that one imports, wherever it does."""
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from [node.module.removeprefix(f"{PACKAGE}.")] * node.module.startswith(PACKAGE)
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names if name.name.startswith(f"{PACKAGE}.")]
            yield from (name.removeprefix(f"{PACKAGE}.") for name in names)


def test_each_module_is_listed_once() -> None:
    there = {file.stem for file in FOLDER.glob("*.py")} - {"__init__"}
    assert sorted(LAYERS) == sorted(there)


@pytest.mark.parametrize("module", LAYERS)
def test_a_module_imports_only_those_before_it(module: str) -> None:
    above = set(LAYERS[LAYERS.index(module) :])
    assert not above.intersection(imported(module))


def test_the_core_needs_nothing_that_waits() -> None:
    """Neither I/O nor threads nor a clock: a day of a cluster is played within a second."""
    core = LAYERS[: LAYERS.index("core") + 1]
    waits = {"asyncio", "os", "queue", "socket", "subprocess", "threading", "time"}
    for module in core:
        tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
        names = {
            name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
        }
        assert not waits.intersection(names - ({"time"} if module == "times" else set())), module
