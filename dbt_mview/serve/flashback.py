"""Track points, made and cleaned: two tasks on one thread, each at its own period.

Of several nodes one does it, the owner of its key on the ring. Two that both think so harm nothing:
Delta drops the older track point of the two, and a cleaning that finds nothing writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.project import Flashback
from dbt_mview.serve.times import SECOND

KEY = "flashback"
# After a failure: what fails each second is told each minute.
PAUSE = 60 * SECOND
OPERATIONS = {"create": "mview_trackpoint_create", "clean": "mview_trackpoint_clean"}


class Trackpoints:
    """Sees each second which of the two is due."""

    def __init__(
        self,
        operate: Callable[[str, Mapping[str, Any]], object],
        periods: Callable[[], Flashback | None],
        is_mine: Callable[[], bool],
        say: Callable[..., None],
    ) -> None:
        """Does nothing yet.

        Args:
            operate: runs an operation of the dbt package.
            periods: of the two, in seconds; None while flashback is disabled or nothing is known.
            is_mine: whether this node does it.
            say: writes a line of the log.
        """
        self._operate = operate
        self._periods = periods
        self._is_mine = is_mine
        self._say = say
        self._due = dict.fromkeys(OPERATIONS, 0)

    def tick(self) -> None:
        """Does what is due. May take as long as two operations."""
        periods = self._periods()
        if periods is None or not self._is_mine():
            return
        for task, period in (("create", periods.create), ("clean", periods.clean)):
            began = monotonic()
            if began < self._due[task]:
                continue
            # From its beginning on: one that takes longer than its period follows itself at once.
            self._due[task] = began + round(period * SECOND)
            try:
                self._operate(OPERATIONS[task], {})
            except OSError as error:
                self._due[task] = max(self._due[task], monotonic() + PAUSE)
                self._say("flashback", operation=OPERATIONS[task], problem=str(error))
