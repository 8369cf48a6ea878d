"""One node whose worker runs Spark itself, with SQLite: `dbt-mview serve` is all there is."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from deltalake import DeltaTable

from dbt_mview import cli
from dbt_mview.engine import spark_settings
from tests.serve.service import PATIENCE, Node, until
from tests.support.project import ROOT, Project, ended
from tests.support.quick import QUICK, QUICK_COMPILER

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
SCHEMA = "alone"
ID = f"spark_catalog.{SCHEMA}.often"
FLASHBACK = {
    "dbt_mview:flashback_enable": True,
    "dbt_mview:flashback_window": 5,
    "dbt_mview:flashback_trackpoint_create_interval": 5,
    "dbt_mview:flashback_trackpoint_clean_interval": 10,
}
MACROS = """
{% macro say(sql) %} {% do run_query(sql) %} {% endmacro %}
"""


class Alone:
    """A project on an embedded Spark, and a node.

    Args:
        home: a directory for all of it.
    """

    def __init__(self, home: Path) -> None:
        self.engine = home / "engine"
        settings = {**spark_settings(self.engine), **QUICK}
        settings["spark.driver.extraJavaOptions"] += f" {QUICK_COMPILER}"
        target = {"method": "session", "host": "NA", "server_side_parameters": settings}
        self.project = Project(home / "p", SCHEMA, target=target)
        self.project.write("macros/say.sql", MACROS)
        self.project.configure(vars=FLASHBACK)
        self.project.model("often", "select unix_micros(now()) as n", schedule={"every": 5})
        self.dbt("run")
        places = self.project.where()[:4]
        env = {**self.project.env, "PYTHONPATH": str(ROOT)}
        self.node = Node("alone", home / "node", places, env)

    def dbt(self, *args: str) -> None:
        """Runs dbt in a process of its own."""
        process = self.project.start(*args)
        printed = ended(process)
        assert process.returncode == 0, printed

    def command(self, *words: str) -> str:
        """Runs a command of `dbt-mview`. Returns what it printed."""
        result = CliRunner().invoke(cli.main, [words[0], "--home", str(self.node.home), *words[1:]])
        assert result.exit_code == 0, result.output
        return result.output

    def view(self) -> dict[str, Any]:
        """What `status` says of the view."""
        (found,) = json.loads(self.command("status", "--json"))["views"]
        return dict(found)

    def refreshes(self) -> int:
        """How many refreshes have been begun."""
        return sum(ID in one["ids"] for one in self.node.events("started"))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table of state."""
        place = self.engine / "warehouse" / f"{SCHEMA}_mview.db" / table
        found: list[dict[str, Any]] = DeltaTable(place).to_pyarrow_table().to_pylist()
        return found

    def state(self) -> dict[str, Any]:
        """The row of the view."""
        (row,) = self.rows("mview_refresh_info")
        return dict(row)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Alone]:
    """A node that runs."""
    running = Alone(tmp_path_factory.mktemp("alone"))
    running.node.start()
    yield running
    if running.node.is_alive:
        running.node.signal_all(signal.SIGKILL)


def test_a_view_each_five_seconds(alone: Alone) -> None:
    until("three refreshes", lambda: len(alone.node.events("ended")) >= 3)
    assert {one["how"] for one in alone.node.events("ended")} == {"done"}
    assert alone.node.get("/readyz")[0] == 200
    assert alone.view()["node"] == "alone" and not alone.state()["failures"]


def test_track_points_are_made_and_cleaned(alone: Alone) -> None:
    """Beside the refreshes. Runs make track points, too; what is cleaned only the service says."""

    def readable(name: str) -> list[dict[str, Any]]:
        return [one for one in alone.rows("mview_flashback_info") if one["relation"] == name]

    until("a cleaning", lambda: readable("*"))
    assert ID in {one["relation"] for one in alone.rows("mview_trackpoints")}
    (kept,) = readable(ID)
    assert kept["guaranteed_since"] and not kept["reason"]
    assert alone.node.events("flashback") == [], "what fails is told"


def test_pause_run_and_resume(alone: Alone) -> None:
    assert "paused" in alone.command("pause", "often")
    until("it is paused", lambda: alone.view()["condition"] == "paused")
    until("the end of its last run", lambda: not alone.state()["lock_owner"])
    begun = alone.refreshes()
    time.sleep(12)
    assert alone.refreshes() == begun
    assert "resumed" in alone.command("resume", "often")
    until("it goes on", lambda: alone.refreshes() > begun)
    until("it is idle", lambda: alone.view()["condition"] == "idle", every=0.05)
    assert "queued" in alone.command("run", "often")


def test_settings(alone: Alone) -> None:
    alone.command("set", "fetch-interval=7s")
    until("a new setting", lambda: alone.node.events("settings"))
    status = json.loads(alone.command("status", "--json"))
    assert status["settings"]["fetch_interval"] == "7s" and status["settings"]["workers"] == "1"


def test_sigterm(alone: Alone) -> None:
    assert alone.node.stop(PATIENCE) == 0
    assert not alone.node.workers() and not alone.state()["lock_owner"]
    # Nobody has the metastore any more.
    alone.dbt("run-operation", "say", "--args", json.dumps({"sql": "select 1"}))
