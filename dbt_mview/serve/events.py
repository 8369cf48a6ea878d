"""What happens, told to others: a JSON line for each event, and OpenLineage."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias
from uuid import UUID, uuid5

from dbt_mview import __version__
from dbt_mview.schedule import moment
from dbt_mview.serve.words import first_line

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import RunEvent, RunState

LOG = logging.getLogger(__name__)
Name = Literal[
    "listening",
    "reader",
    "project",
    "settings",
    "ring",
    "stalled",
    "orphan",
    "started",
    "cancelling",
    "ended",
    "not_settled",
    "command",
    "breaker",
    "clock",
    "database",
    "fetch_failed",
    "not_planned",
    "sources",
    "memory",
    "internal_error",
    "stopping",
    "stopped",
]
Field: TypeAlias = str | int | float | bool | Sequence[str] | Mapping[str, str] | None
# Ids of runs in OpenLineage are made from this, so that START and COMPLETE have the same one.
NAMESPACE = UUID("5e2f1d0c-8a0b-5b0e-9a53-0d6f3f1c7a11")
QUEUED_MOST = 1000


def _said(field: tuple[str, Field]) -> str:
    """A field as a person reads it; what says nothing is left out."""
    name, value = field
    if value in ("", None) or name == "run":
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{key.split('.', 1)[-1]}: {one}" for key, one in value.items())
    if isinstance(value, str) or not isinstance(value, Sequence):
        return f"{name}={value}" if name != "problem" else f"{value}"
    return ", ".join(one.split(".", 1)[-1] for one in value)


class EventLog:
    """Writes one line for each event: JSON, or text for a person. Safe on any thread.

    Args:
        stream: where to.
        node: this node's id.
        clock: seconds since the epoch.
        is_text: for a person.
    """

    def __init__(
        self,
        stream: TextIO,
        node: str,
        clock: Callable[[], float] = time.time,
        *,
        is_text: bool = False,
    ) -> None:
        """Writes nothing yet."""
        self.lost = 0
        self._stream, self._node, self._clock = stream, node, clock
        self._is_text = is_text
        self._lock = threading.Lock()

    def write(self, event: Name, *, problem: str = "", **fields: Field) -> None:
        """Writes an event, with the time, the node, and its fields.

        A stream that takes nothing, such as a full disk or a closed pipe, ends no service: what it
        did not take is counted in `lost`.

        Args:
            event: what happened.
            problem: an error, of which the first line is written.
            fields: what else there is to say; not ts, event or node.
        """
        at = datetime.fromtimestamp(self._clock(), timezone.utc)
        if problem:
            fields["problem"] = first_line(problem)
        if self._is_text:
            said = "  ".join(filter(None, map(_said, fields.items())))
            text = f"{at:%H:%M:%S}  {event.replace('_', ' '):14}  {said}"
        else:
            text = json.dumps({"ts": iso(at), "event": event, "node": self._node, **fields})
        with self._lock:
            try:
                self._stream.write(f"{text}\n")
                self._stream.flush()
            except (OSError, ValueError):
                self.lost += 1


def iso(at: datetime) -> str:
    """A time in UTC, in ISO 8601 with microseconds and Z."""
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


class Lineage:
    """Tells OpenLineage of each refresh: a job per view or log, a run per refresh.

    It never blocks: a thread of its own sends what is queued, and what does not fit is dropped.

    Args:
        client: of OpenLineage.
        namespace: of the tables, as others name it in OpenLineage: of a Hive metastore
            `hive://host:port`.
    """

    def __init__(self, client: OpenLineageClient, namespace: str) -> None:
        """Starts the thread."""
        self.dropped = 0
        self.failed = 0
        self._client, self._namespace = client, namespace
        self._queue: SimpleQueue[RunEvent | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._send, name="openlineage", daemon=True)
        self._thread.start()

    @classmethod
    def from_environment(cls, namespace: str) -> Lineage | None:
        """One that is configured as OpenLineage's client says: by its variables or openlineage.yml.

        Args:
            namespace: of the tables.

        Returns:
            None where nothing is configured, or where it is disabled.
        """
        try:
            from openlineage.client import OpenLineageClient
            from openlineage.client.transport.noop import NoopConfig, NoopTransport
        except ModuleNotFoundError as error:
            if wanted := sorted(name for name in os.environ if name.startswith("OPENLINEAGE_")):
                LOG.warning(
                    "%s is set, yet nothing is sent (%s); run: pip install"
                    " '<clone of dbt_mview>[openlineage]'",
                    wanted[0],
                    error,
                )
            return None
        # A client that is not configured prints to the console: ask one that sends nothing first.
        silent = OpenLineageClient(transport=NoopTransport(NoopConfig()))
        if not ((silent.config.transport or {}).get("type") or os.environ.get("OPENLINEAGE_URL")):
            return None
        client = OpenLineageClient()
        return None if client.transport.kind == NoopTransport.kind else cls(client, namespace)

    def started(
        self, run: str, id_: str, at: int, due: int | None = None, inputs: Sequence[str] = ()
    ) -> None:
        """A refresh began.

        Args:
            run: the name of the `dbt run`.
            id_: of the view or log.
            at: when, microseconds since the epoch.
            due: when it was due; None for a manual refresh.
            inputs: ids of its sources, as far as they are known.
        """
        from openlineage.client.event_v2 import InputDataset, RunState
        from openlineage.client.facet_v2 import nominal_time_run

        event = self._event(RunState.START, run, id_, at)
        event.inputs = [InputDataset(self._namespace, name) for name in inputs]
        if due is not None and event.run.facets is not None:
            event.run.facets["nominalTime"] = nominal_time_run.NominalTimeRunFacet(iso(moment(due)))
        self._put(event)

    def ended(self, run: str, id_: str, at: int, outcome: str, problem: str = "") -> None:
        """A refresh ended.

        Args:
            run: the name of the `dbt run`.
            id_: of the view or log.
            at: when, microseconds since the epoch.
            outcome: success and skip are COMPLETE, failed is FAIL, all else is ABORT.
            problem: its error, of which the first line is told.
        """
        from openlineage.client.event_v2 import RunState
        from openlineage.client.facet_v2 import error_message_run

        states = {"success": RunState.COMPLETE, "skip": RunState.COMPLETE, "failed": RunState.FAIL}
        event = self._event(states.get(outcome, RunState.ABORT), run, id_, at)
        if problem and event.run.facets is not None:
            event.run.facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(
                first_line(problem), programmingLanguage="SQL"
            )
        self._put(event)

    def stop(self, seconds: float = 5) -> None:
        """Sends what is queued, for as long as it may.

        Args:
            seconds: at most.
        """
        self._queue.put(None)
        self._thread.join(seconds)

    def _event(self, state: RunState, run: str, id_: str, at: int) -> RunEvent:
        from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent

        return RunEvent(
            eventType=state,
            eventTime=iso(moment(at)),
            run=Run(runId=str(uuid5(NAMESPACE, f"{run} {id_}"))),
            job=Job(namespace="dbt_mview", name=id_),
            outputs=[OutputDataset(self._namespace, id_)],
            producer=f"urn:dbt-mview:{__version__}",
        )

    def _put(self, event: RunEvent) -> None:
        if self._queue.qsize() < QUEUED_MOST:
            self._queue.put(event)
        else:
            self.dropped += 1

    def _send(self) -> None:
        """Sends until told to stop."""
        was_taken = True
        while (event := self._queue.get()) is not None:
            was_taken = self._emit(event, was_taken)
        self._client.close(timeout=1)

    def _emit(self, event: RunEvent, was_taken: bool) -> bool:
        """Sends one event. Of failures in a row the first is logged."""
        try:
            self._client.emit(event)
        except Exception as error:
            self.failed += 1
            if was_taken:
                LOG.warning("OpenLineage takes no events: %s", first_line(error))
            return False
        return True
