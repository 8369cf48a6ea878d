"""What a service connects the core to: clock, state, members, workers.

The core asks by actions and is answered by events (`dbt_mview.serve.messages`). These protocols say
who does what for it; each call may block, so a service makes it on a thread of its own, and hands
what it returns to the one thread that owns the core:

    core = Core(node, boot, settings, seed)
    while True:
        events = inbox.take(until=core.wake())      # blocks; a put wakes it
        for action in core.step(clock.now(), events):
            do(action)                              # on other threads; answers go to the inbox
            if isinstance(action, Stopped):
                return

Beyond the answers, a service puts into the inbox, when it happens: `Beats` each 5 seconds (none
while the database cannot be reached), `Project` at the start and after a reload (`ProjectFailed`
if it does not parse), `Dirty` for a new commit on state, `Set`, `RunNow`, `CancelNow`,
`SourcesChanged`, `Memory`, and `Stop` for a signal. The core starts nothing before it was given a
`Project` and a `Beats`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from dbt_mview.serve import messages as m


class Clock(Protocol):
    """The monotonic clock of this process."""

    def now(self) -> int:
        """Microseconds; never less than before. (`time.monotonic_ns() // 1000`)"""


class State(Protocol):
    """State in Delta: of all views and logs, of whichever project."""

    def fetch(self, action: m.Fetch) -> m.Fetched | m.FetchFailed:
        """Reads views and logs, both or neither, in bounded time.

        A row comes with the largest version that is known of it, and `next_time` and `retry_time`
        as the maximum statistic. If not all rows are wanted, those suffice that have changed since
        the last answer of this method; after a failure all are asked for.
        """

    def settle(self, action: m.Settle, took: Mapping[str, float], owner: str | None) -> m.Settled:
        """Recovers and charges as asked, then reads the rows of the run, by a look of its own.

        The rows decide what became of each unit, so they must be as new as the end of the run. If
        anything could not be done, `rows` is None, what was to be charged is kept in the outbox,
        and the core asks again, at the next contact with state or after a backoff. Doing it twice
        must be the same as once. When all is done, the row of `run` and what the outbox has of it
        are deleted.

        Args:
            action: what the core wants.
            took: seconds that dbt has measured, by id.
            owner: dbt's invocation id, empty for a run that never had one; None where only the
                database may know it.
        """

    def plan(self, action: m.Plan) -> m.Planned:
        """Writes next times of cron schedules, where state is as it was read."""

    def poll(self, action: m.PollSources) -> m.SourcesChanged:
        """Lists the sources of views from their known versions on.

        Commits without new data only move what is known. A change is told again until a refresh of
        the view begins: a view may leave a node meanwhile, and come back.
        """


class Members(Protocol):
    """The database that all nodes share."""

    def beat(self) -> m.Beats:
        """Writes this node's heartbeat by the database's clock, and reads all; each 5 seconds.

        It says that the node is starting until its project was parsed and state was read: what
        takes no work owns none.

        Raises:
            OSError: the database cannot be reached; then the core is told nothing.
        """

    def leave(self) -> None:
        """Deletes this node's heartbeat."""

    def find_runs(self, action: m.FindRuns) -> m.Orphans:
        """Reads the runs of a node, with what its outbox holds of each.

        Raises:
            OSError: as above; the core asks again after the next heartbeat.
        """


class Workers(Protocol):
    """The processes that run dbt: `Executor`, and `Service` for the probe."""

    def start(self, action: m.Start) -> m.Returned:
        """Writes the row of `run`, runs the command, and returns when its process is free or gone.

        A command that ended by itself is `done`, also if views failed: state says which. `error`
        is one that failed as a whole: no connection, a project that does not parse. `died`: the
        process is gone, whoever ended it.
        """

    def cancel(self, action: m.Cancel) -> None:
        """Interrupts a command, and kills it after a while. `start` returns in any case."""

    def probe(self) -> m.Probed:
        """Whether dbt connects and parses."""
