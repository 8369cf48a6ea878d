"""One dbt project per test module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.support.project import Project


@pytest.fixture(scope="module")
def module_project(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Project]:
    """The project of one test module, in a schema of the module's name."""
    name = request.module.__name__.rsplit(".", 1)[-1]
    project = Project(tmp_path_factory.mktemp(name) / "p", name, spark)
    spark.sql(f"create schema if not exists {name}")
    yield project
    project.drop()


@pytest.fixture
def project(module_project: Project) -> Any:
    """The module's project without the models of the test before."""
    module_project.forget()
    module_project.configure()
    return module_project
