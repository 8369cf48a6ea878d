"""Unit tests: no engine, no dbt project; every test below this folder is marked `unit`.

Golden files are rewritten with ``pytest tests/unit --update-golden``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"


settings.register_profile("unit", deadline=None, derandomize=True, database=None, max_examples=150)
settings.load_profile("unit")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "unit: rendering and layout, needs no engine")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.unit)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with golden/<name>.sql, or writes that file with --update-golden."""
    update = request.config.getoption("--update-golden", default=False)

    def compare(name: str, text: str) -> None:
        file = GOLDEN / f"{name}.sql"
        text = text.rstrip("\n") + "\n"
        if update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return
        assert file.exists(), f"no {file.name}: run pytest tests/unit --update-golden, then read it"
        assert text == file.read_text(encoding="utf-8"), f"{file.name} differs"

    return compare
