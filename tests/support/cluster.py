"""A standalone Spark cluster on this machine: ``python -m tests.support.cluster``, or make cluster.

A master, two workers, two thrift servers that share one metastore in PostgreSQL, and one directory
of tables. Its tables lie on a local disk, where Delta's own log store keeps out the writers of one
JVM only; the servers have that of the tests (LinkLogStore.scala), which keeps out all.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from dbt_mview import thrift
from dbt_mview.engine import SHIPPED_WITH_SPARK, delta_package, home_directory
from tests.support import log_store
from tests.support.postgres import Postgres
from tests.support.quick import INTERRUPTED

PACKAGE = "org.apache.spark.deploy"
WORKERS = 2
SERVERS = 2
CORES = 2  # that each worker offers: one for each server
PATIENCE = 60.0  # seconds until a daemon answers


class Cluster:
    """A running cluster. Its daemons are processes of their own, which `stop` ends.

    Args:
        home: a directory for all of it.
        ports: where the thrift servers listen; free ports by default.

    Raises:
        TimeoutError: the master does not answer; its log is in home.
        thrift.ThriftServerError: a thrift server did not start.
    """

    def __init__(self, home: Path, ports: Sequence[int | None] = (None,) * SERVERS) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.daemons: list[subprocess.Popen[bytes]] = []
        self.servers: list[thrift.ThriftServer] = []
        self.metastore = Postgres(home)
        self.port = thrift.free_port()
        try:
            self.settings = self.of_a_server()
            at = ("--host", thrift.HOST, "--port", str(self.port), "--webui-port", "0")
            self.daemon("master.Master", "master", *at)
            for number in range(WORKERS):
                offers = ("--cores", str(CORES), "--memory", "1g", "--webui-port", "0")
                work = ("--work-dir", str(home / "work"), "--host", thrift.HOST)
                self.daemon("worker.Worker", f"worker-{number}", *offers, *work, self.master)
            for port in ports:
                self.servers.append(self.serve(port))
        except BaseException:
            self.stop()
            raise

    @property
    def master(self) -> str:
        """The address of the master."""
        return f"spark://{thrift.HOST}:{self.port}"

    def daemon(self, name: str, log: str, *args: str) -> None:
        """Starts a master or a worker, and waits until the master answers."""
        command = [str(thrift.spark_home() / "bin" / "spark-class"), f"{PACKAGE}.{name}", *args]
        env = {**thrift.environment(), "SPARK_DAEMON_MEMORY": "256m"}
        with (self.home / f"{log}.log").open("wb") as output:
            self.daemons.append(
                subprocess.Popen(
                    command,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            )
        end = time.monotonic() + PATIENCE
        while not thrift.answers(self.port):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.master} does not answer: see {self.home}/{log}.log")
            time.sleep(0.2)

    def of_a_server(self) -> dict[str, str]:
        """The settings of each thrift server; its log store is compiled here."""
        store = log_store.settings(self.home)
        metastore = self.metastore.settings()
        fetched = thrift.delta_jars(metastore["spark.jars.packages"], ",".join(SHIPPED_WITH_SPARK))
        jars = [*fetched, store["spark.driver.extraClassPath"]]
        return {
            **INTERRUPTED,
            **metastore,
            **store,
            "spark.master": self.master,
            "spark.cores.max": str(WORKERS),
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            # The driver has them on its class path; executors fetch what is named here.
            "spark.jars": ",".join(map(str, jars)),
        }

    def serve(self, port: int | None = None) -> thrift.ThriftServer:
        """Starts a thrift server."""
        server = thrift.start(self.home, port, settings=self.settings)
        if not self.servers:
            self.metastore.one_of_each_name()
        return server

    def stop(self) -> None:
        """Ends all of it."""
        for server in self.servers:
            server.kill()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()
        self.metastore.kill()


def main() -> None:
    """Runs a cluster until Ctrl-C."""
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda *_: sys.exit(0))
    home = home_directory() / "cluster"
    click.echo(f"starting a master, {WORKERS} workers, {SERVERS} thrift servers in {home}")
    cluster = Cluster(home, (thrift.DEFAULT_PORT, thrift.DEFAULT_PORT + 1))
    try:
        click.echo(f"{cluster.master} with {delta_package()}; dbt's thrift target has these ports:")
        for server in cluster.servers:
            click.echo(f"  {thrift.PORT_VARIABLE}={server.port} dbt run --target thrift")
        click.echo("Ctrl-C stops it")
        signal.pause()
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
