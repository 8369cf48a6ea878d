"""Which cells there are: every statement of every scene, with every death that means something."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.crash.death import Death, Way

POINTS = Path(__file__).with_name("points.txt")
BAD = ("Fails", "publish")  # fails by itself
WAYS = (Way.SENT, Way.AFTER, Way.ERROR, Way.LOST, Way.TWICE)
ENDS_WELL = (Way.AFTER, Way.TWICE)  # what needs a statement that does


@dataclass(frozen=True)
class Cell:
    """One scene with one death."""

    scene: str
    death: Death

    @property
    def name(self) -> str:
        """What dies, where and how."""
        return f"{self.scene}-{self.short_name}"

    @property
    def short_name(self) -> str:
        """The name within its scene."""
        return f"{self.death.point}-{self.death.way}"


def points() -> dict[str, list[tuple[str, str]]]:
    """The statements of each scene in their order, each with `w` (writes) or `r` (reads)."""
    found = {}
    for line in POINTS.read_text().splitlines():
        scene, _, steps = line.partition(":")
        found[scene] = [(step.lower(), "w" if step.isupper() else "r") for step in steps.split()]
    return found


def written(scene: str, steps: list[tuple[str, str]]) -> str:
    """A scene's line of points.txt: statements that write are in capitals."""
    return f"{scene}: " + " ".join(step.upper() if kind == "w" else step for step, kind in steps)


def cells() -> list[Cell]:
    """All cells. To die before a statement is to die after the one before it, so only the first
    is died before, and what comes after one that does not end well; what reads can only fail,
    which matters once something was written."""
    found = []
    for scene, steps in points().items():
        wrote = ended = False
        for point, kind in steps:
            if kind == "r":
                ways = [Way.ERROR] if wrote else []
            else:
                ways = [] if ended else [Way.BEFORE]
                wrote, ended = True, (scene, point) != BAD
                ways += [way for way in WAYS if ended or way not in ENDS_WELL]
            found += [Cell(scene, Death(point, way)) for way in ways]
    return found
