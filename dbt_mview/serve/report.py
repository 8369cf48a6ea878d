"""What a node shows of itself and of the others: to the page, the API, the metrics and `status`.

The service makes a `Report` when it is asked for; who shows it reads nothing else. Times are
microseconds since the epoch by the engine's clock, durations seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Condition = Literal["idle", "queued", "waiting", "running", "paused", "broken", "held", "unknown"]
Health = Literal["ok", "starting", "stopping", "database", "state", "project", "engine", "memory"]


@dataclass(frozen=True, slots=True)
class NodeLine:
    """One node of the service.

    Args:
        name: its id.
        address: where its HTTP listens, or empty.
        version: of dbt_mview.
        age: seconds since its last heartbeat, by the database's clock.
        owned: how many units it owns by the ring of the node that reports.
        running: how many of its runs have not ended.
        is_alive: whether its heartbeat is younger than 30 seconds.
        starting: why it takes no work yet, and owns nothing; empty once it does.
    """

    name: str
    address: str
    version: str
    age: float
    owned: int
    running: int
    is_alive: bool
    starting: str = ""


@dataclass(frozen=True, slots=True)
class ViewLine:
    """One view or log, as state has it, with what this service does about it.

    Args:
        id: catalog.schema.identifier.
        kind: view or log.
        model: how a selector of this project names it; None for one of another project, which is
            listed and never started.
        unit: what it is refreshed with.
        node: which node owns it; None for none.
        condition: see `Condition`; unknown: another node owns it, and it is due or was never built.
        due: when it is due next; None for never, and for one that waits for a source to change.
        late: seconds since it was due, if it is not idle and not running; else 0.
        ended: when it was refreshed last; None for never, and for logs.
        took: seconds of its last refresh; None where it is not known.
        failures: since the last success.
        paused_time: since when it, or its refresh group, is paused; None if it is not.
        schedule: in the words of the config, as JSON; empty for none.
        problem: the first line of what is wrong: its last failure, a bad cron expression.
        priority: 1 to 5.
        pool: or None.
    """

    id: str
    kind: Literal["view", "log"]
    model: str | None
    unit: str
    node: str | None
    condition: Condition
    due: int | None
    late: float
    ended: int | None
    took: float | None
    failures: int
    paused_time: int | None
    schedule: str
    problem: str
    priority: int
    pool: str | None


@dataclass(frozen=True, slots=True)
class RunLine:
    """One `dbt run` of the service, of whichever node.

    Args:
        run: its name.
        node: who ran it.
        invocation: dbt's invocation id; empty where it has none yet.
        kind: view or log.
        ids: of its views or logs.
        began: when.
        ended: None while it runs.
        how: done, error, died, cancelled; empty while it runs.
        outcomes: by id, one of success, skip, failed, not reached.
        problem: the first line of its error; empty for none.
    """

    run: str
    node: str
    invocation: str
    kind: Literal["view", "log"]
    ids: tuple[str, ...]
    began: int
    ended: int | None
    how: str
    outcomes: dict[str, str]
    problem: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that is shown.

    Args:
        node: who reports.
        version: of dbt_mview.
        project: of dbt.
        target: of dbt.
        now: the engine's clock.
        health: of this node; the worst thing first: what keeps it from starting runs.
        problem: what is to be done about it; empty where health is ok.
        nodes: all that the database has.
        views: all that state has.
        runs: those that run, and the last that ended, newest first.
        settings: live ones, by name, as they are given on the command line.
        skew: seconds by which the engine's clock is ahead of this machine's.
        fetched: seconds since state was read last; None for never.
        beaten: seconds since the database answered last; None for never.
    """

    node: str
    version: str
    project: str
    target: str
    now: int
    health: Health
    problem: str
    nodes: tuple[NodeLine, ...]
    views: tuple[ViewLine, ...]
    runs: tuple[RunLine, ...]
    settings: dict[str, str]
    skew: float
    fetched: float | None
    beaten: float | None


class Reporter(Protocol):
    """What the web part asks of the service. Each may be called from any thread."""

    def report(self) -> Report:
        """All that is shown, as it is now."""

    def is_alive(self) -> bool:
        """Whether the loop has turned within the last ten seconds."""

    def is_ready(self) -> tuple[bool, str]:
        """Whether state was read within three intervals and the database answers; why not."""

    def request(self, verb: str, id_: str, by: str) -> tuple[bool, str]:
        """Hands a request to the node that owns a view or log, and waits for its answer.

        Args:
            verb: run, cancel, pause, resume, reset.
            id_: of a view or log that the last report had.
            by: who asked, for the log.

        Returns:
            Whether it was done, and what is to be said.

        Raises:
            TimeoutError: no node has answered within a minute; one may still do it.
            OSError: the database cannot be reached.
        """
