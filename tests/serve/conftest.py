"""Three nodes on two dozen views and three logs, for the long tests of what may happen to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.service import Service


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The project on its engine; no node runs."""
    running = Service(tmp_path_factory.mktemp("served"), is_long=True)
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def service(built: Service) -> Iterator[Service]:
    """Three nodes, whose end is part of each test."""
    built.set_pace(0)
    built.start()
    yield built
    built.end_well()
