"""The thrift server: how it is started, waited for and stopped, with a fake Spark."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dbt_mview import cli, thrift

if TYPE_CHECKING:
    from collections.abc import Iterator

JARS = (Path("/ivy/jars/io.delta_delta-spark.jar"), Path("/ivy/jars/io.delta_delta-storage.jar"))
SETTINGS = {
    "spark.jars.packages": "io.delta:delta-spark_4.1_2.13:4.4.0",
    "spark.jars.excludes": "org.apache.hadoop:*",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
}
LISTENS = """
import os, socket, sys, time
port = next(int(word.split("=")[1]) for word in sys.argv if "thrift.port=" in word)
print(" ".join(sys.argv), os.environ["SPARK_HOME"], flush=True)
listener = socket.create_server(("127.0.0.1", port))
time.sleep(60)
"""
FAILS = """
import sys
print("first line")
print("ERROR XSDB6: Another instance of Derby may have already booted the database")
sys.exit(1)
"""
HANGS = """
import time
print("still starting", flush=True)
time.sleep(60)
"""


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A Spark whose `spark-submit` is a script of the test; Delta's jars are there."""
    home = tmp_path / "spark"
    (home / "bin").mkdir(parents=True)
    monkeypatch.setattr(thrift, "spark_home", lambda: home)
    monkeypatch.setattr(thrift, "spark_settings", lambda place: {**SETTINGS, "home": str(place)})
    monkeypatch.setattr(thrift, "delta_jars", lambda package, excludes: JARS)
    return home


def make_submit(spark: Path, program: str) -> None:
    """Let `spark-submit` run a Python program."""
    submit = spark / "bin" / "spark-submit"
    submit.write_text(f"#!{sys.executable}\n{program}")
    submit.chmod(0o755)


def confs(command: list[str]) -> dict[str, str]:
    """The Spark settings of a command line."""
    pairs = [word for before, word in pairwise(command) if before == "--conf"]
    return dict(pair.split("=", 1) for pair in pairs)


# --- the command


def test_deltas_jars_are_on_the_jvms_own_class_path(spark: Path) -> None:
    conf = confs(thrift.server_command(10009, JARS, SETTINGS))
    assert conf["spark.driver.extraClassPath"] == os.pathsep.join(map(str, JARS))


