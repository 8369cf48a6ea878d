"""Next times of cron schedules, worked out here and written to state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbt_mview.serve import messages as m
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.times import next_cron


class Plans:
    """Those of this step, and those that are being written.

    Attributes:
        problems: by id, why an expression could not be worked out.
    """

    __slots__ = ("_after", "_moment", "_times", "_writing", "problems")

    def __init__(self, moment: Moment) -> None:
        """Nothing is planned."""
        self.problems: dict[str, str] = {}
        self._moment = moment
        self._times: dict[str, int] = {}
        self._after: dict[str, int | None] = {}
        self._writing: set[str] = set()

    def work_out(self, ids: Sequence[str], rows: Mapping[str, m.Row], row: m.Row) -> None:
        """Works the expressions of a unit out; state is told of all at the end of the step.

        Args:
            ids: of its views and logs.
            rows: of those that have one of their own.
            row: of the others.
        """
        for name in ids:
            one = rows.get(name, row)
            if one.cron is None or one.next_time is not None or name in self._writing:
                continue
            after = self._moment.engine if one.cron.after is None else one.cron.after
            try:
                self._times[name] = next_cron(one.cron.cron, one.cron.zone, after)
                self._after[name] = one.cron.after
                self.problems.pop(name, None)
            except ValueError as error:
                self.problems[name] = str(error)

    def write(self) -> None:
        """Has all next times written at once that were worked out in this step."""
        if self._times:
            self._moment.do(m.Plan(self._times, self._after))
            self._writing.update(self._times)
            self._times, self._after = {}, {}

    def were_written(self, event: m.Planned) -> None:
        """They were, or not: a row without a time is planned again."""
        self._writing.difference_update(event.ids)
