"""Each macro is called by some unit test: a run of all of them ends with those that are not.

What a test calls, and what that calls, is noted in `tests/unit/kit/harness.py`, on each worker. It
is judged where the whole of these tests was played, and nothing failed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

UNIT = Path(__file__).resolve().parents[1] / "unit"
CALLED: set[str] = set()
PLAYED: set[str] = set()


def modules() -> set[str]:
    """The modules of unit tests of macros, as node ids name them."""
    files = [*UNIT.glob("test_*.py"), *UNIT.glob("*/test_*.py")]
    root = UNIT.parents[1]
    return {file.relative_to(root).as_posix() for file in files if file.parent.name != "python"}


def uncalled(macros: set[str], config: Any) -> list[str]:
    """The macros that no test called, where all tests of macros were played.

    Args:
        macros: all names.
        config: pytest's.
    """
    picked = config.option.keyword or any("::" in one for one in config.args)
    return [] if picked or not modules() <= PLAYED else sorted(macros - CALLED)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes which modules are played."""
    PLAYED.add(report.nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended."""
    CALLED.update(getattr(node, "workeroutput", {}).get("called", ()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker says what was called; whoever has heard all judges."""
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["called"] = sorted(CALLED)
    elif session.exitstatus == pytest.ExitCode.OK and (left := uncalled(defined(), config)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        config.stash[LEFT] = left


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Names what is left."""
    for name in config.stash.get(LEFT, []):
        terminalreporter.write_line(f"FAILED: no unit test calls the macro {name}", red=True)


def defined() -> set[str]:
    """The names of all macros, as the harness calls them."""
    from tests.unit.kit.templates import files_of_macros

    return set(files_of_macros())


LEFT = pytest.StashKey[list[str]]()
