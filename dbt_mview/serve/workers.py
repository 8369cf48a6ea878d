"""The processes that run dbt (`worker`): at most as many as there are slots, each used again.

A process leads its own group, so that Ctrl-C in the node's terminal does not reach it, and a signal
to the group reaches all that it has started, such as the JVM of a session target. It is gone when
its whole group is.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dbt_mview.serve import messages as m

# Seconds that a process has to import dbt, and to end once it was told to.
START_WITHIN = 300.0
GRACE = 30.0
# Seconds that what a process has left behind has to end by itself: a JVM removes its files.
LINGER = 5.0
# Seconds that a session target's process may do nothing: it alone can use its Derby metastore, and
# `dbt run` by hand must work.
IDLE = 60.0
# Bytes of a log that is begun anew.
LOG_MOST = 10_000_000
# What JSON leaves as it is in a string, and YAML takes for a line break or for an error. (Of the
# escapes of JSON, YAML refuses those of a surrogate pair; so `ensure_ascii` is off.)
NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

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
    """

    unique_id: str
    name: str
    relation: str | None
    status: str
    seconds: float
    message: str
    skip: bool


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


def as_yaml(args: Mapping[str, Any]) -> str:
    """Arguments of an operation, as dbt reads them: JSON that is YAML as well.

    Args:
        args: by name.
    """
    text = json.dumps(args, ensure_ascii=False)
    return NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class OperationFailed(OSError):
    """An operation of the dbt package failed; all that dbt said is in the log that is named."""


