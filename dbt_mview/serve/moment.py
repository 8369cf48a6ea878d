"""What the parts of a core share while it steps: the time, the settings, what is to be done."""

from __future__ import annotations

from dbt_mview.serve import messages as m


class Moment:
    """One step, and what lasts from one to the next.

    Attributes:
        now: monotonic time.
        offset: the engine's clock minus the monotonic one.
        engine: the engine's clock.
        settings: the live ones.
        actions: what this step wants done.
    """

    __slots__ = ("actions", "engine", "now", "offset", "settings")

    def __init__(self, settings: m.Settings) -> None:
        """Before the first step."""
        self.now = 0
        self.offset = 0
        self.engine = 0
        self.settings = settings
        self.actions: list[m.Action] = []

    def begin(self, now: int) -> None:
        """A step begins."""
        self.now = now
        self.engine = now + self.offset
        self.actions = []

    def do(self, action: m.Action) -> None:
        """Has something done."""
        self.actions.append(action)

    def look_at(self, clock: m.Clock | None) -> None:
        """Takes the engine's clock, where there was a look at it."""
        if clock is not None:
            self.offset = clock.engine - clock.at
            self.engine = self.now + self.offset
