"""What a commit draws for CI to play: crash cells, sown faults, a guard, shapes, tests in turn.

The cells of one scene make hands of ten, by the hash of their names; scenes are dear to begin, so a
commit draws one hand, out of one scene. Which one is the hash of the commit id modulo their number.
Commit ids are as good as random: each hand has the same chance with every commit, so all come
round, each on average once in as many commits as there are hands. `make nightly` plays them all.

In a file that is marked `in_turn`, what is marked `smoke` or `always` is in CI with every commit;
the other tests are `nightly`, and a commit draws half of these files, and one test of each. Of the
shapes of test_fast.py it draws six, and six of the queries that are refused there; of those of
test_another_day.py four, and three.

A pytest plugin: what `--draw COMMIT` draws is marked `drawn`, before `-m` is looked at:

    pytest -m "(not nightly and not crash) or drawn" --draw $(git rev-parse HEAD)

Not drawn are tests in which engines die or disks are full; each has an engine or a disk of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

import pytest

T = TypeVar("T")
CELLS = 10
FAULTS = 2
SHAPES = 6
MATRIX = "tests/crash/test_matrix.py"
MEETINGS = "tests/crash/test_meetings.py"
GUARDS = "tests/crash/test_guards.py::test_without_the_guard_the_cell_fails"
CAUGHT = "tests/differential/test_faults.py::test_a_fault_is_caught"
SOUND = "tests/differential/test_faults.py::test_without_a_fault_it_is_equal"


def number(text: str) -> int:
    """A number that is always the same for a text, and as good as random."""
    return int(sha256(text.encode()).hexdigest(), 16)


def dealt(names: list[str], size: int) -> list[list[str]]:
    """Hands of this size that hold every name; the last may share some with the one before."""
    mixed = sorted(names, key=number)
    starts = range(0, len(mixed), size)
    return [mixed[max(0, min(start, len(mixed) - size)) :][:size] for start in starts]


def crash_hands() -> list[list[str]]:
    """All hands of cells, each with the test that holds its scene to what is written of it."""
    from tests.crash.cells import cells
    from tests.crash.meetings import TOUCHING, schedules

    matrix: dict[str, list[str]] = {}
    for cell in cells():
        matrix.setdefault(f"{MATRIX}::Test{cell.scene}", []).append(cell.short_name)
    met: dict[str, list[str]] = {}
    for schedule in schedules():
        met.setdefault(schedule.scene, []).append(schedule.name)
    found = [
        [f"{scene}::test_points_are_all_known", *(f"{scene}::test_cell[{one}]" for one in hand)]
        for scene, names in matrix.items()
        for hand in dealt(names, CELLS)
    ]
    for scene, names in met.items():
        touching = [f"{MEETINGS}::test_all_that_touches_the_base[{scene}]"]
        found += [
            [
                *(touching if scene in TOUCHING else []),
                *(f"{MEETINGS}::Test{scene}::test_schedule[{one}]" for one in hand),
            ]
            for hand in dealt(names, CELLS)
        ]
    return found


def fault_hands() -> list[list[str]]:
    """Two faults each, of one run where that is possible, and their views without a fault."""
    from tests.differential.faults import FAULTS as SOWN
    from tests.differential.faults import RUNS, VIEWS

    names = [name for run in RUNS for name in run]
    starts = range(0, len(names), FAULTS)
    hands = [names[min(start, len(names) - FAULTS) :][:FAULTS] for start in starts]
    return [
        [
            *(f"{CAUGHT}[{name}]" for name in hand),
            *(f"{SOUND}[{view}]" for view in VIEWS if view in {SOWN[one].view for one in hand}),
        ]
        for hand in hands
    ]


def guard_hands() -> list[list[str]]:
    """One guard each."""
    from tests.crash.guards import GUARDS as SET

    return [[f"{GUARDS}[{name}]"] for name in SET]


def one_of(hands: Sequence[T], kind: str, commit: str) -> T:
    """The hand, or the test, that a commit draws."""
    return hands[number(f"{kind} {commit}") % len(hands)]


def shapes(names: Iterable[str], commit: str | None, size: int = SHAPES) -> list[str]:
    """So many of some shapes as a commit draws them; all where there is none."""
    return one_of(dealt([*names], size), "shapes", commit) if commit else [*names]


def comes_in_turn(item: pytest.Item) -> bool:
    """Whether its file is marked so, and it is neither played always nor in the nightly alone."""
    marked = item.get_closest_marker
    return bool(marked("in_turn") and not any(map(marked, ("smoke", "always", "nightly"))))


def in_turn(items: list[pytest.Item], commit: str) -> list[str]:
    """The tests that a commit draws of these, which come in turn: one each of half of the files."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(item.nodeid.partition("::")[0], []).append(item.nodeid)
    files = sorted(found, key=lambda file: number(f"{commit} {file}"))[: (len(found) + 1) // 2]
    return [one_of(sorted(found[file], key=number), file, commit) for file in files]


def drawn(commit: str) -> dict[str, list[str]]:
    """The tests that a commit draws, by their kind.

    Args:
        commit: its id.
    """
    hands = {"crash": crash_hands(), "fault": fault_hands(), "guard": guard_hands()}
    return {kind: one_of(some, kind, commit) for kind, some in hands.items()}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of this plugin."""
    parser.addoption("--draw", metavar="COMMIT", help="mark what this commit id draws as `drawn`")


def pytest_configure(config: pytest.Config) -> None:
    """The marker of this plugin."""
    config.addinivalue_line(
        "markers", "drawn: what --draw drew: a crash cell, a fault, a test in turn"
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says what is drawn."""
    commit = config.getoption("--draw")
    if not commit:
        return []
    tests = [test for hand in drawn(commit).values() for test in hand]
    return [f"drawn by {commit}:", *(f"  {test}" for test in tests)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what is drawn; what comes in turn is nightly as well.

    Raises:
        pytest.UsageError: a test is drawn that its file does not have.
    """
    others = [item for item in items if comes_in_turn(item)]
    for item in others:
        item.add_marker("nightly")
    commit = config.getoption("--draw")
    if not commit:
        return
    wanted = {test for hand in drawn(commit).values() for test in hand}
    wanted |= {*in_turn(others, commit)}
    for item in items:
        if item.nodeid in wanted:
            item.add_marker("drawn")
            wanted.remove(item.nodeid)
    files = {item.nodeid.partition("::")[0] for item in items}
    missing = sorted(test for test in wanted if test.partition("::")[0] in files)
    if missing and not any("::" in arg for arg in config.args):
        raise pytest.UsageError(f"drawn, and not there: {', '.join(missing)}")
