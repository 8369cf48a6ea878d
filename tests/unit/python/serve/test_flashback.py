"""Track points: two tasks on one thread, each at its own period, on one node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dbt_mview.serve import flashback
from dbt_mview.serve.flashback import Trackpoints
from dbt_mview.serve.project import Flashback
from dbt_mview.serve.times import SECOND

CREATE, CLEAN = "mview_trackpoint_create", "mview_trackpoint_clean"


class Scene:
    """A node whose clock stands until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, create: float, clean: float) -> None:
        self.second = 0.0
        self.periods: Flashback | None = Flashback(create, clean)
        self.is_mine = True
        self.fails = False
        self.takes = 0.0
        self.done: list[tuple[float, str]] = []
        self.said: list[dict[str, Any]] = []
        monkeypatch.setattr(flashback, "monotonic", lambda: round(self.second * SECOND))
        self.points = Trackpoints(
            self.operate, lambda: self.periods, lambda: self.is_mine, self.say
        )

    def operate(self, operation: str, args: Mapping[str, Any]) -> None:
        assert args == {}
        self.done.append((self.second, operation))
        self.second += self.takes
        if self.fails:
            raise OSError("no engine")

    def say(self, what: str, **fields: Any) -> None:
        self.said.append({"what": what, **fields})

    def until(self, second: float) -> list[tuple[float, str]]:
        """Ticks each second up to one; what was done meanwhile."""
        self.done.clear()
        while self.second < second:
            self.points.tick()
            self.second += 1
        return list(self.done)


def test_each_at_its_own_period(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Scene(monkeypatch, 2, 5).until(11)
    assert [at for at, what in done if what == CREATE] == [0, 2, 4, 6, 8, 10]
    assert [at for at, what in done if what == CLEAN] == [0, 5, 10]


def test_one_that_takes_long_follows_itself_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, 3, 1000)
    scene.takes = 10
    assert [at for at, what in scene.until(40) if what == CREATE] == [0, 21, 32]


def test_disabled_or_of_another_node(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, 1, 1)
    scene.is_mine = False
    assert scene.until(3) == []
    scene.is_mine, scene.periods = True, None
    assert scene.until(6) == []
    scene.periods = Flashback(1, 1)
    assert scene.until(7) == [(6, CREATE), (6, CLEAN)]


def test_a_failure_is_told_and_tried_again_a_minute_later(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, 1, 1000)
    scene.fails = True
    assert [at for at, what in scene.until(100) if what == CREATE] == [0, 60]
    assert scene.said[0] == {"what": "flashback", "operation": CREATE, "problem": "no engine"}
    scene.fails = False
    assert [at for at, _ in scene.until(123)] == [120, 121, 122]
