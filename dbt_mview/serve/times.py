"""Durations, backoff, jitter, cron, and windows in which nothing starts.

All times of the scheduler are integers of microseconds, so that no comparison depends on rounding:
of the monotonic clock (waits), or since the epoch by the engine's clock (what is due).
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from dbt_mview.schedule import micros, moment, next_fire

SECOND = 1_000_000
MINUTE = 60 * SECOND
# What is retried waits as long as a view that failed (macros/schedule, TiDB's retryDelay).
RETRY_FIRST = 5 * SECOND
RETRY_MOST = 5 * MINUTE


def utc(at: int) -> str:
    """A time as people read it.

    Args:
        at: microseconds since the epoch.
    """
    return f"{moment(at):%Y-%m-%d %H:%M:%S} UTC"


def backoff(tries: int, first: int = RETRY_FIRST, most: int = RETRY_MOST) -> int:
    """How long to wait after a number of tries: `first`, then twice as long each, up to `most`.

    Args:
        tries: how often it has failed, 1 or more.
        first: microseconds after the first failure.
        most: the longest wait in microseconds.
    """
    # Doubling 40 times is more than any wait; a larger shift would only make a huge number.
    return min(first << min(tries - 1, 40), most)


def jitter(seed: int, name: str, tries: int) -> int:
    """What is added to a retry: 0 to 10 percent of its wait, the same for the same arguments.

    Args:
        seed: of the node.
        name: id of the unit.
        tries: how often it has failed.

    Returns:
        Microseconds.
    """
    if tries < 1:
        return 0
    return backoff(tries) // 10 * crc32(f"{seed}:{name}:{tries}".encode()) >> 32


def next_cron(cron: str, zone: str, after: int) -> int:
    """Give the first time after a moment at which a cron expression fires.

    Args:
        cron: five fields.
        zone: name of a time zone.
        after: microseconds since the epoch.

    Returns:
        Microseconds since the epoch.

    Raises:
        ValueError: see `dbt_mview.schedule.next_fire`.
    """
    return micros(next_fire(cron, zone, moment(after)))


@dataclass(frozen=True, slots=True)
class Hold:
    """A window without planned starts, each time that a cron expression fires.

    Args:
        cron: five fields.
        zone: name of a time zone.
        duration: microseconds, from the moment at which it fires.
        ids: the units it holds; None for all.

    Raises:
        ValueError: the expression is none, no such zone is known here, or it lasts no time.
    """

    cron: str
    zone: str
    duration: int
    ids: frozenset[str] | None = None

    def __post_init__(self) -> None:
        """Works it out once, so that nothing fails later."""
        next_cron(self.cron, self.zone, 0)
        if self.duration < SECOND:
            raise ValueError(f"hold '{self.cron}' is shorter than a second: give one or more")


class Holds:
    """Until when a unit is held. Each expression is worked out once a window, not once a unit."""

    __slots__ = ("_windows",)

    def __init__(self, holds: tuple[Hold, ...]) -> None:
        """Takes the windows.

        Args:
            holds: of the settings.
        """
        # Of each hold: the fire that was worked out last, and from when on that answer holds.
        self._windows: list[tuple[Hold, int, int]] = [(hold, 0, 1) for hold in holds]

    def until(self, name: str, now: int) -> int:
        """When the last window ends that holds a unit now; 0 if none does.

        Args:
            name: id of the unit.
            now: microseconds since the epoch.
        """
        end = 0
        for index, (hold, fires, since) in enumerate(self._windows):
            if hold.ids is not None and name not in hold.ids:
                continue
            # The first fire after `now - duration` is the window's begin, if it is not ahead.
            if not since <= now < fires + hold.duration:
                fires = next_cron(hold.cron, hold.zone, now - hold.duration)
                self._windows[index] = hold, fires, now
            if fires <= now:
                end = max(end, fires + hold.duration)
        return end
