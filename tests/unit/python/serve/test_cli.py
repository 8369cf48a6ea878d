"""The commands of a service that runs: how they find it, ask it, and what they say."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from dbt_mview import serve
from dbt_mview.cli import main
from dbt_mview.serve import cli
from dbt_mview.serve.members import Command, Database
from dbt_mview.serve.metrics import Metrics
from dbt_mview.serve.web import Server, make_app, parse_listen
from tests.support.reports import FakeReporter, node, report, view


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE", "SERVE_HOME", "URL", "TOKEN"):
        monkeypatch.delenv(f"DBT_MVIEW_{name}", raising=False)
    monkeypatch.delenv("DBT_PROJECT_DIR", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Of the project in the folder of the test."""
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    home = tmp_path / ".dbt_mview"
    home.mkdir()
    return home


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    """Of a node."""
    found = Database(f"sqlite:///{home / 'serve.db'}", "north-1", "boot")
    found.prepare()
    yield found
    found.close()


@pytest.fixture
def reporter() -> FakeReporter:
    return FakeReporter(report())


@pytest.fixture
def address(reporter: FakeReporter, database: Database) -> Iterator[str]:
    """Of a node that is alive."""
    app = make_app(reporter, Metrics(), token="secret", is_public=False)
    server = Server(app, parse_listen("127.0.0.1:0"))
    server.start()
    database.address = server.address
    database.register()
    yield server.address
    server.stop()


