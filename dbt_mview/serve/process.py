"""One of the processes that run dbt (`worker`), as the node has it.

A process leads its own group, so that Ctrl-C in the node's terminal does not reach it, and a signal
to the group reaches all that it has started, such as the JVM of a session target. It is gone when
its whole group is.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt_mview.serve import messages as m

# Seconds that a process has to import dbt, and to end once it was told to.
START_WITHIN = 300.0
GRACE = 30.0
# Seconds that what a process has left behind has to end by itself: a JVM removes its files.
LINGER = 5.0
# Bytes of a log that is begun anew.
LOG_MOST = 10_000_000

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """What dbt says of one model. State says what became of it: see `Core`.

    Args:
        unique_id: dbt's.
        name: of the model.
        relation: as dbt renders it, quoted; None for one without.
        status: success, error, skipped (a parent failed), ...
        seconds: that it took.
        message: the first line.
        skip: nothing had changed, so nothing was refreshed.
        left: another run has it, or was quicker, so nothing was looked at.
    """

    unique_id: str
    name: str
    relation: str | None
    status: str
    seconds: float
    message: str
    skip: bool
    left: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command came back.

    Args:
        how: done, error, died; see `dbt_mview.serve.messages.How`.
        problem: the first line of the error; empty for none.
        printed: the lines that macros have printed.
        results: of its models.
        invocation: dbt's invocation id; empty where it never had one.
    """

    how: m.How
    problem: str = ""
    printed: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    invocation: str = ""


class Process:
    """One process, from its start until its group is gone."""

    def __init__(
        self, number: int, command: list[str], place: Path, on_left: Callable[[Process], None]
    ) -> None:
        """Starts it.

        Args:
            number: of its folders.
            command: that runs it.
            place: of its log.
            on_left: told when the process has ended, and again when its group is gone.
        """
        self.number = number
        self.log = place
        self.commands = 0
        self.is_ready = False
        self.is_used_up = False
        self.is_ending = False
        self.has_left = False
        self.gone = threading.Event()
        self.rest: threading.Timer | None = None
        self._on_left = on_left
        with suppress(FileNotFoundError):
            if place.stat().st_size > LOG_MOST:
                place.replace(place.with_suffix(".log.1"))
        with place.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env={**os.environ, "DBT_MVIEW_SERVE": "1"},
                start_new_session=True,
            )
        threading.Thread(target=self._bury, daemon=True).start()

    def send(self, **message: Any) -> None:
        """Tells the process. If it has ended, `hear` will say so."""
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def hear(self) -> Iterator[dict[str, Any]]:
        """What the process says, until it has ended; what is none of the protocol is passed by."""
        assert self._process.stdout
        for line in self._process.stdout:
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message

    def wake(self) -> None:
        """It is wanted again."""
        if self.rest:
            self.rest.cancel()
            self.rest = None

    def end(self, grace: float) -> None:
        """Ends it: SIGINT to the group, and SIGKILL to what is left of it after a while.

        Args:
            grace: seconds until then.
        """
        self.is_ending = True
        self._signal(signal.SIGINT)
        self.kill(grace)

    def kill(self, seconds: float) -> None:
        """SIGKILL to the group, if it is not gone by then.

        Args:
            seconds: until then.
        """
        timer(seconds, lambda: self._signal(signal.SIGKILL))

    def memory(self) -> int:
        """Bytes of its whole group that are in memory; 0 where that cannot be known.

        The JVM of a session target is a child, and by far the larger part.
        """
        return sum(_memory_in(self._process.pid))

    def epitaph(self) -> str:
        """How it ended. Waits until it is gone; it no longer says anything."""
        self.kill(GRACE)
        self.gone.wait()
        code = self._process.returncode
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        return f"worker {self.number} {how}"

    def _signal(self, number: signal.Signals) -> None:
        """Sends a signal to the group, if there is one."""
        if not self.gone.is_set():
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _bury(self) -> None:
        """Waits for the end of the process, then for that of its group."""
        self._process.wait()
        self.has_left = True
        self._on_left(self)
        _end_group(self._process.pid)
        self.gone.set()
        self._on_left(self)


def talk(
    worker: Process,
    command: Sequence[str],
    due: Mapping[str, int],
    on_invocation: Callable[[str], None],
) -> Answer:
    """Lets a process run a command, and hears it out.

    Args:
        worker: that is free.
        command: the words of dbt.
        due: see `Workers.run`.
        on_invocation: told dbt's invocation id, before dbt connects.
    """
    if not worker.is_ready:
        with after(START_WITHIN, lambda: worker.kill(0)):
            for message in worker.hear():
                if "refused" in message:
                    return Answer("error", message["refused"])
                if "ready" in message:
                    worker.is_ready = True
                    break
        if not worker.is_ready:
            how: m.How = "died" if worker.is_ending else "error"
            return Answer(how, f"{worker.epitaph()} before dbt was imported")
    worker.send(command=list(command), due=dict(due))
    invocation = ""
    for message in worker.hear():
        if "invocation" in message:
            invocation = message["invocation"]
            try:
                on_invocation(invocation)
            except OSError:
                log.warning("invocation %s could not be written down", invocation, exc_info=True)
            finally:
                worker.send(go=True)
        elif "ended" in message:
            ended = message["ended"]
            return Answer(
                ended["how"],
                ended["problem"],
                tuple(ended["printed"]),
                tuple(Result(**row) for row in ended["results"]),
                invocation,
            )
    return Answer("died", worker.epitaph(), invocation=invocation)


def _memory_in(group: int) -> Iterator[int]:
    """Bytes in memory of each process of a group; none where the system has no /proc."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        # It may have ended meanwhile; its name may hold anything, a parenthesis too.
        with suppress(OSError):
            found = file.read_bytes().rpartition(b") ")[2].split()
            if found and int(found[2]) == group:
                yield int(found[21]) * os.sysconf("SC_PAGE_SIZE")


def _end_group(group: int) -> None:
    """Waits until a process group, whose leader has ended, is empty; kills it if that takes long.

    A JVM ends by itself when its stdin does, and removes its files meanwhile.
    """
    deadline = time.monotonic() + LINGER
    while True:
        # Where this process is the first of a container, it inherits what the leader has left.
        with suppress(ChildProcessError):
            os.waitpid(-group, os.WNOHANG)
        late = time.monotonic() - deadline
        try:
            os.killpg(group, signal.SIGKILL if late > 0 else 0)
        except (ProcessLookupError, PermissionError):
            return  # The latter is what macOS says of a group of zombies.
        if late > 1:
            return  # All of it is dead, but whoever inherited it does not take note.
        time.sleep(0.02)


def timer(seconds: float, action: Callable[[], None]) -> threading.Timer:
    """Does something later, on a thread that keeps no process alive."""
    waits = threading.Timer(seconds, action)
    waits.daemon = True
    waits.start()
    return waits


@contextmanager
def after(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Does something if the body takes longer than so many seconds."""
    waits = timer(seconds, action)
    try:
        yield
    finally:
        waits.cancel()
