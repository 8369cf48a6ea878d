"""The targets: how each is started, how dbt reaches it, how its engine dies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbt_mview import thrift
from dbt_mview.engine import spark_settings
from tests.support.cluster import Cluster
from tests.support.quick import INTERRUPTED, QUICK, QUICK_COMPILER


class Target:
    """An engine that runs, and what dbt needs to reach it.

    Args:
        home: a directory for all of it.
    """

    program = "tests.support.dbt"  # how dbt is started
    # The steps that it has no means for.
    lacks: frozenset[str] = frozenset()

    def __init__(self, home: Path) -> None:
        self.home = home

    @property
    def output(self) -> Mapping[str, Any]:
        """The output of profiles.yml."""
        raise NotImplementedError

    @property
    def env(self) -> Mapping[str, str]:
        """What dbt has in its environment."""
        return {}

    def two(self) -> list[dict[str, str]]:
        """The environments of two runs at once."""
        return [dict(self.env), dict(self.env)]

    def die(self) -> None:
        """kill -9 of the engine."""
        raise NotImplementedError

    def rise(self) -> None:
        """The engine is started again."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ends it."""


class Session(Target):
    """An embedded Spark in each dbt's own process."""

    lacks = frozenset({"server_dies", "two_at_once"})  # one Spark at a time: Derby

    @property
    def output(self) -> Mapping[str, Any]:
        settings = {**spark_settings(self.home), **QUICK}
        settings["spark.driver.extraJavaOptions"] += f" {QUICK_COMPILER}"
        return {"method": "session", "host": "NA", "server_side_parameters": settings}


class Thrift(Target):
    """A thrift server."""

    settings: Mapping[str, str] = INTERRUPTED

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.server = thrift.start(home, settings=self.settings)

    @property
    def output(self) -> Mapping[str, Any]:
        return {"method": "thrift", "host": thrift.HOST, "port": self.server.port}

    def die(self) -> None:
        self.server.kill()

    def rise(self) -> None:
        self.server = thrift.start(self.home, self.server.port, settings=self.settings)

    def stop(self) -> None:
        self.server.stop()


class Connect(Thrift):
    """The same server, by Spark Connect."""

    def __init__(self, home: Path) -> None:
        self.port = thrift.free_port()
        self.settings = {**INTERRUPTED, **thrift.connect_settings(self.port)}
        super().__init__(home)

    @property
    def output(self) -> Mapping[str, Any]:
        return {"method": "session", "host": "NA"}

    @property
    def env(self) -> Mapping[str, str]:
        # A client that started a Spark of its own would find no Java.
        return {"SPARK_REMOTE": f"sc://{thrift.HOST}:{self.port}", "JAVA_HOME": "/nowhere"}


class OnCluster(Target):
    """A standalone cluster; runs take turns on its two thrift servers."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.cluster, self.turn = Cluster(home), 0

    @property
    def output(self) -> Mapping[str, Any]:
        port = "{{ env_var('DBT_MVIEW_THRIFT_PORT') | int }}"
        return {"method": "thrift", "host": thrift.HOST, "port": port}

    @property
    def env(self) -> Mapping[str, str]:
        self.turn += 1
        living = [server for server in self.cluster.servers if server.is_running]
        return {thrift.PORT_VARIABLE: str(living[self.turn % len(living)].port)}

    def die(self) -> None:
        self.cluster.servers[self.turn % len(self.cluster.servers)].kill()

    def rise(self) -> None:
        # The other one goes on: what the dead one left is recovered from there.
        self.cluster.servers = [one for one in self.cluster.servers if one.is_running]

    def stop(self) -> None:
        self.cluster.stop()


class Databricks(Connect):
    """The same server, through dbt-databricks, whose connection to Databricks leads there."""

    program = "tests.databricks.dbt"

    @property
    def output(self) -> Mapping[str, Any]:
        return {
            "type": "databricks",
            "catalog": "spark_catalog",
            "host": thrift.HOST,
            "http_path": "/sql/1.0/warehouses/local",
            "token": "none",
            "connection_parameters": {"address": f"sc://{thrift.HOST}:{self.port}"},
        }

    @property
    def env(self) -> Mapping[str, str]:
        return {}


TARGETS: dict[str, type[Target]] = {
    "session": Session,
    "thrift": Thrift,
    "connect": Connect,
    "cluster": OnCluster,
    "databricks": Databricks,
}