def command(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def said(*words: str) -> str:
    """What a command says that is refused."""
    result = command(*words)
    assert result.exit_code == 1, result.output
    assert not result.exception or isinstance(result.exception, SystemExit)
    return result.output.removeprefix("Error: ").strip()


@contextmanager
def answering(database: Database, answer: Callable[[Command], tuple[bool, str]]) -> Iterator[Any]:
    """A node that answers what it is asked."""
    asked: list[Command] = []
    done = threading.Event()

    def turn() -> None:
        while not done.wait(0.01):
            for one in database.commands():
                assert database.take(one.id)
                asked.append(one)
                database.answer(one.id, *answer(one))

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        yield asked
    finally:
        done.set()
        thread.join()


# status


def test_status_is_of_a_node_that_is_alive(address: str) -> None:
    result = command("status")
    assert result.exit_code == 0
    assert result.output.startswith("shop on prod: ok")
    assert "http://north-2:8580" in result.output and "61 s ago" in result.output
    assert "sales.broken" in result.output and "Division by zero" in result.output
    assert "<script>alert(1)</script>" in result.output, "as it is named"
    (paused,) = [line for line in result.output.splitlines() if "sales.paused" in line]
    assert "paused since 2026-11-27 14:20:00Z" in paused
    assert result.output.count("paused since") == 1


def test_status_has_all_views(
    reporter: FakeReporter, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "PART", 3)
    names = [f"c.s.v{number}" for number in range(8)]
    reporter.shown = report(views=tuple(map(view, names)))
    found = json.loads(command("status", "--json").output)
    assert [one["id"] for one in found["views"]] == names
    assert found["health"] == "ok" and len(found["nodes"]) == 3 and len(found["runs"]) == 3


def test_status_says_why_a_node_takes_no_work(reporter: FakeReporter, address: str) -> None:
    reporter.shown = report(
        nodes=(node("north-1", starting="[b] asks dbt"), node("north-2", False, starting="old"))
    )
    output = command("status").output
    assert "starting: [b] asks dbt" in output and "old" not in output


def test_status_tells_by_its_code_whether_all_is_well(reporter: FakeReporter, address: str) -> None:
    reporter.shown = report(health="memory", problem="more than 95 % are in use")
    result = command("status")
    assert result.exit_code == 0 and "memory: more than 95 % are in use" in result.output
    reporter.ready = (False, "project: it does not parse")
    assert command("status").exit_code == 1
    assert json.loads(command("status", "--json").output)["is_ready"] is False


def test_status_of_a_url_needs_no_database(address: str, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    assert command("status", "--project-dir", str(away), "--url", address).exit_code == 0


def test_status_brings_the_token_of_the_home(
    home: Path, reporter: FakeReporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or that of the environment."""
    app = make_app(reporter, Metrics(), token="secret", is_public=True)
    server = Server(app, parse_listen("127.0.0.1:0", is_behind_proxy=True))
    server.start()
    try:
        assert "401 Unauthorized" in said("status", "--url", server.address)
        (home / "token").write_text("secret\n")
        assert command("status", "--url", server.address).exit_code == 0
        monkeypatch.setenv("DBT_MVIEW_TOKEN", "another")
        assert "401 Unauthorized" in said("status", "--url", server.address)
    finally:
        server.stop()


def test_status_without_a_node(database: Database) -> None:
    assert said("status") == "no node is alive: dbt-mview serve starts one"
    assert "127.0.0.1:1 does not answer: " in said("status", "--url", "http://127.0.0.1:1")


# Where the service is


def test_there_is_no_service(tmp_path: Path) -> None:
    for words in (("status",), ("run", "v"), ("drain", "a"), ("set", "workers=2")):
        assert said(*words) == (
            f"{tmp_path / '.dbt_mview'} holds no service: start one with dbt-mview serve, or give"
            " --home or --database of the one that runs"
        )


def test_it_is_found_by_flags_environment_and_file(
    tmp_path: Path, home: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    with answering(database, lambda _: (True, "queued")):
        assert command("run", "v", "--project-dir", str(tmp_path)).exit_code == 0
        assert command("run", "--home", str(home), "v").exit_code == 0
        as_dbt = ("--project-dir", str(tmp_path), "--target", "dev", "--profiles-dir", "x")
        assert command("run", "v", *as_dbt).output == "v: queued\n"
        assert command("run", *as_dbt[:2], "v", *as_dbt[2:]).output == "v: queued\n"
        assert command("run", "v", "--database", f"sqlite:///{home / 'serve.db'}").exit_code == 0
        monkeypatch.setenv("DBT_MVIEW_SERVE_HOME", str(home))
        assert command("run", "v").exit_code == 0
        monkeypatch.delenv("DBT_MVIEW_SERVE_HOME")
        (away / "dbt_project.yml").write_text("name: shop\n")
        (away / "dbt_mview.yml").write_text(f"home: {home}\n")
        assert command("run", "v").exit_code == 0
        (away / "dbt_mview.yml").write_text(f"database: sqlite:///{home / 'serve.db'}\n")
        assert command("run", "v").exit_code == 0
    (away / "dbt_mview.yml").write_text("[")
    assert "dbt_mview.yml is no YAML" in said("run", "v")


def test_a_database_that_is_none_is_named(home: Path) -> None:
    assert said("run", "v", "--database", "mysql://x/y").startswith("--database is of 'mysql'")
    nowhere = f"sqlite:///{home / 'no' / 'serve.db'}"
    assert "No such file or directory" in said("run", "v", "--database", nowhere)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("members", "node"):
        monkeypatch.delattr(serve, name, raising=False)
        monkeypatch.setitem(sys.modules, f"dbt_mview.serve.{name}", None)
    for words in (("status",), ("pause", "all"), ("set", "workers=1"), ("serve",)):
        assert said(*words).endswith("run: pip install '<clone of dbt_mview>[serve]'")


# Requests


@pytest.mark.parametrize("verb", ["run", "cancel", "pause", "resume", "reset"])
def test_a_node_is_asked_and_answers(
    verb: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "ada")
    odd = "c.s.'; $(id) \N{GRINNING FACE}"
    with answering(database, lambda _: (True, "so it is")) as asked:
        result = command(verb, odd)
    assert (result.exit_code, result.output) == (0, f"{odd}: so it is\n")
    assert [(one.verb, one.subject, one.by) for one in asked] == [(verb, odd, "ada")]


def test_what_is_refused_says_why(database: Database) -> None:
    with answering(database, lambda _: (False, "it is running")):
        assert said("run", "v") == "v: it is running"


def test_a_node_is_drained(database: Database) -> None:
    with answering(database, lambda one: (True, f"node {one.subject} stops")) as asked:
        assert command("drain", "north-1").output == "node north-1 stops\n"
    assert (asked[0].verb, asked[0].subject) == ("drain", "north-1")


def test_nobody_answers(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "ANSWER_WITHIN", 0.05)
    assert said("run", "v") == (
        "no node has answered so far: dbt-mview status says which are alive, and what they do"
    )


# set


def test_settings_are_set_and_given_back(database: Database) -> None:
    result = command("set", "workers=4", "fetch-interval=10s", "timeout=")
    assert result.output == "workers=4 fetch_interval=10s timeout=\n"
    assert database.settings() == {"workers": "4", "fetch_interval": "10s", "timeout": ""}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("workers", "'workers' is no setting: give NAME=VALUE"),
        ("workers=none", "workers: 'none' is no whole number"),
        ("timeout=soon", "timeout: 'soon' is no duration: give seconds, or such as 30s"),
        ("batch_size=0", "batch_size: batch_size is 0: give 1 to 1000"),
        ("pools=", "there is no setting 'pools': workers, timeout"),
    ],
)
def test_a_bad_value_sets_nothing(value: str, text: str, database: Database) -> None:
    assert said("set", "drain=5s", value).startswith(text)
    assert database.settings() == {}


# Operations of the command line itself


def test_arguments_arrive_as_dbt_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """dbt reads YAML, which is not quite JSON."""
    name = "c.s.\x85\u2028\ufeff \N{GRINNING FACE}'"
    row = {"id": name, "schedule": {"cron": "0 3 * * *", "time_zone_value": "UTC", "after": 1}}
    given: list[Any] = []

    class Runner:
        def __init__(self, callbacks: Any) -> None:
            self.listen = callbacks[0]

        def invoke(self, words: list[str]) -> Any:
            given.append(yaml.load(words[words.index("--args") + 1], yaml.CSafeLoader))
            answer = {"due": [], "unplanned": [] if len(given) > 1 else [row]}
            info = SimpleNamespace(name="PrintEvent", msg=f"due: {json.dumps(answer)}")
            self.listen(SimpleNamespace(info=info))
            return SimpleNamespace(success=True)

    monkeypatch.setitem(sys.modules, "dbt.cli.main", SimpleNamespace(dbtRunner=Runner))
    assert command("due").exit_code == 0
    assert given[1] == {"times": {name: 3 * 3_600_000_000}, "after": {name: 1}}


def test_all_commands_are_there() -> None:
    with click.Context(main) as context:
        names = set(main.list_commands(context))
    assert {one.name for one in cli.COMMANDS} <= names
    assert {one.name for one in cli.COMMANDS} >= {"serve", "status", "run", "set", "drain"}
