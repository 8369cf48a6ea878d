"""One Spark session with Delta for all tests that ask for it; one dbt project per test module.

What needs Spark or dbt is imported where it is used: unit tests run without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.support.project import Project

pytest_plugins = ["tests.nightly.draw"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """What tests write down instead of comparing: golden texts, the points of tests/crash."""
    parser.addoption("--update-golden", action="store_true", help="rewrite what is compared")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The embedded engine."""
    from dbt_mview import engine
    from tests.support.quick import QUICK

    home = tmp_path_factory.mktemp("engine")
    # As dbt-spark has it from its first statement on: a view that is made before remembers.
    session = engine.session(home, {**QUICK, "spark.sql.ansi.enabled": "false"})
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def module_project(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Project]:
    """The project of one test module, in a schema of the module's name."""
    from tests.support.project import Project

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
    module_project.artifacts = False
    return module_project
