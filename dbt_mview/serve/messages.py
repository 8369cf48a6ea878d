"""What the core is told (events), what it wants done (actions), and what both are made of.

Times are integers of microseconds: `at`, `now` of the monotonic clock; all others since the epoch
by the engine's clock, unless they say otherwise. A *unit* is what is refreshed at once: a view, a
log, or a whole refresh group; its id is that of the view or the log, or `group:` and its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dbt_mview.serve.ring import VIRTUAL_NODES
from dbt_mview.serve.times import MINUTE, SECOND, Hold

Kind = Literal["view", "log"]
# How a run came back. done: the command ran, state says what became of each unit; error: of the
# run as a whole (connection, parse); died: its process is gone.
How = Literal["done", "error", "died"]
# Whom a failure is written down for: nobody; whoever the run holds the lock of; all of its units.
Charge = Literal["nobody", "holders", "all"]


# What state and project say


@dataclass(frozen=True, slots=True)
class Cron:
    """A schedule whose next time is yet to be worked out.

    Args:
        cron: five fields.
        zone: name of a time zone.
        after: from when it counts; None for now.
    """

    cron: str
    zone: str
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The row of one view or log in state, as it was read.

    Args:
        id: catalog.schema.identifier.
        version: of the commit on the state table that wrote it, or at which it was read: of two
            readings of a row, the larger is the newer.
        next_time: when it is due; where it was read from statistics of Delta's log, which are
            milliseconds, the *maximum*: a millisecond too early would be a manual refresh.
        retry_time: when it is to be tried again after a failure; likewise.
        failures: since the last success.
        ended: last_refresh_time; None for logs, and for views that were never refreshed.
        lease_until: until when somebody holds its lock; None for nobody.
        paused_time: since when it is, by `mview_pause`; None for one that is not.
        took: seconds of the last refresh; None where the reading does not say, or for a new one.
        cron: of a schedule without a next time.
        at_most_every: microseconds. Given: it is due only once a source has changed as well.
    """

    id: str
    version: int
    next_time: int | None
    retry_time: int | None = None
    failures: int = 0
    ended: int | None = None
    lease_until: int | None = None
    paused_time: int | None = None
    took: float | None = None
    cron: Cron | None = None
    at_most_every: int | None = None

    @property
    def due(self) -> int | None:
        """When it is due by its row: a retry counts, where there is one."""
        return self.next_time if self.retry_time is None else self.retry_time


@dataclass(frozen=True, slots=True)
class Model:
    """What the project says of one view or log.

    Args:
        id: as in state.
        kind: view or log.
        group: its refresh group; None if it is refreshed alone.
        parents: the views that it reads, by id.
        priority: 1 to 5; the larger comes first.
        pool: whose slots it takes as well; None for none.
        timeout: microseconds; None for that of the settings.
    """

    id: str
    kind: Kind = "view"
    group: str | None = None
    parents: tuple[str, ...] = ()
    priority: int = 3
    pool: str | None = None
    timeout: int | None = None

    @property
    def unit(self) -> str:
        """The id of what it is refreshed with."""
        return self.id if self.group is None else f"group:{self.group}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be changed while it runs; all durations are microseconds.

    Raises:
        ValueError: a value is out of its range.
    """

    workers: int = 2
    timeout: int = 59 * MINUTE
    fetch_interval: int = 30 * SECOND
    batch_size: int = 50
    drain: int = 60 * SECOND
    broken_after: int = 16
    upstream_wait: int = 15 * MINUTE
    source_poll: int = 10 * SECOND
    virtual_nodes: int = VIRTUAL_NODES
    pools: Mapping[str, int] = field(default_factory=dict)
    holds: tuple[Hold, ...] = ()

    def __post_init__(self) -> None:
        """Checks the ranges."""
        ranges = {
            "workers": (self.workers, 1, 1000),
            "timeout": (self.timeout, SECOND, None),
            "fetch_interval": (self.fetch_interval, SECOND, None),
            "batch_size": (self.batch_size, 1, 1000),
            "drain": (self.drain, 0, None),
            "broken_after": (self.broken_after, 1, 1000),
            "upstream_wait": (self.upstream_wait, 0, None),
            "source_poll": (self.source_poll, SECOND, None),
            "virtual_nodes": (self.virtual_nodes, 1, VIRTUAL_NODES),
            **{f"pool '{name}'": (slots, 1, None) for name, slots in self.pools.items()},
        }
        for name, (value, least, most) in ranges.items():
            if value < least or (most is not None and value > most):
                upper = "" if most is None else f" to {most}"
                raise ValueError(f"{name} is {value}: give {least}{upper}")


@dataclass(frozen=True, slots=True)
class Clock:
    """One look at the engine's clock.

    Args:
        engine: what it said.
        at: monotonic time when the answer was there: taken later than it was true, the engine's
            time is never thought to be ahead.
    """

    engine: int
    at: int


@dataclass(frozen=True, slots=True)
class Orphan:
    """A run of a node that is gone, from the table `run`; with what its outbox holds of it.

    Args:
        run: its name, see `Start`.
        units: ids of views and logs.
        charge: for whom state could not yet be told of the failure.
        reason: of that failure.
        charged: see `Settle`.
    """

    run: str
    units: tuple[str, ...]
    charge: Charge = "nobody"
    reason: str = ""
    charged: tuple[str, ...] = ()


# Events


@dataclass(frozen=True, slots=True)
class Fetched:
    """Answers `Fetch`. Views and logs are both read before either is told.

    Args:
        number: of the `Fetch`.
        rows: all of them, or those that have changed since the last answer.
        is_whole: all of them.
        gone: ids that are no longer there, if it is not whole.
        clock: the engine's.
    """

    number: int
    rows: tuple[Row, ...] | list[Row]
    is_whole: bool
    gone: tuple[str, ...] = ()
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class FetchFailed:
    """Answers `Fetch`: neither views nor logs are known."""

    number: int


@dataclass(frozen=True, slots=True)
class Dirty:
    """State has changed: a new commit, a request. The wake comes after it."""


@dataclass(frozen=True, slots=True)
class Stalled:
    """This process has stood still for so long that others may have taken what it owns."""


@dataclass(frozen=True, slots=True)
class Beats:
    """What the table `node` held at this node's heartbeat, each 5 seconds.

    Args:
        clock: the database's, in microseconds.
        last: by node, the time of its last heartbeat by that clock; without nodes that left.
        starting: those of them that take no work yet, this one among them until it can.
    """

    clock: int
    last: Mapping[str, int]
    starting: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Orphans:
    """Answers `FindRuns`: the rows of `run` of that node."""

    node: str
    runs: tuple[Orphan, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """A run is over: its command has ended, and its process is free again or gone."""

    run: str
    how: How


@dataclass(frozen=True, slots=True)
class Settled:
    """Answers `Settle`.

    Args:
        run: its name.
        rows: of its views and logs, read after all that was asked for was done; one that is gone
            from state is left out. None: state was not reached, or not all was done.
        clock: the engine's.
    """

    run: str
    rows: tuple[Row, ...] | None
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class Probed:
    """Answers `Probe`."""

    is_good: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """Answers `Plan`, whether or not it was written: a row without a time is planned again."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """The project was parsed: at the start, and after each change of its files."""

    models: Mapping[str, Model]


@dataclass(frozen=True, slots=True)
class ProjectFailed:
    """The changed project does not parse. Nothing starts until one does."""


@dataclass(frozen=True, slots=True)
class Set:
    """New settings; all of them are live at once."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class RunNow:
    """`run VIEW`: a manual refresh, out of turn. Refused where it cannot be."""

    id: str