class Pool:
    """Runs commands of dbt in processes of their own. Each method may be called by any thread."""

    def __init__(
        self,
        home: Path,
        dbt_arguments: Sequence[str],
        size: int,
        is_session: bool,
        on_invocation: Callable[[str, str], None],
        python: str = sys.executable,
        max_commands: int = 200,
        max_memory: int | None = None,
        idle: float | None = None,
    ) -> None:
        """Starts nothing yet.

        Args:
            home: of the service: each process has a target folder and logs of its own in it.
            dbt_arguments: what each command gets: --project-dir, --target and so on.
            size: how many may run at once; an operation may run beside them.
            is_session: Spark runs in the process itself, so that there is one for all.
            on_invocation: told the name of a run and dbt's invocation id, on the thread of `run`,
                before dbt connects.
            python: the interpreter that has dbt.
            max_commands: after which a process is replaced.
            max_memory: bytes that a process may keep after a command; None for any. Where the
                system has no /proc, it is not looked at.
            idle: seconds after which a process is ended that does nothing; None for never.

        Raises:
            ValueError: a session target, and more than one.
        """
        self._home = home.absolute()
        self._dbt_arguments = list(dbt_arguments)
        self._on_invocation = on_invocation
        self._python = python
        self._max_commands = max_commands
        self._max_memory = sys.maxsize if max_memory is None else max_memory
        self._idle = idle
        self._is_session = is_session
        self._is_stopping = False
        self._waiting = 0
        self._jobs: dict[str, _Job] = {}
        self._changed = threading.Condition()
        self._runs = _Lane(size, 1)
        self._operations = self._runs if is_session else _Lane(1, 0)
        self.resize(size)

    def run(self, name: str, command: Sequence[str], within: float | None = None) -> Answer:
        """Runs a command in a process that is free, or in a new one; waits for either.

        Args:
            name: of the run, for `cancel`.
            command: the words of dbt, without the arguments that each command gets.
            within: seconds for all of it, after which its process group is killed; None for one
                that `cancel` bounds.

        Returns:
            How it came back, once its process is free again or gone.

        Raises:
            TimeoutError: it has not ended in time.
            ValueError: a run of that name has not ended.
        """
        job = _Job(lambda invocation: self._on_invocation(name, invocation))
        with self._changed:
            if name in self._jobs:
                raise ValueError(f"run '{name}' has not ended: give another name")
            self._jobs[name] = job
        try:
            if within is None:
                return self._work(self._runs, job, command)
            return self._work_within(f"dbt {command[0]}", within, 0, self._runs, job, command)
        finally:
            with self._changed:
                del self._jobs[name]

    def operate(self, operation: str, args: Mapping[str, Any], timeout: float = 300.0) -> list[str]:
        """Runs an operation of the dbt package. They run one at a time.

        Args:
            operation: its name.
            args: its arguments.
            timeout: seconds for all of it. On a session target it also waits for the run that has
                the one process; it comes before runs that wait.

        Returns:
            The lines that it has printed.

        Raises:
            OperationFailed: it failed.
            TimeoutError: it has not ended in time. It is cancelled.
        """
        job = _Job(is_urgent=True)
        # What it prints is what was asked for, whatever the user's own settings say.
        command = ["--quiet", "--print", "run-operation", operation, "--args", as_yaml(args)]
        what = f"dbt run-operation {operation}"
        answer = self._work_within(what, timeout, GRACE, self._operations, job, command)
        if answer.how == "done":
            return list(answer.printed)
        raise OperationFailed(f"{what} failed: {answer.problem}")

    def cancel(self, name: str, grace: float = GRACE) -> None:
        """Interrupts a run, which then returns; of one that has ended, it does nothing.

        Args:
            name: of the run.
            grace: seconds after which its process group is killed.
        """
        with self._changed:
            job = self._jobs.get(name)
        if job:
            self._cancel(job, grace)

    def replace(self) -> None:
        """Ends the processes: those that do nothing now, the others when they are free."""
        with self._changed:
            for worker in self._living():
                worker.is_used_up = True
            self._end_surplus()

    def resize(self, size: int) -> None:
        """Changes how many may run at once. What runs is not touched.

        Args:
            size: as in `__init__`.

        Raises:
            ValueError: a session target, and more than one.
        """
        if self._is_session and size != 1:
            raise ValueError(
                "Spark of a session target runs in the process of its one worker: set workers=1, "
                "or use a target with a server"
            )
        with self._changed:
            self._runs.size = size
            self._end_surplus()
            self._changed.notify_all()

    def configure(self, size: int, is_session: bool) -> None:
        """Takes what a project says of its target, and a new number of slots.

        Args:
            size: as in `__init__`.
            is_session: as in `__init__`. Where it changes, what runs is not touched.

        Raises:
            ValueError: see `resize`.
        """
        with self._changed:
            if is_session != self._is_session:
                self._is_session = is_session
                self._operations = self._runs if is_session else _Lane(1, 0)
            self._idle = IDLE if is_session else None
        self.resize(size)

    def stop(self, grace: float) -> None:
        """Ends all processes and waits for it; nothing starts any more.

        Args:
            grace: seconds after which they are killed. A second call may give less.
        """
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
            living = self._living()
            for worker in living:
                worker.end(grace)
        for worker in living:
            worker.gone.wait()

    def children(self) -> int:
        """How many processes there are."""
        with self._changed:
            return len(self._living())

    def waiting(self) -> int:
        """How many commands wait for a process."""
        with self._changed:
            return self._waiting

    def _living(self) -> list[_Worker]:
        """All processes that are not gone."""
        workers = {*self._runs.living, *self._operations.living}
        return [worker for worker in workers if not worker.gone.is_set()]

    def _work(self, lane: _Lane, job: _Job, command: Sequence[str]) -> Answer:
        """Runs a command. A problem says where the log is."""
        try:
            worker = self._take(lane, job)
        except OSError as error:
            return Answer("error", f"no worker can be started: {error}")
        if worker is None:
            return Answer("died", "it was cancelled before it began")
        how: m.How = "died"
        try:
            answer = _talk(worker, job, command)
            how = answer.how
        finally:
            self._give_back(lane, job, worker, how)
        if how == "done":
            return answer
        return replace(answer, problem=f"{answer.problem}; see {worker.log}")

    def _work_within(
        self,
        what: str,
        seconds: float,
        grace: float,
        lane: _Lane,
        job: _Job,
        command: Sequence[str],
    ) -> Answer:
        """Runs a command that has so many seconds for all of it.

        Raises:
            TimeoutError: it has not ended in time; it was interrupted, and killed after the grace.
        """
        with _after(seconds, lambda: self._cancel(job, grace)):
            answer = self._work(lane, job, command)
        if answer.how == "done" or not job.is_cancelled:
            return answer
        if job.log is None:
            raise TimeoutError(f"{what} has waited {seconds:g} s for another command to end")
        raise TimeoutError(f"{what} did not end within {seconds:g} s; see {job.log}")

    def _take(self, lane: _Lane, job: _Job) -> _Worker | None:
        """Waits for a process and gives it to a job; None if it was cancelled meanwhile.

        Raises:
            OSError: the process cannot be started.
        """
        with self._changed:
            lane.urgent += job.is_urgent
            try:
                while not (job.is_cancelled or self._is_stopping):
                    # Operations are short, and a run that has ended waits for them.
                    if job.is_urgent or not lane.urgent:
                        if lane.idle:
                            job.worker = lane.idle.pop()
                            job.worker.wake()
                        elif len(lane.living) < lane.size:
                            job.worker = self._spawn(lane)
                    if job.worker:
                        job.log = job.worker.log
                        return job.worker
                    self._waiting += 1
                    self._changed.wait()
                    self._waiting -= 1
                return None
            finally:
                lane.urgent -= job.is_urgent
                self._changed.notify_all()

    def _spawn(self, lane: _Lane) -> _Worker:
        """Starts a process, by the lowest number that is free: partial parsing stays warm."""
        taken = {worker.number for worker in lane.living}
        number = next(n for n in range(lane.first, lane.first + len(taken) + 1) if n not in taken)
        logs = self._home / "logs"
        folders = {
            "--target-path": self._home / "targets" / str(number),
            "--log-path": logs / str(number),
        }
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        # The last one counts, if the project's own arguments have them too.
        own = [word for option, folder in folders.items() for word in (option, str(folder))]
        command = [self._python, "-m", "dbt_mview.serve.worker", *self._dbt_arguments, *own]
        worker = _Worker(
            number, command, logs / f"worker-{number}.log", lambda one: self._left(lane, one)
        )
        lane.living.append(worker)
        return worker

    def _left(self, lane: _Lane, worker: _Worker) -> None:
        """A process has ended: nobody takes it any more. When it is gone, its slot is free."""
        with self._changed:
            if worker in lane.idle:
                lane.idle.remove(worker)
            if worker.gone.is_set():
                lane.living.remove(worker)
                self._changed.notify_all()

    def _give_back(self, lane: _Lane, job: _Job, worker: _Worker, how: m.How) -> None:
        """Keeps a process for the next command, or ends it."""
        with self._changed:
            job.worker = None
            worker.commands += 1
            worker.is_used_up |= (
                how != "done"
                or job.is_cancelled
                or worker.commands >= self._max_commands
                or worker.memory() > self._max_memory
            )
            if not worker.has_left:
                lane.idle.append(worker)
                if self._idle is not None:
                    worker.rest = _timer(self._idle, lambda: self._retire(lane, worker))
            self._end_surplus()
            self._changed.notify_all()
        if job.is_cancelled:
            worker.gone.wait()

    def _end_surplus(self) -> None:
        """Ends processes that do nothing and are used up, or more than there may be."""
        for lane in (self._runs, self._operations):
            for worker in [*lane.idle]:
                if worker.is_used_up or self._is_stopping or len(lane.kept()) > lane.size:
                    lane.idle.remove(worker)
                    worker.end(GRACE)

    def _retire(self, lane: _Lane, worker: _Worker) -> None:
        """Ends a process that has done nothing for a while."""
        with self._changed:
            if worker in lane.idle:
                worker.is_used_up = True
                self._end_surplus()

    def _cancel(self, job: _Job, grace: float) -> None:
        """Interrupts a job; one that waits for a process gets none."""
        with self._changed:
            job.is_cancelled = True
            if job.worker:
                job.worker.end(grace)
            self._changed.notify_all()


