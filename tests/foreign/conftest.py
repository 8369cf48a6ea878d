"""What dbt-tests-adapter needs: a profile, the package installed, schemas dropped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.artifacts.schemas.run import RunExecutionResult
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt.tests import util
from dbt.tests.fixtures.project import *  # noqa: F403  (here only, not for all tests)
from dbt.tests.fixtures.project import TestProjInfo
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("filterwarnings", "ignore:Class-scoped fixtures defined as instance")


@pytest.fixture(scope="class", autouse=True)
def clean_schemas(spark: SparkSession, unique_schema: str) -> Iterator[None]:
    """Drops all schemas of a class after it: its own, the state's, those of models and clones."""
    yield
    for (schema,) in spark.sql(f"show schemas like '{unique_schema}*'").collect():
        spark.sql(f"drop schema `{schema}` cascade")


@pytest.fixture(scope="class")
def dbt_profile_target() -> dict[str, Any]:
    return {"type": "spark", "method": "session", "host": "NA", "threads": 4}


@pytest.fixture(scope="class")
def logs_dir(project_root: Any) -> Iterator[str]:
    """Beside the project, not in the working tree."""
    os.environ["DBT_LOG_PATH"] = str(project_root / "logs")
    yield os.environ["DBT_LOG_PATH"]
    del os.environ["DBT_LOG_PATH"]


@pytest.fixture(scope="class")
def packages() -> dict[str, Any]:
    return {"packages": [{"local": str(ROOT)}]}


@pytest.fixture(scope="class", autouse=True)
def install_packages(
    initialization: None,
    clean_up_logging: None,
    project_root: Any,
    profiles_root: Any,
    profiles_yml: Any,
    dbt_project_yml: Any,
    packages_yml: None,
    logs_dir: str,
) -> None:
    """`dbt deps`, before dbt-tests-adapter registers its adapter, which the command would reset."""
    where = ["--project-dir", str(project_root), "--profiles-dir", str(profiles_root)]
    result = dbtRunner().invoke(["--quiet", "deps", *where])
    assert result.success, result.exception


class ModelsOnly(dbtRunner):
    """dbt counts the package's two run hooks among the results, which the suite's classes count."""

    def invoke(self, args: list[str], **kwargs: Any) -> dbtRunnerResult:
        done = super().invoke(args, **kwargs)
        if isinstance(done.result, RunExecutionResult):
            hook = "dbt_mview-on-run-"
            models = [one for one in done.result if not one.node.name.startswith(hook)]
            done.result.results = models
        return done


@pytest.fixture(scope="class", autouse=True)
def models_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(util, "dbtRunner", ModelsOnly)
        yield


@pytest.fixture(scope="class", autouse=True)
def state_in_order(
    request: pytest.FixtureRequest, spark: SparkSession, unique_schema: str, install_packages: None
) -> Iterator[None]:
    """Each class has refreshed something through the package, and left no lock behind."""
    yield
    if getattr(request.cls, "builds_views", True):
        state = f"`{unique_schema}_mview`"
        done = f"select 1 from {state}.mview_refresh_hist where refresh_status = 'success'"
        assert spark.sql(done).count() > 0
        held = f"select * from {state}.mview_refresh_info where lock_owner is not null"
        assert spark.sql(held).collect() == []


def commits(project: TestProjInfo, relation: Any) -> list[Any]:
    """DESCRIBE HISTORY of a table, newest first."""
    return list(project.run_sql(f"describe history {relation}", fetch="all"))
