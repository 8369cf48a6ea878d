"""Engines for all tests that ask for one, and the order in which two workers play them.

What needs Spark or dbt is imported where it is used: unit tests run without them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from dbt_mview.thrift import ThriftServer
    from tests.support.project import Project

pytest_plugins = ["tests.nightly.draw", "tests.support.called"]
ROOT = Path(__file__).resolve().parents[1]
# Where tests use the fixture `server`, or have a server of their own: one worker plays them all.
ON_SERVER = (
    "tests/functional/test_concurrency.py",
    "tests/functional/test_flashback_stability.py",
    "tests/crash/",
    "tests/serve/",
)
# Modules that take longest begin first: what begins last decides how long one worker runs alone.
LONGEST = (
    "tests/functional/test_fast.py",
    "tests/differential/test_random.py",
    "tests/functional/test_schedule.py",
    "tests/functional/test_log.py",
    "tests/functional/test_every_day.py",
    "tests/functional/test_purge.py",
    "tests/functional/test_flashback.py",
    "tests/functional/test_flashback_points.py",
    "tests/functional/test_sources.py",
    "tests/functional/test_configuration.py",
    "tests/differential/test_names.py",
    "tests/functional/test_groups.py",
    "tests/functional/test_users.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """What tests write down instead of comparing: golden texts, the points of tests/crash."""
    parser.addoption("--update-golden", action="store_true", help="rewrite what is compared")
    parser.addoption("--seconds", action="store_true", help="end with the seconds of each file")
    parser.addoption(
        "--one-engine", action="store_true", help="tests/functional stays on one worker"
    )


class Scopes(LoadScopeScheduling):
    """A module, or a class of dbt's suite, stays on one worker, and so do all tests on a server;
    with `--one-engine` all of tests/functional."""

    def _split_scope(self, nodeid: str) -> str:
        if self.config.getoption("one_engine") and nodeid.startswith("tests/functional/"):
            return "engine"
        return "server" if nodeid.startswith(ON_SERVER) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """`--dist loadgroup` plays them so. (Its own groups are a suffix that pytest 9.2 drops.)"""
    return Scopes(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones begin first, and unit tests fill the gaps at the end.

    Raises:
        pytest.UsageError: a test on the server that may be played by another worker.
    """
    for item in items:
        served = "server" in getattr(item, "fixturenames", ())
        if served and not item.nodeid.startswith(ON_SERVER):
            raise pytest.UsageError(f"{item.nodeid} uses the server; name its file in ON_SERVER")
    items.sort(key=rank)


def rank(item: pytest.Item) -> int:
    """When a test begins: the smaller, the earlier."""
    if item.nodeid.startswith(ON_SERVER) and not item.get_closest_marker("unit"):
        # Crash cells may spoil the server for others, so they come last.
        return -1 if item.get_closest_marker("crash") else -2
    if item.get_closest_marker("unit"):
        return len(LONGEST) + 2
    file = item.nodeid.partition("::")[0]
    return LONGEST.index(file) if file in LONGEST else len(LONGEST) + ("/foreign/" in file)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Which random scene is played."""
    from tests.differential.soak import drawn_scene

    commit = config.getoption("--draw")
    return [f"random scene drawn by {commit}: {drawn_scene(commit)}"] if commit else []


SECONDS: Counter[str] = Counter()
TESTS: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Counts the seconds of a file, with those of its fixtures."""
    file = report.nodeid.partition("::")[0]
    SECONDS[file] += report.duration  # type: ignore[assignment]
    TESTS[file] += report.when == "call"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The seconds of each file that took at least one, in Markdown."""
    if not config.getoption("--seconds"):
        return
    write = terminalreporter.write_line
    terminalreporter.section("seconds of each file")
    write("| file | tests | seconds |")
    write("|---|--:|--:|")
    few = [file for file in SECONDS if SECONDS[file] < 1]
    for file, seconds in SECONDS.most_common():
        if file not in few:
            write(f"| {file} | {TESTS[file]} | {seconds:.0f} |")
    rest = sum(TESTS[file] for file in few), sum(SECONDS[file] for file in few)
    write(f"| {len(few)} files of less than a second | {rest[0]} | {rest[1]:.0f} |")
    write(f"| all | {TESTS.total()} | {SECONDS.total():.0f} |")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The embedded engine."""
    from dbt_mview import engine
    from tests.support.quick import QUICK

    home = tmp_path_factory.mktemp("engine")
    # As dbt-spark has it from its first statement on: a view that is made before remembers.
    session = engine.session(home, {**QUICK, "spark.sql.ansi.enabled": "false"})
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    """One thrift server for all tests that several dbt processes need, or that kill them."""
    from dbt_mview.thrift import thrift_server
    from tests.support import quick

    with thrift_server(tmp_path_factory.mktemp("server"), settings=quick.SERVER) as running:
        yield running


@pytest.fixture(scope="module")
def module_project(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Project]:
    """The project of one test module, in a schema of the module's name."""
    from tests.support.project import Project

    name = request.module.__name__.rsplit(".", 1)[-1]
    project = Project(tmp_path_factory.mktemp(name) / "p", name, spark)
    spark.sql(f"create schema if not exists {name}")
    yield project
    project.drop()


@pytest.fixture
def project(module_project: Project) -> Any:
    """The module's project without the models of the test before."""
    module_project.forget()
    module_project.configure()
    module_project.artifacts = False
    return module_project


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Moves this process into a zone; the JVM and its session stay where they are."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()
