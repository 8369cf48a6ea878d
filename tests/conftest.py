"""The one Spark session with Delta of each test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from dbt_mview import engine
from tests.support.quick import QUICK


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The embedded engine."""
    home = tmp_path_factory.mktemp("engine")
    session = engine.session(home, QUICK)
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
