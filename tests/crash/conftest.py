"""The server that scenes run on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbt_mview.thrift import ThriftServer, thrift_server
from tests.support.quick import INTERRUPTED

# Some remove files that a running refresh may need.
SETTINGS = {**INTERRUPTED, "spark.databricks.delta.retentionDurationCheck.enabled": "false"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    """One thrift server for all tests of a module."""
    with thrift_server(tmp_path_factory.mktemp("crash"), settings=SETTINGS) as running:
        yield running