def test_the_server_does_not_fetch_the_jars_again(spark: Path) -> None:
    conf = confs(thrift.server_command(10009, JARS, SETTINGS))
    assert not [name for name in conf if name.startswith("spark.jars")]
    assert conf["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"


def test_the_server_listens_on_this_machine_only(spark: Path) -> None:
    command = thrift.server_command(12345, JARS, SETTINGS)
    assert command[0] == str(spark / "bin" / "spark-submit")
    assert command[command.index("--class") + 1] == thrift.MAIN_CLASS
    hive = dict(word.split("=", 1) for word in command if word.startswith("hive."))
    assert hive["hive.server2.thrift.bind.host"] == "127.0.0.1"
    assert hive["hive.server2.thrift.port"] == "12345"
    assert command.index("spark-internal") < command.index("--hiveconf")


def test_spark_connect_listens_on_this_machine_only(spark: Path) -> None:
    settings = {**SETTINGS, **thrift.connect_settings(15002)}
    conf = confs(thrift.server_command(12345, JARS, settings))
    assert conf["spark.plugins"] == "org.apache.spark.sql.connect.SparkConnectPlugin"
    assert conf["spark.connect.grpc.binding.address"] == "127.0.0.1"
    assert conf["spark.connect.grpc.binding.port"] == "15002"


def test_servers_do_not_share_logs_that_each_would_delete(spark: Path) -> None:
    command = thrift.server_command(12345, JARS, SETTINGS)
    assert "hive.server2.logging.operation.enabled=false" in command


# --- start and stop


def test_server_starts_answers_and_stops(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    home = tmp_path / "not" / "there yet"
    with thrift.thrift_server(home, settings={"spark.x": "own"}, timeout=30) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=5):
            pass
        assert server.is_running
        os.kill(server.pid, 0)
        said = server.log.read_text()
    assert not server.is_running
    assert server.home == home
    assert server.log.parent == home
    assert f"home={home}" in said
    assert "spark.x=own" in said
    assert said.strip().endswith(str(spark))


def test_server_takes_the_port_it_is_given(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    port = thrift.free_port()
    with thrift.thrift_server(tmp_path, port, timeout=30) as server:
        assert server.port == port


def test_kill_is_at_once_and_the_end_of_the_block_bears_it(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    with thrift.thrift_server(tmp_path, timeout=30) as server:
        server.kill()
        assert not server.is_running
        assert server.process.returncode == -9


def test_server_is_stopped_when_the_block_fails(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    seen = []
    with pytest.raises(ZeroDivisionError), thrift.thrift_server(tmp_path, timeout=30) as server:
        seen.append(server)
        raise ZeroDivisionError
    assert not seen[0].is_running


def test_server_that_ends_is_explained(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, FAILS)
    with (
        pytest.raises(thrift.ThriftServerError, match=r"ended \(1\)") as error,
        thrift.thrift_server(tmp_path, timeout=30),
    ):
        pytest.fail("it cannot have started")
    assert "another Spark uses this home" in str(error.value)
    assert "first line\nERROR XSDB6" in str(error.value)


def test_server_that_hangs_is_killed(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, HANGS + f"\n# {tmp_path}")
    processes: list[int] = []
    real = thrift.subprocess.Popen

    def popen(*args: object, **kwargs: object) -> object:
        process = real(*args, **kwargs)  # type: ignore[call-overload]
        processes.append(process.pid)
        return process

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thrift.subprocess, "Popen", popen)
        with (
            pytest.raises(thrift.ThriftServerError, match=r"in 3 s(?s:.*)still starting"),
            thrift.thrift_server(tmp_path, timeout=3),
        ):
            pytest.fail("it cannot have started")
    with pytest.raises(ProcessLookupError):
        os.kill(processes[0], 0)


def test_port_that_is_taken_is_refused(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with (
            pytest.raises(thrift.ThriftServerError, match=f"port {port} is taken"),
            thrift.thrift_server(tmp_path, port, timeout=30),
        ):
            pytest.fail("it cannot have started")


def test_two_servers_of_one_home_keep_two_logs(spark: Path, tmp_path: Path) -> None:
    make_submit(spark, LISTENS)
    with (
        thrift.thrift_server(tmp_path, timeout=30) as one,
        thrift.thrift_server(tmp_path, timeout=30) as two,
    ):
        assert one.log != two.log


def test_free_ports_are_free() -> None:
    with socket.create_server(("127.0.0.1", thrift.free_port())):
        pass


# --- the command line


@pytest.fixture
def command(spark: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`dbt-mview thrift` with the fake Spark, in a process of its own; its server answers."""
    make_submit(spark, LISTENS)
    program = (
        "import pathlib, signal, sys\n"
        "from dbt_mview import cli, thrift\n"
        # As in a terminal; a shell has what it starts in the background ignore it.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"thrift.spark_home = lambda: pathlib.Path({str(spark)!r})\n"
        f"thrift.spark_settings = lambda place: {SETTINGS!r}\n"
        "thrift.delta_jars = lambda package, excludes: ()\n"
        "cli.main(['thrift', *sys.argv[1:]])\n"
    )
    words = [sys.executable, "-u", "-c", program, "--home", str(tmp_path)]
    words += ["--port", str(thrift.free_port())]
    with subprocess.Popen(words, text=True, stdout=PIPE, stderr=STDOUT) as process:
        yield process
        process.kill()


def server_pid(command: subprocess.Popen[str]) -> int:
    """Read what the command says until it names the process of its server."""
    assert command.stdout
    for line in command.stdout:
        if found := re.search(r"it answers on 127\.0\.0\.1:\d+ \(process (\d+)\)", line):
            return int(found[1])
    raise AssertionError("the command ended before its server answered")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command_takes_its_server_with_it(
    command: subprocess.Popen[str], number: signal.Signals
) -> None:
    pid = server_pid(command)
    command.send_signal(number)
    assert command.wait(20) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_command_tells_when_its_server_has_gone(command: subprocess.Popen[str]) -> None:
    os.kill(server_pid(command), signal.SIGKILL)
    said, _ = command.communicate(timeout=20)
    assert command.returncode == 1
    assert "the server ended by itself: see its log\n--- end of " in said


@pytest.mark.parametrize("connect", [None, 15002])
def test_command_says_where_spark_connect_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, connect: int | None
) -> None:
    asked: list[Any] = []

    def refuse(home: Path, port: int, *, settings: Any) -> None:
        asked.append(settings)
        raise thrift.ThriftServerError("no")

    monkeypatch.setattr(thrift, "thrift_server", refuse)
    words = ["thrift", "--home", str(tmp_path)]
    words += ["--connect-port", str(connect)] if connect else []
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert CliRunner().invoke(cli.main, words).exit_code == 1
    assert asked == [thrift.connect_settings(connect) if connect else None]


def test_nothing_interrupts_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C would leave a server behind that hangs."""
    set_: dict[int, object] = {}
    monkeypatch.setattr(signal, "signal", set_.__setitem__)
    with pytest.raises(SystemExit) as end:
        cli._leave()
    assert end.value.code == 0
    assert set_ == dict.fromkeys((signal.SIGTERM, signal.SIGINT, signal.SIGHUP), signal.SIG_IGN)


def test_a_home_that_cannot_be_made_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    program = "from dbt_mview import cli; cli.main()"
    words = [sys.executable, "-c", program, "thrift", "--home", str(tmp_path / "file" / "home")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: [Errno ") and "file/home" in done.stderr
    assert len(done.stderr.splitlines()) == 1


# --- the jars


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Stands for the JVM that resolves the jars; nothing is remembered from other tests."""
    thrift.delta_jars.cache_clear()
    monkeypatch.setattr(thrift, "environment", dict)
    return monkeypatch


def test_jars_are_those_that_the_resolver_names(resolver: pytest.MonkeyPatch) -> None:
    program = "import sys; print('noise.jar'); print('file:/a%20b/x.jar,file:///c/' + sys.argv[1])"
    resolver.setattr(thrift, "_RESOLVE", program)
    assert thrift.delta_jars("y.jar", "") == (Path("/a b/x.jar"), Path("/c/y.jar"))


@pytest.mark.parametrize("program", ["raise SystemExit('unresolved: z')", "print('unresolved: z')"])
def test_jars_that_cannot_be_had_are_told(resolver: pytest.MonkeyPatch, program: str) -> None:
    resolver.setattr(thrift, "_RESOLVE", program)
    with pytest.raises(thrift.ThriftServerError, match=r"cannot get no:such:1(?s:.*)unresolved: z"):
        thrift.delta_jars("no:such:1", "")
