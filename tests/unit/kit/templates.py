"""The package's macro files as templates, found by the names of macros."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from dbt_common.clients.jinja import get_environment
from dbt_common.exceptions.macros import MacroReturn
from jinja2 import StrictUndefined, Template

ROOT = Path(__file__).resolve().parents[3]
MACROS = ROOT / "macros"
PREFIX = "dbt_macro__"
MACRO = re.compile(r"{%-?\s*(macro|materialization|test)\s+(\w+)(?:, adapter ?= ?\"(\w+)\")?")


@functools.cache
def _environment() -> Any:
    environment = get_environment()
    environment.undefined = StrictUndefined
    return environment


def macro_files() -> list[Path]:
    """All macro files of the package."""
    return sorted(MACROS.rglob("*.sql"))


@functools.cache
def files_of_macros() -> dict[str, Path]:
    """The file of each macro, materialization and generic test, by the name that Jinja gives it."""
    files: dict[str, Path] = {}
    for file in macro_files():
        for kind, name, adapter in MACRO.findall(file.read_text()):
            prefixed = {
                "test": f"test_{name}",
                "materialization": f"materialization_{name}_{adapter}",
            }
            name = prefixed.get(kind, name)
            assert name not in files, f"two macros named {name}"
            files[name] = file
    return files


@functools.cache
def template(file: Path) -> Template:
    """A macro file, compiled."""
    found: Template = _environment().from_string(file.read_text())
    return found


def rendered(text: str, context: dict[str, Any]) -> str:
    """What dbt calls `render`."""
    found: str = _environment().from_string(text).render(context)
    return found


def give_back(value: Any) -> None:
    """What dbt calls `return`."""
    raise MacroReturn(value)


@functools.cache
def state_layout() -> dict[str, Any]:
    """The layout of state: its version, and the columns of each table with their types."""
    module = template(files_of_macros()["_state_layout"]).make_module({"return": give_back})
    try:
        getattr(module, f"{PREFIX}_state_layout")()
    except MacroReturn as returned:
        found: dict[str, Any] = returned.value
    return found


def columns_of_state(table: str) -> list[str]:
    """The columns of a state table, its key first."""
    return [name for name, _ in state_layout()["tables"][table]]
