"""How the tests are shared out among workers, and what they print at the end."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


class Item:
    """As much of a pytest item as its rank needs."""

    def __init__(self, nodeid: str, *marks: str, fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid, self.marks, self.fixturenames = nodeid, marks, fixtures

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def splitting(**options: bool) -> Any:
    scopes = conftest.Scopes.__new__(conftest.Scopes)
    scopes.config = SimpleNamespace(getoption=options.get)
    return scopes._split_scope


def test_all_on_the_server_are_one_scope() -> None:
    split = splitting()
    assert split("tests/functional/test_concurrency.py::test_a") == "server"
    assert split("tests/crash/test_matrix.py::TestGroup::test_cell[a]") == "server"
    assert split("tests/functional/test_log.py::test_a") == "tests/functional/test_log.py"
    assert split("tests/foreign/test_a.py::TestA::test_a") == "tests/foreign/test_a.py::TestA"


def test_all_on_engines_can_be_one_scope() -> None:
    split = splitting(one_engine=True)
    assert split("tests/functional/test_log.py::test_a") == "engine"
    assert split("tests/functional/test_fast.py::test_a") == "engine"
    assert split("tests/unit/test_layout.py::test_a") == "tests/unit/test_layout.py"


def test_long_ones_begin_first_and_unit_tests_come_last() -> None:
    ordered = [
        Item("tests/functional/test_concurrency.py::test_a", "thrift", fixtures=("server",)),
        Item("tests/crash/test_matrix.py::test_a", "crash", fixtures=("server",)),
        *(Item(f"{file}::test_a", "spark") for file in conftest.LONGEST),
        Item("tests/functional/test_state.py::test_a", "spark"),
        Item("tests/foreign/test_table_classes.py::TestA::test_a", "foreign"),
        Item("tests/crash/test_guards.py::test_b", "unit"),
        Item("tests/unit/test_layout.py::test_a", "unit"),
    ]
    items: list[Any] = ordered[::-1]
    conftest.pytest_collection_modifyitems(items)
    ranks = [conftest.rank(item) for item in items]
    assert ranks == sorted(ranks)
    assert items[:-2] == ordered[:-2] and set(items[-2:]) == set(ordered[-2:])


def test_a_file_that_uses_the_server_is_named() -> None:
    item: Any = Item("tests/functional/test_state.py::test_a", "thrift", fixtures=("server",))
    with pytest.raises(pytest.UsageError, match=r"test_state\.py::test_a uses the server"):
        conftest.pytest_collection_modifyitems([item])


def test_long_files_are_there() -> None:
    for place in (*conftest.LONGEST, *conftest.ON_SERVER):
        assert (conftest.ROOT / place).exists(), place


def test_the_seconds_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """With those of its fixtures, and files of less than a second together."""
    lines: list[str] = []
    reporter = SimpleNamespace(write_line=lines.append, section=lines.append)
    config: Any = SimpleNamespace(getoption=lambda name: True)
    with monkeypatch.context() as patch:  # this test is to be counted as well
        patch.setattr(conftest, "SECONDS", Counter())
        patch.setattr(conftest, "TESTS", Counter())
        for file, when, duration in (
            ("a.py", "setup", 2.0),
            ("a.py", "call", 1.5),
            ("b.py", "call", 0.25),
            ("c.py", "call", 0.5),
        ):
            report: Any = SimpleNamespace(nodeid=f"{file}::test", when=when, duration=duration)
            conftest.pytest_runtest_logreport(report)
        conftest.pytest_terminal_summary(reporter, config)
    assert lines[3:] == [
        "| a.py | 1 | 4 |",
        "| 2 files of less than a second | 2 | 1 |",
        "| all | 3 | 4 |",
    ]
