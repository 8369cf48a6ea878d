"""When state is read: each interval, at once when it is dirty, once a second at most."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.times import SECOND, backoff
from dbt_mview.serve.unit import NEVER

FETCH_AGAIN = SECOND


class Fetches:
    """The one fetch that is asked for, and the next one.

    Attributes:
        pending: asked for and not answered yet.
        asked: when the last one was asked for.
    """

    __slots__ = (
        "_at",
        "_dirty_at",
        "_failures",
        "_is_dirty",
        "_is_forced",
        "_is_whole",
        "_moment",
        "_number",
        "asked",
        "pending",
    )

    def __init__(self, moment: Moment) -> None:
        """The first one reads all, at once."""
        self.pending: m.Fetch | None = None
        self.asked = -NEVER
        self._moment = moment
        self._number = 0
        self._at = 0
        self._is_forced = False
        self._is_dirty = True
        self._dirty_at = 0
        self._is_whole = True
        self._failures = 0

    def make_dirty(self, is_whole: bool = False) -> None:
        """State is to be read at once."""
        self._is_dirty = True
        self._is_whole = self._is_whole or is_whole

    def next_at(self) -> int:
        """When state is read next, if no fetch is pending."""
        at = self._at
        if self._is_dirty:
            at = min(at, self._dirty_at)
        return max(at, self.asked + FETCH_AGAIN)

    def fetch(self) -> None:
        """Asks for state when it is time. What makes it dirty from now on is for the next one."""
        now = self._moment.now
        if self.pending is not None or now < self.next_at():
            return
        self._number += 1
        self.pending = m.Fetch(self._number, self._is_whole)
        self._is_forced, self._is_dirty, self._is_whole = self._is_dirty, False, False
        self.asked = now
        self._moment.do(self.pending)

    def has_answered(self, event: m.Fetched) -> bool:
        """An answer is there. Returns whether it was asked for."""
        if self.pending is None or event.number != self.pending.number:
            return False
        self.pending = None
        self._at = self._moment.now + self._moment.settings.fetch_interval
        self._failures = 0
        self._dirty_at = 0
        return True

    def has_failed(self, event: m.FetchFailed) -> None:
        """The interval begins anew, so that nothing loops; what was forced comes again sooner."""
        if self.pending is None or event.number != self.pending.number:
            return
        now, interval = self._moment.now, self._moment.settings.fetch_interval
        self._is_whole = self._is_whole or self.pending.is_whole
        self.pending = None
        self._at = now + interval
        if self._is_forced:
            self._failures += 1
            self._dirty_at = now + backoff(self._failures, SECOND, interval)
            self._is_dirty = True

    def take_settings(self) -> None:
        """The interval may be shorter; all rows are judged anew."""
        interval = self._moment.settings.fetch_interval
        self._at = min(self._at, self._moment.now + interval)
        self.make_dirty(is_whole=True)
