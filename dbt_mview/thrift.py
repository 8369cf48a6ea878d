"""A Spark thrift server with Delta Lake, from nothing but the pip-installed pyspark."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from dbt_mview.engine import find_java, home_directory, spark_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HOST = "127.0.0.1"
PORT_VARIABLE = "DBT_MVIEW_THRIFT_PORT"
DEFAULT_PORT = 10009
MAIN_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

# A line of the server's log that says why it did not start, and what to do about it.
KNOWN_CAUSES = {
    "Another instance of Derby may have already booted": (
        "another Spark uses this home: stop it, or give this server a home of its own"
    ),
    "Could not create ServerSocket": "the port is taken: choose another one",
    "Address already in use": "the port is taken: choose another one",
    "UnsupportedClassVersionError": "the Java is too old: Spark 4 needs Java 17 or 21",
}


class ThriftServerError(RuntimeError):
    """The server did not start or did not answer; the message ends with what its log says."""


@dataclass(frozen=True)
class ThriftServer:
    """A running server.

    Args:
        port: where it listens, on 127.0.0.1 only.
        home: the engine's home that it serves.
        log: the file it logs to.
        process: the Java process.
    """

    port: int
    home: Path
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """The id of the Java process."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether the Java process lives."""
        return self.process.poll() is None

    def stop(self, timeout: float = 20.0) -> None:
        """End the server in good order; kill it if it has not ended in time.

        Args:
            timeout: seconds to wait.
        """
        self.process.terminate()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill the server as a crash would, and wait until it is gone."""
        self.process.kill()
        self.process.wait()


@contextmanager
def thrift_server(
    home: str | os.PathLike[str] | None = None,
    port: int | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    timeout: float = 300.0,
) -> Iterator[ThriftServer]:
    """Run a thrift server that serves the engine's home, and stop it at the end.

    Args:
        home: where tables and catalog live; see `engine.home_directory`. One Spark at a time can
            use a home.
        port: where to listen; a free one by default.
        settings: further Spark settings; they win over the engine's own.
        timeout: seconds that it may take to start.

    Yields:
        The server; it answers.

    Raises:
        ThriftServerError: it did not start, or not in time.
        ModuleNotFoundError: pyspark is not installed.
    """
    server = start(home, port, settings=settings, timeout=timeout)
    try:
        yield server
    finally:
        server.stop()


def start(
    home: str | os.PathLike[str] | None = None,
    port: int | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    timeout: float = 300.0,
) -> ThriftServer:
    """Start a thrift server that its caller stops; arguments and errors as `thrift_server`."""
    place = home_directory(home)
    place.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    if answers(port):
        raise ThriftServerError(f"port {port} is taken: choose another one")
    settings = spark_settings(place) | dict(settings or {})
    jars = delta_jars(settings["spark.jars.packages"], settings["spark.jars.excludes"])
    log = place / f"thrift-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            server_command(port, jars, settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment(),
            cwd=place,
            start_new_session=True,
        )
    server = ThriftServer(port=port, home=place, log=log, process=process)
    try:
        _wait(server, timeout)
    except BaseException:
        server.kill()
        raise
    return server


def server_command(port: int, jars: Sequence[Path], settings: Mapping[str, str]) -> list[str]:
    """Give the command that starts the server.

    Delta's jars go onto the class path of the JVM itself: with `--packages` alone, sessions that
    are opened over the wire do not find Delta's classes (NoClassDefFoundError).

    Args:
        port: where it listens.
        jars: Delta's jars.
        settings: Spark settings; those that would fetch the jars again are left out.

    Returns:
        The command and its arguments.

    Raises:
        ModuleNotFoundError: pyspark is not installed.
    """
    fetched = ("spark.jars.packages", "spark.jars.excludes")
    conf = {name: value for name, value in settings.items() if name not in fetched}
    class_path = [*map(str, jars), conf.get("spark.driver.extraClassPath", "")]
    conf["spark.driver.extraClassPath"] = os.pathsep.join(filter(None, class_path))
    return [
        str(spark_home() / "bin" / "spark-submit"),
        *(word for name, value in conf.items() for word in ("--conf", f"{name}={value}")),
        *("--class", MAIN_CLASS, "spark-internal"),
        *("--hiveconf", f"hive.server2.thrift.bind.host={HOST}"),
        *("--hiveconf", f"hive.server2.thrift.port={port}"),
        # All servers of a user share these logs, and each deletes them when it stops.
        *("--hiveconf", "hive.server2.logging.operation.enabled=false"),
    ]


def connect_settings(port: int) -> dict[str, str]:
    """Give the settings with which a Spark serves Spark Connect beside all else.

    Args:
        port: where it listens for that, on 127.0.0.1 only.

    Returns:
        Spark settings.
    """
    return {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
    }


@cache
def delta_jars(package: str, excludes: str = "") -> tuple[Path, ...]:
    """Find the jars of Delta on this machine, and fetch them first if they are not there yet.

    Spark's own resolver (Ivy) does it, in a JVM that runs for a few seconds, so that the jars are
    those that `spark.jars.packages` brings, from the same cache and the same repositories.

    Args:
        package: Maven coordinates, see `engine.delta_package`.
        excludes: what `spark.jars.excludes` holds.

    Returns:
        The jars.

    Raises:
        ThriftServerError: they cannot be had; the message holds what the resolver said.
        ModuleNotFoundError: pyspark is not installed.
    """
    done = subprocess.run(
        [sys.executable, "-c", _RESOLVE, package, excludes],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    addresses = re.findall(r"file:[^,\n]+\.jar", done.stdout)
    jars = tuple(Path(unquote(urlsplit(address).path)) for address in addresses)
    if done.returncode or not jars:
        raise ThriftServerError(f"cannot get {package}:\n{(done.stderr + done.stdout).strip()}")
    return jars


_RESOLVE = """
import sys
from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway
conf = SparkConf(loadDefaults=False)
conf.set("spark.jars.packages", sys.argv[1]).set("spark.jars.excludes", sys.argv[2])
print(launch_gateway(conf).jvm.System.getProperty("spark.jars"))
"""


def free_port() -> int:
    """Find a port on 127.0.0.1 that nobody listens on.

    Returns:
        The port.
    """
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Whether somebody listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def _wait(server: ThriftServer, timeout: float) -> None:
    """Wait until a server answers; Spark listens last, when all else is up."""
    end = time.monotonic() + timeout
    while not answers(server.port):
        if not server.is_running:
            code = server.process.returncode
            raise ThriftServerError(f"the thrift server ended ({code}): {cause(server.log)}")
        if time.monotonic() > end:
            raise ThriftServerError(
                f"the thrift server did not answer in {timeout:.0f} s: {cause(server.log)}"
            )
        time.sleep(0.2)


def cause(log: Path) -> str:
    """Explain why a server failed from its log, of which the end is always included.

    Args:
        log: the server's log.

    Returns:
        What is known of such errors, and the last lines.
    """
    text = log.read_text(errors="replace")
    hints = [hint for sign, hint in KNOWN_CAUSES.items() if sign in text]
    tail = "\n".join(text.splitlines()[-20:])
    return f"{'; '.join(hints) or 'see its log'}\n--- end of {log}\n{tail}"


def environment() -> dict[str, str]:
    """Give Spark's scripts the pip-installed Spark and a Java that it runs on.

    Returns:
        The environment of this process, with both named.

    Raises:
        ModuleNotFoundError: pyspark is not installed.
    """
    java = find_java()
    home = {"JAVA_HOME": str(java.home)} if java else {}
    return {**os.environ, "SPARK_HOME": str(spark_home()), **home}


def spark_home() -> Path:
    """Find the pip-installed Spark."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pyspark is not installed", name="pyspark")
    return Path(spec.origin).parent
