"""Runs of a node, from their start until state has said what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from dbt_mview.serve import messages as m
from dbt_mview.serve.batches import Lane
from dbt_mview.serve.breaker import Breaker
from dbt_mview.serve.graph import Graph
from dbt_mview.serve.judging import Judge, Run
from dbt_mview.serve.moment import Moment
from dbt_mview.serve.reading import Reading
from dbt_mview.serve.slots import Slots
from dbt_mview.serve.times import backoff
from dbt_mview.serve.unit import CHANGED, DONE, NEVER, RUNNING, Item


@dataclass(slots=True)
class Open:
    """A `Settle` that is not answered yet, or has to be asked again."""

    settle: m.Settle
    tries: int = 0
    at: int = NEVER  # when to ask again; NEVER: it is asked


class Running:
    """Runs of this node, and runs of others that it settles.

    Attributes:
        runs: of this node, by name, until they are settled.
        open: what state was asked of runs, by name.
    """

    __slots__ = (
        "_breaker",
        "_graph",
        "_judge",
        "_moment",
        "_prefix",
        "_reading",
        "_slots",
        "_started",
        "open",
        "runs",
    )

    def __init__(
        self,
        prefix: str,
        moment: Moment,
        graph: Graph,
        reading: Reading,
        slots: Slots,
        breaker: Breaker,
        judge: Judge,
    ) -> None:
        """Nothing runs.

        Args:
            prefix: of the names of runs: node and boot.
            moment: of the core.
            graph: of the project.
            reading: takes rows of runs of other nodes.
            slots: which runs take.
            breaker: which runs open.
            judge: of their units.
        """
        self.runs: dict[str, Run] = {}
        self.open: dict[str, Open] = {}
        self._prefix = prefix
        self._moment = moment
        self._graph = graph
        self._reading = reading
        self._slots = slots
        self._breaker = breaker
        self._judge = judge
        self._started = 0

    def units(self) -> int:
        """How many units run."""
        return sum(len(run.items) for run in self.runs.values())

    def begin(self, lane: Lane, items: list[Item]) -> None:
        """Starts a run."""
        moment = self._moment
        self._started += 1
        name = f"{self._prefix}/{self._started}"
        run = Run(name, lane, items, moment.now, moment.engine)
        for item in items:
            item.state = RUNNING
            item.flags &= ~(CHANGED | DONE)
        self.runs[name] = run
        self._set_deadline(run)
        self._slots.take(lane, len(items))
        ids = self._graph.all_ids(item.id for item in items)
        moment.do(m.Start(name, lane.kind, ids, lane.is_manual))

    # Deadlines, and what ends a run before its time

    def _set_deadline(self, run: Run) -> None:
        """When a run is cancelled: after the timeout that all of its units have."""
        own = run.lane.timeout
        run.deadline = run.began + (self._moment.settings.timeout if own is None else own)

    def set_deadlines(self) -> None:
        """Timeouts are others from now on."""
        for run in self.runs.values():
            self._set_deadline(run)

    def _has_deadline(self, run: Run) -> bool:
        """Whether a run is to be cancelled when its time is over."""
        return run.how is None and not run.reason

    def check_deadlines(self) -> None:
        """Cancels what runs too long. Its slot is free when its process is gone."""
        now = self._moment.now
        for run in self.runs.values():
            if now >= run.deadline and self._has_deadline(run):
                self._cancel(run, "timeout", "holders")

    def next_at(self) -> int:
        """When the next deadline is, or the next question; NEVER for none."""
        times = [run.deadline for run in self.runs.values() if self._has_deadline(run)]
        times += [one.at for one in self.open.values()]
        return min(times, default=NEVER)

    def _cancel(self, run: Run, reason: str, charge: m.Charge) -> None:
        """Has a run cancelled, once."""
        if self._has_deadline(run):
            run.reason, run.charge = reason, charge
            self._moment.do(m.Cancel(run.name, reason))

    def cancel_all(self, reason: str) -> None:
        """Has all runs cancelled, of which none is charged."""
        for run in self.runs.values():
            self._cancel(run, reason, "nobody")

    def cancel_unit(self, unit: str, name: str, reason: str) -> bool:
        """Has the run of a unit cancelled. Returns whether there is one.

        Args:
            unit: that is not over yet, as far as this node knows.
            name: of its view or log, which is charged: whatever the run had in hand meanwhile.
            reason: that it is told.
        """
        for run in self.runs.values():
            is_in_it = any(one.id == unit and not one.flags & DONE for one in run.items)
            if is_in_it and run.how is None:
                if run.reason in ("", reason) and name not in run.charged:
                    run.charged += (name,)
                    self._cancel(run, reason, "all")
                return True
        return False

    def are_over(self) -> bool:
        """Whether nothing runs, and state was asked what became of all that did."""
        # What state does not answer is left to the outbox and the next owner.
        is_running = any(run.how is None for run in self.runs.values())
        return not is_running and all(one.tries for one in self.open.values())

    # Ends

    def has_returned(self, event: m.Returned) -> None:
        """A process is free or gone: so is the slot. Then state is asked what became of it all."""
        run = self.runs.get(event.run)
        if run is None or run.how is not None:
            return
        run.how = event.how
        self._slots.free(run.lane, len(run.items))
        if event.how == "done":
            self._breaker.forget()
        elif not run.reason:
            self._breaker.open()
            if event.how == "died":
                run.has_died()
        ids = self._graph.all_ids(item.id for item in run.items)
        is_recovery = event.how != "done" or bool(run.reason)
        reason = run.reason or {"error": "the run failed", "died": "its process died"}.get(run.how)
        why = reason or ""
        self._settle(m.Settle(run.name, ids, is_recovery, run.charge, why, run.charged))

    def recover(self, orphan: m.Orphan, node: str) -> None:
        """Ends a run of a node that is gone, unless that is done already."""
        if orphan.run not in self.runs and orphan.run not in self.open:
            reason = orphan.reason or f"node {node} is gone"
            charge, charged = orphan.charge, orphan.charged
            self._settle(m.Settle(orphan.run, orphan.units, True, charge, reason, charged))

    def _settle(self, settle: m.Settle) -> None:
        """Asks what became of a run, until state was reached."""
        self.open[settle.run] = Open(settle)
        self._moment.do(settle)

    def state_is_there(self) -> None:
        """State can be reached: what could not be settled is asked again."""
        for one in self.open.values():
            if one.at != NEVER:
                one.at = self._moment.now

    def ask_again(self) -> None:
        """Asks again what state did not answer."""
        now = self._moment.now
        for one in self.open.values():
            if now >= one.at:
                one.at = NEVER
                self._moment.do(one.settle)

    def has_settled(self, event: m.Settled) -> None:
        """Judges each unit of a run by its row; of another node's run, takes the rows."""
        one = self.open.get(event.run)
        if one is None:
            return
        if event.rows is None:
            one.tries += 1
            one.at = self._moment.now + backoff(one.tries)
            return
        del self.open[event.run]
        self._moment.look_at(event.clock)
        run = self.runs.pop(event.run, None)
        if run is None:
            for row in event.rows:
                self._reading.read(row)
            return
        self._judge.judge_all(run, {row.id: row for row in event.rows})
