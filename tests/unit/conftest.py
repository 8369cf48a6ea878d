"""Unit tests: no engine, no dbt project; every test below this folder is marked `unit`.

Golden files are rewritten with ``pytest tests/unit --update-golden``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.golden import Golden

HERE = Path(__file__).resolve().parent


settings.register_profile("unit", deadline=None, derandomize=True, database=None, max_examples=150)
settings.load_profile("unit")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "unit: rendering and layout, needs no engine")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.unit)


GOLDEN = pytest.StashKey[Golden]()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text or a transcript with its golden file, or writes it with --update-golden."""
    config = request.config
    update = config.getoption("--update-golden")
    assert not (update and hasattr(config, "workerinput")), "golden files are written by one worker"
    return config.stash.setdefault(GOLDEN, Golden(update))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the transcripts that were collected."""
    if found := session.config.stash.get(GOLDEN, None):
        found.finish()
