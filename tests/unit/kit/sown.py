"""A fault in one macro, for macros that run without dbt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.macros import Change

from . import harness
from .templates import MACROS, files_of_macros


def sow(change: Change, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """All that `Dbt` loads from now on has the change.

    Args:
        change: what is changed.
        monkeypatch: takes it back.
        place: a directory for the changed file.
    """
    file, text = change.changed(MACROS)
    sown = place / file.name
    sown.write_text(text, encoding="utf-8")
    files = {macro: sown if at == file else at for macro, at in files_of_macros().items()}
    monkeypatch.setattr(harness, "files_of_macros", lambda: files)
