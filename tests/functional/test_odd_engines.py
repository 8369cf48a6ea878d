"""Engines that are not set up as they should be: what the first run says, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_mview.engine import spark_settings
from tests.support.project import ROOT, Project, ended
from tests.support.quick import QUICK

pytestmark = [pytest.mark.nightly, pytest.mark.spark]

NO_DELTA = ("spark.sql.extensions", "spark.sql.catalog.spark_catalog", "spark.jars.packages")
OF_SPARK_4_0 = {"spark.jars.packages": "io.delta:delta-spark_2.13:4.0.1"}
# What differs from a good session (None: the setting is missing), and what is said.
ODD: dict[str, tuple[dict[str, str | None], str]] = {
    "no_delta": (dict.fromkeys(NO_DELTA), "spark.sql.extensions is not set"),
    "no_jar": ({"spark.jars.packages": None}, "Cannot find catalog plugin class"),
    "no_extension": ({"spark.sql.extensions": None}, "spark.sql.extensions is not set"),
    "delta_of_another_spark": (dict(OF_SPARK_4_0), "NoClassDefFoundError"),
    "no_scripts": ({"spark.sql.scripting.enabled": "false"}, "SQL_SCRIPTING"),
    "no_rights": ({"spark.sql.warehouse.dir": "/proc/none"}, "Unable to create database"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_engine_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    """The engine's own error, which docs/operations.md explains by the same words."""
    differs, says = ODD[name]
    settings = {**spark_settings(tmp_path / "engine"), **QUICK, **differs}
    given = {key: value for key, value in settings.items() if value is not None}
    target = {"method": "session", "host": "NA", "server_side_parameters": given}
    project = Project(tmp_path / "p", "odd", target=target)
    project.model("v", "select 1 as id")
    process = project.start("run")
    printed = ended(process)
    assert process.returncode and says in printed, printed
    assert says in (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
