"""A node as a process: what it is told by flags, environment and file, and that it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from dbt_mview.cli import main
from dbt_mview.serve import cli, config, node, web
from tests.support.fake_dbt import FakeDbt, Plan


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("DBT_MVIEW_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("DBT_PROJECT_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    return tmp_path / config.FILE


def asked(file: Path, *words: str) -> dict[str, Any]:
    with cli.serve.make_context("serve", [*words]) as context:
        return node.with_file(context, file)


def said(*words: str) -> str:
    result = CliRunner().invoke(main, ["serve", *words])
    assert result.exit_code == 1, result.output
    return result.output.removeprefix("Error: ").strip()


# What it is told


def test_flags_come_before_environment_file_and_defaults(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(file)["listen"] == "127.0.0.1:8580" and asked(file)["workers"] is None
    file.write_text("listen: 127.0.0.1:1\nworkers: 3\nmemory: 50\n")
    found = asked(file)
    assert (found["listen"], found["workers"], found["memory"]) == ("127.0.0.1:1", "3", 50)
    monkeypatch.setenv("DBT_MVIEW_LISTEN", "127.0.0.1:2")
    monkeypatch.setenv("DBT_MVIEW_WORKERS", "4")
    found = asked(file)
    assert (found["listen"], found["workers"], found["memory"]) == ("127.0.0.1:2", "4", 50)
    found = asked(file, "--listen", "127.0.0.1:3", "--target", "dev")
    assert (found["listen"], found["workers"]) == ("127.0.0.1:3", "4")
    assert found["dbt_arguments"] == ("--target", "dev"), "the rest is dbt's"


def test_a_default_that_is_given_is_given(file: Path) -> None:
    file.write_text("listen: 127.0.0.1:1\n")
    assert asked(file, "--listen", "127.0.0.1:8580")["listen"] == "127.0.0.1:8580"


def test_the_file_has_lists_flags_and_what_only_it_has(file: Path) -> None:
    file.write_text(
        "hosts: [a.example, b.example]\nbehind_proxy: true\nreader: operation\n"
        "pools: {big: 2}\nholds: [{cron: 0 3 * * *, duration: 1h}]\nhome: elsewhere\n"
    )
    found = asked(file)
    assert found["hosts"] == ("a.example", "b.example")
    assert found["behind_proxy"] is True and found["reader"] == "operation"
    assert found["pools"] == {"big": 2} and found["holds"][0]["duration"] == "1h"
    assert found["home"] == Path("elsewhere")
    file.unlink()
    assert asked(file)["pools"] is None and asked(file)["holds"] is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("worker: 4\n", "there is no setting 'worker'; there are batch_size, behind_proxy, "),
        ("memory: 101\n", "memory: 101 is not in the range 1<=x<=100."),
        ("memory: lots\n", "memory: 'lots' is not a valid integer range."),
        ("reader: guess\n", "reader: 'guess' is not one of 'auto', 'log', 'operation'."),
        ("tls_cert: nowhere.pem\n", "tls_cert: File 'nowhere.pem' does not exist."),
        ("dbt_arguments: [x]\n", "there is no setting 'dbt_arguments'"),
    ],
)
def test_a_file_with_what_is_none(file: Path, text: str, error: str) -> None:
    file.write_text(text)
    assert f"{file}: {error}" in said()


@pytest.mark.parametrize(
    ("text", "words", "error"),
    [
        ("workers: many\n", (), "workers: 'many' is no whole number"),
        ("", ("--timeout", "soon"), "timeout: 'soon' is no duration"),
        ("pools: [big]\n", (), "pools is no mapping of names to slots"),
        ("holds: daily\n", (), "holds is no list"),
        ("", ("--listen", "8580"), "cannot listen on '8580': give HOST:PORT"),
        ("", ("--listen", "0.0.0.0:8580"), "cannot listen on 0.0.0.0:8580 without TLS"),
        ("", ("--database", "mysql://a/b"), "--database is of 'mysql', which is not served"),
        ("[", (), "dbt_mview.yml is no YAML"),
    ],
)
def test_a_value_that_is_none(file: Path, text: str, words: tuple[str, ...], error: str) -> None:
    file.write_text(text)
    assert error in said(*words)


def test_a_folder_that_is_no_project(tmp_path: Path) -> None:
    assert said("--project-dir", "away") == (
        f"{tmp_path / 'away'} is no dbt project: give --project-dir, or start it there"
    )


# What is its own


def test_its_home_is_in_the_project_unless_it_is_given(tmp_path: Path) -> None:
    home = node.home_of(None, tmp_path)
    assert home == tmp_path / ".dbt_mview"
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / ".gitignore").read_text() == "*\n", "the token is in no repository"
    assert node.home_of(Path("of/mine"), tmp_path) == tmp_path / "of" / "mine"


def test_its_database_is_in_its_home_unless_it_is_given(tmp_path: Path) -> None:
    assert node.database_url(None, tmp_path) == f"sqlite:///{tmp_path}/serve.db"
    assert node.database_url("postgresql://a/b", tmp_path) == "postgresql://a/b"


def test_a_token_that_others_may_read_is_refused(file: Path) -> None:
    home = node.home_of(None, file.parent)
    (home / "token").write_text("secret\n")
    (home / "token").chmod(0o644)
    assert said("--listen", "127.0.0.1:0") == (
        f"{home / 'token'} is open to others (mode 0644); run: chmod 600 {home / 'token'}"
    )


# From its start to its end


@pytest.fixture
def signals() -> Iterator[None]:
    """Puts back what a node changes."""
    before = {one: signal.getsignal(one) for one in node.STOPS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


class FakePool(FakeDbt):
    """A dbt that is no process, made as a node makes a pool."""

    made: FakePool

    def __init__(self, home: Path, dbt_arguments: Any, **given: Any) -> None:
        super().__init__({"daily": Plan(86_400, FakeDbt.now() - 1)})
        self.home, self.dbt_arguments = home, dbt_arguments
        self.on_invocation = given["on_invocation"]
        FakePool.made = self


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(
    ("listen", "host"), [("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "north-1.example")]
)
def test_it_serves_until_a_signal(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    listen: str,
    host: str,
) -> None:
    """And is found by the address that others read in the database, on whichever machine."""
    monkeypatch.setattr(node, "Workers", FakePool)
    monkeypatch.setattr(web, "_machine", lambda is_v6: "north-1.example")
    file.write_text(f"node_id: north-1\nlisten: {listen}\nbehind_proxy: true\nreader: operation\n")
    found: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    written = threading.Condition()
    write = node.EventLog.write

    def heard(log: Any, event: Any, **fields: Any) -> None:
        write(log, event, **fields)
        with written:
            lines.append({"event": event, **fields})
            written.notify_all()

    monkeypatch.setattr(node.EventLog, "write", heard)

    def look() -> None:
        with written:
            written.wait_for(lambda: any(one["event"] == "ended" for one in lines), 20)
        address = next(one["address"] for one in lines if one["event"] == "listening")
        port = address.rpartition(":")[2]
        request = Request(f"http://127.0.0.1:{port}/v1/status", headers={"Host": f"{host}:{port}"})
        token = (FakePool.made.home / "token").read_text().strip()
        request.add_header("Authorization", f"Bearer {token}")
        try:
            with urlopen(request, timeout=10) as answer:
                found.update(json.load(answer), at=address)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    helper = threading.Thread(target=look)
    helper.start()
    with cli.serve.make_context("serve", ["--target", "prod"]) as context:
        node.serve(context)
    helper.join()
    assert found["node"] == "north-1" and found["project"] == "shop"
    assert found["at"] == found["nodes"][0]["address"] and found["at"].startswith(f"http://{host}:")
    pool = FakePool.made
    assert pool.dbt_arguments == ("--target", "prod") and pool.is_stopped
    assert pool.plans["daily"].ended
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["node"] for one in told} == {"north-1"}
    assert [told[0]["event"], told[-1]["event"]] == ["listening", "stopped"]
    assert (pool.home / "token").stat().st_mode & 0o777 == 0o600
    assert (pool.home / "serve.db").exists()


def test_a_port_that_is_taken_ends_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "Workers", FakePool)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}: " in said("--listen", f"127.0.0.1:{port}")