class _Lane:
    """Slots, and the processes that take them.

    Attributes:
        size: how many slots.
        first: the lowest number of a process.
        living: processes that are not gone.
        idle: those of them that do nothing.
        urgent: operations that wait.
    """

    def __init__(self, size: int, first: int) -> None:
        """Nothing runs."""
        self.size = size
        self.first = first
        self.living: list[_Worker] = []
        self.idle: list[_Worker] = []
        self.urgent = 0

    def kept(self) -> list[_Worker]:
        """Those that were not told to end."""
        return [worker for worker in self.living if not worker.is_ending]


class _Job:
    """A command that somebody waits for."""

    def __init__(
        self, on_invocation: Callable[[str], None] = lambda _: None, is_urgent: bool = False
    ) -> None:
        """It has no process yet.

        Args:
            on_invocation: told dbt's invocation id.
            is_urgent: it comes before what is not.
        """
        self.on_invocation = on_invocation
        self.is_urgent = is_urgent
        self.is_cancelled = False
        self.worker: _Worker | None = None
        self.log: Path | None = None


class _Worker:
    """One process, from its start until its group is gone."""

    def __init__(
        self, number: int, command: list[str], place: Path, on_left: Callable[[_Worker], None]
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

    def kill(self, after: float) -> None:
        """SIGKILL to the group, if it is not gone by then.

        Args:
            after: seconds.
        """
        _timer(after, lambda: self._signal(signal.SIGKILL))

    def memory(self) -> int:
        """Bytes of it that are in memory; 0 where that cannot be known."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text("ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

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


def _talk(worker: _Worker, job: _Job, command: Sequence[str]) -> Answer:
    """Lets a process run a command, and hears it out."""
    if not worker.is_ready:
        with _after(START_WITHIN, lambda: worker.kill(0)):
            for message in worker.hear():
                if "refused" in message:
                    return Answer("error", message["refused"])
                if "ready" in message:
                    worker.is_ready = True
                    break
        if not worker.is_ready:
            how: m.How = "died" if worker.is_ending else "error"
            return Answer(how, f"{worker.epitaph()} before dbt was imported")
    worker.send(command=list(command))
    invocation = ""
    for message in worker.hear():
        if "invocation" in message:
            invocation = message["invocation"]
            try:
                job.on_invocation(invocation)
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


def _timer(seconds: float, action: Callable[[], None]) -> threading.Timer:
    """Does something later, on a thread that keeps no process alive."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    return timer


@contextmanager
def _after(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Does something if the body takes longer than so many seconds."""
    timer = _timer(seconds, action)
    try:
        yield
    finally:
        timer.cancel()
