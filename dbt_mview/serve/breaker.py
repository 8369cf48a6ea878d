"""The breaker: after a run that failed as a whole nothing starts until a probe is good."""

from __future__ import annotations

from dbt_mview.serve import messages as m
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.times import MINUTE, SECOND, backoff
from dbt_mview.serve.unit import NEVER

PROBE_FIRST, PROBE_MOST = 5 * SECOND, MINUTE


class Breaker:
    """Closed, or open with a time of the next probe.

    Attributes:
        probe_at: when it comes, NEVER while it is out; None where the breaker is closed.
    """

    __slots__ = ("_errors", "_moment", "probe_at")

    def __init__(self, moment: Moment) -> None:
        """It is closed."""
        self.probe_at: int | None = None
        self._errors = 0
        self._moment = moment

    def open(self) -> None:
        """A run failed as a whole, or a probe."""
        if self.probe_at is None:
            self._errors += 1
            wait = backoff(self._errors, PROBE_FIRST, PROBE_MOST)
            self.probe_at = self._moment.now + wait

    def probe(self) -> None:
        """Sends a probe when it is time."""
        if self.probe_at is not None and self._moment.now >= self.probe_at:
            self.probe_at = NEVER
            self._moment.do(m.Probe())

    def has_probed(self, is_good: bool) -> bool:
        """A probe is answered. Returns whether all starts again."""
        if self.probe_at is None:
            return False
        self.probe_at = None
        if not is_good:
            self.open()
        return is_good

    def forget(self) -> None:
        """A run came to its end: the errors before it count no more."""
        self._errors = 0
