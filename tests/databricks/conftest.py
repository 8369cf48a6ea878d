"""A project of dbt-databricks on a local Spark. Without the adapter there is nothing to test."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

collect_ignore_glob = [] if find_spec("dbt.adapters.databricks") else ["test_*.py"]


@pytest.fixture(scope="session")
def databricks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project of dbt-databricks; its catalog is Spark's own, its SQL goes to the same Spark."""
    from pyspark.sql.connect.session import SparkSession

    from dbt_mview.thrift import HOST, connect_settings, free_port, thrift_server
    from tests.databricks import connection
    from tests.support import quick
    from tests.support.project import Project

    port = free_port()
    settings = {**quick.SERVER, **connect_settings(port)}
    target = {
        "type": "databricks",
        "catalog": "spark_catalog",
        "host": HOST,
        "http_path": "/sql/1.0/warehouses/local",
        "token": "none",
        "connection_parameters": {"address": f"sc://{HOST}:{port}"},
    }
    with (
        pytest.MonkeyPatch.context() as patch,
        thrift_server(tmp_path_factory.mktemp("databricks"), settings=settings),
    ):
        patch.setattr("databricks.sql.connect", connection.connect)
        session = SparkSession.builder.remote(f"sc://{HOST}:{port}").create()
        project = Project(tmp_path_factory.mktemp("project") / "p", "shop", session, target)
        project.program = "tests.databricks.dbt"
        yield project
        session.stop()
