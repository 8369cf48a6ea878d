"""The scheduler at work: month after month of flights arrives, and the views follow.

A Spark thrift server is started for the loader, which uses it by Spark Connect, and for
`dbt-mview serve`, whose dbt uses it by thrift. Ctrl-C ends the service first, then the server.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click
from load import HERE, deliver
from pyspark.sql import SparkSession
from rich.console import Console

from dbt_mview import engine, thrift

HOME = HERE / ".engine" / "serve"
LOGS = HERE / "logs"
BIN = Path(sys.executable).parent

console = Console(highlight=False)


class Stopped(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM."""


@click.command(help=__doc__)
@click.option("--every", default=20.0, show_default=True, help="Seconds between two deliveries.")
@click.option("--until", type=float, help="Seconds after the last delivery at which it ends.")
@click.option("--listen", default="127.0.0.1:8580", show_default=True, help="Of the page.")
def main(every: float, until: float | None, listen: str) -> None:
    """Start all, deliver, and wait for Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    shutil.rmtree(HOME, ignore_errors=True)
    LOGS.mkdir(exist_ok=True)
    port, connect = thrift.free_port(), thrift.free_port()
    env = {**os.environ, engine.HOME_VARIABLE: str(HOME), thrift.PORT_VARIABLE: str(port)}
    try:
        with console.status("starting a Spark thrift server"):
            server = thrift.start(HOME, port, settings=thrift.connect_settings(connect))
    except thrift.ThriftServerError as error:
        raise click.ClickException(str(error)) from error
    service = None
    with ExitStack() as ends:
        ends.callback(server.stop)
        try:
            spark = SparkSession.builder.remote(f"sc://{thrift.HOST}:{connect}").getOrCreate()
            # Else PySpark looks for the server for minutes, at the end of this process.
            ends.callback(spark.stop)
            console.rule("January arrives, and dbt run builds the views once")
            deliver(spark, [1], console=console)
            build(env)
            console.rule(f"dbt-mview serve: http://{listen}   (Ctrl-C ends it)")
            service = start_service(env, listen)
            ends.callback(stop_service, service)
            for month in range(2, 13):
                wait(service, every)
                console.rule(f"month {month} arrives")
                deliver(spark, [month], console=console)
            wait(service, every)
            console.rule("corrections of the earlier months arrive; then no more")
            deliver(spark, corrections=True, console=console)
            wait(service, until)
        except Stopped:
            console.rule("stopping")
    if service is not None and service.returncode:
        raise click.ClickException(f"the service ended with exit code {service.returncode}")
    console.print("[bold green]All has ended.[/]")


def _stop(*_: object) -> None:
    """Ends whatever is waited for."""
    raise Stopped


def build(env: Mapping[str, str]) -> None:
    """Builds all once: what has never been built has no plan."""
    commands = [["run", "--target", "thrift"]]
    if not (HERE / "dbt_packages" / "dbt_mview").exists():
        commands.insert(0, ["deps"])
    for command in commands:
        done = subprocess.run([str(BIN / "dbt"), *command], cwd=HERE, env=env, check=False)
        if done.returncode:
            raise click.ClickException(f"dbt {command[0]} failed")


def start_service(env: Mapping[str, str], listen: str) -> subprocess.Popen[bytes]:
    """Starts the service beside this process, out of reach of the terminal's Ctrl-C."""
    command = [str(BIN / "dbt-mview"), "serve", "--home", str(HOME / "service"), "--listen", listen]
    return subprocess.Popen(
        [*command, "--target", "thrift"], cwd=HERE, env=env, start_new_session=True
    )


def stop_service(service: subprocess.Popen[bytes]) -> None:
    """Ends the service, and waits until its workers have ended."""
    service.send_signal(signal.SIGTERM)
    service.wait()


def wait(service: subprocess.Popen[bytes], seconds: float | None) -> None:
    """Waits, for as long as the service runs.

    Raises:
        click.ClickException: it ended by itself.
    """
    until = None if seconds is None else time.monotonic() + seconds
    while until is None or time.monotonic() < until:
        if service.poll() is not None:
            raise click.ClickException("the service ended by itself; what it said is above")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
