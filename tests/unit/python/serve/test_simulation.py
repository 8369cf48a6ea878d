"""A pretended cluster, many times over; and the faults that its invariants must see."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sim.__main__ import NIGHT, main, play, play_all
from tests.sim.scripts import LARGE, SMALL, scripted
from tests.sim.sown import BESIDE, FAULTS, sown
from tests.sim.world import TICK, Scene

HOURS = 4
DOCS = Path(__file__).resolve().parents[4] / "docs" / "scheduler-internals.md"


@pytest.mark.parametrize(
    ("first", "last"), [(1, 40), pytest.param(41, 200, marks=pytest.mark.long)]
)
def test_nothing_breaks_an_invariant(first: int, last: int) -> None:
    """200 seeds. `make simulate` plays more hours of them, and says how to repeat one."""
    played = play_all([Scene(seed, hours=HOURS) for seed in range(first, last + 1)], 2)
    assert [(one.scene.seed, one.wrong) for one in played if one.wrong] == []
    assert min(one.refreshes for one in played) > 500
    assert sum(one.failures for one in played) > 5 * len(played)


@pytest.mark.nightly
@pytest.mark.timeout(3 * 3600)
@pytest.mark.parametrize("first", NIGHT)
def test_nothing_breaks_an_invariant_in_a_night(first: int) -> None:
    """10,000 seeds of eight hours, as `make simulate SEEDS=10000` plays them."""
    played = play_all([Scene(seed, hours=8) for seed in range(first, first + NIGHT.step)], 2)
    assert [(one.scene.seed, one.wrong) for one in played if one.wrong] == []


@pytest.mark.nightly
@pytest.mark.timeout(6 * 3600)
def test_a_million_views_for_a_day() -> None:
    played = play(Scene(1, units=1_000_000, hours=24, workers=32))
    assert not played.wrong
    assert played.refreshes > 10_000_000


def test_everything_happens() -> None:
    """What goes wrong, goes wrong in the seeds above."""
    told: set[str] = set()
    for seed in range(1, 40):
        world = scripted(Scene(seed, units=40, hours=HOURS))
        world.note = lambda *what: told.add(str(what[0]))  # type: ignore[method-assign]
        world.play()
    assert {one.__name__ for one in (*LARGE, *SMALL)} <= told
    assert {"busy", "lock lost", "killed", "cancel", "unsettled", "refused", "roll forward"} <= told


def test_in_calm_times_all_starts_at_once() -> None:
    world = scripted(Scene(1, hours=HOURS, is_calm=True))
    world.play()
    assert world.refreshes > 800 and world.failed == 0 and world.latest < TICK // 100


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen(fault: str) -> None:
    _, only = FAULTS[fault]
    with sown(fault):
        assert any(play(Scene(seed, hours=6, only=only)).wrong for seed in range(1, 25))


def test_the_docs_list_the_faults_that_are_sown() -> None:
    text = DOCS.read_text(encoding="utf-8").partition("\n## Faults\n")[2].partition("\n## ")[0]
    listed = [
        one for line in re.findall(r"(?m)^\| (.+) \| .+ \|$", text) for one in line.split("; ")
    ]
    assert sorted(listed[1:]) == sorted([*FAULTS, *BESIDE])


def test_a_seed_decides_everything() -> None:
    """Also in another process, whose strings hash differently."""
    script = (
        "from tests.sim.__main__ import *; p = play(Scene(7, hours=2));"
        " print(p.sum, p.steps, p.refreshes, p.wrong)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    played = play(Scene(7, hours=2))
    assert told == {f"{played.sum} {played.steps} {played.refreshes} {played.wrong}\n"}
    assert play(Scene(8, hours=2)).sum != played.sum


def test_a_seed_that_fails_says_how_to_repeat_it(capsys: pytest.CaptureFixture[str]) -> None:
    with sown("busy is charged"):
        assert main(["--seeds", "1", "--first", "3", "--units", "50", "--hours", "2"]) == 1
    told = capsys.readouterr().out
    again = "again: python -m tests.sim --first 3 --seeds 1 --units 50 --nodes 5 --hours 2"
    assert again in told and "seed 3: at 00:0" in told and " start node" in told
    assert "1 scenes of 50 units" in told and "1 failed" in told