@dataclass(frozen=True, slots=True)
class CancelNow:
    """`cancel VIEW`: ends the run that refreshes it. Refused if none does."""

    id: str


@dataclass(frozen=True, slots=True)
class SourcesChanged:
    """Sources of these views have new data (see `PollSources`)."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory has passed its threshold, or is below it again. Above it nothing starts."""

    is_high: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """SIGTERM or `drain`: leave the ring, let runs end, then cancel. A second one cancels now."""


Event: TypeAlias = (
    Fetched
    | FetchFailed
    | Dirty
    | Stalled
    | Beats
    | Orphans
    | Returned
    | Settled
    | Probed
    | Planned
    | Project
    | ProjectFailed
    | Set
    | RunNow
    | CancelNow
    | SourcesChanged
    | Memory
    | Stop
)


# Actions


@dataclass(frozen=True, slots=True)
class Fetch:
    """Read state; answer with `Fetched` or `FetchFailed`, in any case and in bounded time.

    Args:
        number: for the answer.
        is_whole: all rows are wanted, not only those that have changed.
    """

    number: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class FindRuns:
    """Read the rows of `run` of a node that is gone; answer with `Orphans` if it could be done."""

    node: str


@dataclass(frozen=True, slots=True)
class Start:
    """Write a row of `run`, then run `dbt run --select` of these; answer with `Returned`.

    Args:
        run: its name, unique among all nodes and starts.
        kind: of all of them.
        ids: views or logs; dbt orders them.
        is_manual: a refresh that leaves the plan alone.
    """

    run: str
    kind: Kind
    ids: tuple[str, ...]
    is_manual: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """SIGINT to the run's process group, after a while SIGKILL. `Returned` when it is gone.

    Args:
        run: its name.
        reason: what its units are told.
    """

    run: str
    reason: str


@dataclass(frozen=True, slots=True)
class Settle:
    """Say what became of a run; answer with `Settled`. Asked again until state was reached.

    Args:
        run: its name.
        ids: its views or logs: their rows are wanted.
        is_recovery: end first what the run holds (`mview_recover(owner)`), with the reason.
        charge: for whom a failure is written down (`mview_note_failures`).
        reason: of that failure. What state could not be told is kept in `attempt` (the outbox);
            the row of `run` stays until it was.
        charged: where all are charged, those of them alone; none for all.
    """

    run: str
    ids: tuple[str, ...]
    is_recovery: bool = False
    charge: Charge = "nobody"
    reason: str = ""
    charged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """See whether dbt can connect and parse; answer with `Probed`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Write next times of cron schedules (`mview_plan`); answer with `Planned`.

    Args:
        times: by id.
        after: by id, what the schedule counted from, as it was read.
    """

    times: Mapping[str, int]
    after: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class PollSources:
    """List the sources of these from their known versions on; say which have changed."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request is not done."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Delete this node's heartbeat: the others take over at once."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Nothing runs any more, and what ran is settled as far as possible: end the process."""


Action: TypeAlias = (
    Fetch
    | FindRuns
    | Start
    | Cancel
    | Settle
    | Probe
    | Plan
    | PollSources
    | Refused
    | Leave
    | Stopped
)
