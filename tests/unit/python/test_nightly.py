"""What a commit draws, and what `make nightly` chooses, remembers and says."""

from __future__ import annotations

import itertools
from hashlib import sha1
from types import SimpleNamespace
from typing import Any

import pytest

from tests.crash.cells import cells
from tests.crash.guards import GUARDS
from tests.crash.meetings import schedules
from tests.differential.faults import FAULTS
from tests.nightly import draw

# What is drawn


def names(hands: list[list[str]], test: str) -> set[str]:
    """The parameters of one test in all hands."""
    return {one.partition("[")[2] for hand in hands for one in hand if f"::{test}[" in one}


def test_the_hands_hold_every_cell_fault_and_guard() -> None:
    crash, faults, guards = draw.crash_hands(), draw.fault_hands(), draw.guard_hands()
    scenes = {cell.scene for cell in cells()} | {one.scene for one in schedules()}
    for scene in scenes:
        mine = [hand for hand in crash if any(f"::Test{scene}::" in test for test in hand)]
        told = names(mine, "test_cell") | names(mine, "test_schedule")
        assert told == {
            *(f"{cell.short_name}]" for cell in cells() if cell.scene == scene),
            *(f"{one.name}]" for one in schedules() if one.scene == scene),
        }
    assert names(faults, "test_a_fault_is_caught") == {f"{name}]" for name in FAULTS}
    assert names(guards, "test_without_the_guard_the_cell_fails") == {f"{one}]" for one in GUARDS}


def test_a_hand_is_ten_cells_of_one_scene_two_faults_or_a_guard() -> None:
    for hand in draw.crash_hands():
        drawn = [test for test in hand if "::test_cell[" in test or "::test_schedule[" in test]
        assert len({test.partition("::test_")[0] for test in drawn}) == 1
        # Some scenes have fewer than ten.
        assert 6 <= len(drawn) <= draw.CELLS
        assert len(drawn) == draw.CELLS or "TestCapture" in drawn[0] or "meetings" in drawn[0]
    for hand in draw.fault_hands():
        assert sum("::test_a_fault_is_caught[" in test for test in hand) == draw.FAULTS
    assert all(len(hand) == 1 for hand in draw.guard_hands())


def test_the_last_hand_is_filled_up() -> None:
    hands = draw.dealt([str(n) for n in range(23)], 10)
    assert [len(hand) for hand in hands] == [10, 10, 10]
    assert len(set(itertools.chain(*hands))) == 23
    assert draw.dealt(["a", "b"], 10) == [["a", "b"]] or draw.dealt(["a", "b"], 10) == [["b", "a"]]


def test_a_commit_always_draws_the_same_and_all_hands_come_round() -> None:
    assert draw.drawn("056774c") == draw.drawn("056774c") != draw.drawn("056774d")
    hands = len(draw.crash_hands())
    # To miss one of n hands in n * (ln n + 5) draws has a chance of e ** -5.
    ids = (sha1(str(n).encode()).hexdigest() for n in range(hands * 10))
    drawn = {draw.number(f"crash {commit}") % hands for commit in ids}
    assert drawn == set(range(hands))


def collected(tests: list[str]) -> tuple[list[Any], list[str]]:
    """Items of these tests, and the list that fills with those that are marked."""
    marked: list[str] = []
    items = []
    for test in tests:
        item = SimpleNamespace(nodeid=test)
        item.add_marker = lambda name, test=test: marked.append(f"{name} {test}")
        items.append(item)
    return items, marked


def test_the_plugin_marks_what_is_drawn_and_misses_what_is_not_there() -> None:
    drawn = [test for hand in draw.drawn("056774c").values() for test in hand]
    items, marked = collected([*drawn, "tests/crash/test_matrix.py::TestGroup::other"])
    config: Any = SimpleNamespace(getoption=lambda name: "056774c", args=["tests"])
    draw.pytest_collection_modifyitems(config, items)
    assert marked == [f"drawn {test}" for test in drawn]
    with pytest.raises(pytest.UsageError, match="drawn, and not there: .*" + "guard"):
        draw.pytest_collection_modifyitems(
            config, collected([draw.GUARDS, *(one for one in drawn if "guard" not in one)])[0]
        )
    # Whoever names a file without any of them gets none.
    draw.pytest_collection_modifyitems(config, collected(["tests/unit/test_layout.py::test_x"])[0])
