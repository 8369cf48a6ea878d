"""Which macros no unit test calls is said where all of these tests were played."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support import called
from tests.unit.kit.harness import Dbt

ALL = called.modules()


def config(*args: str, keyword: str = "") -> Any:
    return SimpleNamespace(args=args, option=SimpleNamespace(keyword=keyword))


def test_what_is_called_is_noted_and_what_that_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.unit.kit.harness.CALLED", found := set[str]())
    Dbt()("_literals", ["a"])
    assert {"_literals", "_literal"} <= found


@pytest.mark.parametrize(
    ("played", "given", "left"),
    [
        (ALL, config("tests"), ["_b"]),
        (ALL | {"tests/functional/test_fast.py"}, config(), ["_b"]),
        (set(list(ALL)[1:]), config("tests"), []),
        (ALL, config("tests", keyword="rows"), []),
        (ALL, config("tests/unit/base/test_run.py::test_one"), []),
    ],
)
def test_what_is_left(
    monkeypatch: pytest.MonkeyPatch, played: set[str], given: Any, left: list[str]
) -> None:
    monkeypatch.setattr(called, "PLAYED", set(played))
    monkeypatch.setattr(called, "CALLED", {"_a"})
    assert called.uncalled({"_a", "_b"}, given) == left


def test_all_modules_of_macros_are_waited_for() -> None:
    assert {"tests/unit/test_layout.py", "tests/unit/base/test_run.py"} <= ALL
    assert not any("/python/" in one for one in ALL)


def test_a_worker_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(called, "CALLED", found := set[str]())
    called.pytest_testnodedown(SimpleNamespace(workeroutput={"called": ["_a"]}))
    called.pytest_testnodedown(SimpleNamespace())  # it crashed
    assert found == {"_a"}


@pytest.mark.parametrize("exitstatus", pytest.ExitCode)
def test_who_judges(monkeypatch: pytest.MonkeyPatch, exitstatus: Any) -> None:
    monkeypatch.setattr(called, "uncalled", lambda macros, config: ["_b"])
    worker = SimpleNamespace(workeroutput={})
    called.pytest_sessionfinish(SimpleNamespace(config=worker, exitstatus=exitstatus))  # type: ignore[arg-type]
    assert worker.workeroutput == {"called": sorted(called.CALLED)}
    session: Any = SimpleNamespace(config=SimpleNamespace(stash={}), exitstatus=exitstatus)
    called.pytest_sessionfinish(session)
    judged = exitstatus == pytest.ExitCode.OK
    assert session.config.stash == ({called.LEFT: ["_b"]} if judged else {})
    assert session.exitstatus == (pytest.ExitCode.TESTS_FAILED if judged else exitstatus)
