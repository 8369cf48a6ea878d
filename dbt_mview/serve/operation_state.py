"""State as the engine tells it, by a run-operation: where storage cannot be read from here."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.clock import monotonic
from dbt_mview.serve.delta_log import Unreadable
from dbt_mview.serve.log_state import Detail, checked, detail_of, nameless, row_of

if TYPE_CHECKING:
    from dbt_mview.schedule import RunOperation

OPERATION = "mview_due"
MARK = "state: "


class OperationState:
    """Reads state by `mview_due`, with the methods of `LogState`.

    Args:
        run: runs a run-operation of the package; raises OSError where dbt failed.
        now: microseconds of the monotonic clock; a test may give its own.
    """

    def __init__(self, run: RunOperation, now: Callable[[], int] = monotonic) -> None:
        """Reads nothing yet."""
        self._run, self._now = run, now
        self._details: dict[str, Detail] = {}
        self.clock: m.Clock | None = None  # the engine's, as of the last answer

    def fetch(self, action: m.Fetch) -> m.Fetched:
        """All rows, with the engine's clock.

        Raises:
            OSError: dbt failed; `Unreadable`: it printed no answer.
        """
        rows, details = self._ask({"format": "state"})
        self._details = details
        return m.Fetched(action.number, rows, True, clock=self.clock)

    def read(self, ids: Collection[str]) -> tuple[m.Row, ...]:
        """The rows of these, as new as now; what is not in state is left out.

        Raises:
            OSError: as for `fetch`.
        """
        if not ids:
            return ()
        rows, details = self._ask({"format": "state", "ids": list(ids)})
        self._details = {**self._details, **details}
        return rows

    def is_changed(self) -> bool:
        """False: nothing is known before the next `fetch`."""
        return False

    def details(self) -> Mapping[str, Detail]:
        """By id, what the page shows of the rows that were read last."""
        return self._details

    def _ask(self, args: dict[str, Any]) -> tuple[tuple[m.Row, ...], dict[str, Detail]]:
        """Runs the operation. Also notes the engine's clock."""
        lines = self._run(OPERATION, args)
        at = self._now()
        line = next((line for line in lines if line.startswith(MARK)), None)
        if line is None:
            raise Unreadable(
                f"dbt run-operation {OPERATION} printed no state: "
                "is the package dbt_mview of the project as new as this service?"
            )
        answer = json.loads(line.removeprefix(MARK))
        self.clock = m.Clock(answer["clock"], at)
        named = [values for values in answer["rows"] if values["id"] is not None]
        details = {values["id"]: _detail(values) for values in named}
        without = Counter(values["kind"] for values in answer["rows"] if values["id"] is None)
        for kind, count in without.items():
            details |= nameless(kind, count)
        return tuple(map(_row, named)), details


def _row(values: Mapping[str, Any]) -> m.Row:
    times = ("next_time", "retry_time", "ended", "lease_until", "paused_time")
    return row_of(
        values["id"],
        values["version"],
        failures=values["failures"],
        schedule=checked(values["schedule"])[0],
        took=values["took"],
        **{name: values[name] for name in times},
    )


def _detail(values: Mapping[str, Any]) -> Detail:
    reason = values["reason"] if values["failures"] else None
    return detail_of(values["kind"], values["schedule"], reason)
