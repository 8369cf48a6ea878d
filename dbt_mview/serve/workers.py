"""The processes that run dbt: at most as many as there are slots, each used again."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbt_mview.serve import messages as m
from dbt_mview.serve.process import GRACE, Answer, Process, after, talk, timer

# Seconds that a session target's process may do nothing: it alone can use its Derby metastore, and
# `dbt run` by hand must work.
IDLE = 60.0
# What JSON leaves as it is in a string, and YAML takes for a line break or for an error. (Of the
# escapes of JSON, YAML refuses those of a surrogate pair; so `ensure_ascii` is off.)
NOT_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def as_yaml(args: Mapping[str, Any]) -> str:
    """Arguments of an operation, as dbt reads them: JSON that is YAML as well.

    Args:
        args: by name.
    """
    text = json.dumps(args, ensure_ascii=False)
    return NOT_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class OperationFailed(OSError):
    """An operation of the dbt package failed; all that dbt said is in the log that is named."""


class Workers:
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
            max_memory: bytes that a process may keep after a command, with its children; None for
                any. Where the system has no /proc, it is not looked at.
            idle: seconds after which a process is ended that does nothing; None for never.

        Raises:
            ValueError: a session target, and more than one.
        """
        self._home = home.absolute()
        self._dbt_arguments = list(dbt_arguments)
        self._on_invocation = on_invocation
        self._python = python
        self._max_commands = max_commands
        self._max_memory = max_memory
        self._idle = idle
        self._is_session = is_session
        self._is_stopping = False
        self._waiting = 0
        self._jobs: dict[str, _Job] = {}
        self._changed = threading.Condition()
        self._runs = _Slots(size, 1)
        self._operations = self._runs if is_session else _Slots(1, 0)
        self.resize(size)

    def run(
        self,
        name: str,
        command: Sequence[str],
        within: float | None = None,
        due: Mapping[str, int] | None = None,
    ) -> Answer:
        """Runs a command in a process that is free, or in a new one; waits for either.

        Args:
            name: of the run, for `cancel`.
            command: the words of dbt, without the arguments that each command gets.
            within: seconds for all of it, after which its process group is killed; None for one
                that `cancel` bounds.
            due: for which plans it runs: when each view was due, in microseconds, by id.

        Returns:
            How it came back, once its process is free again or gone.

        Raises:
            TimeoutError: it has not ended in time.
            ValueError: a run of that name has not ended.
        """
        job = _Job(lambda invocation: self._on_invocation(name, invocation), due=due)
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
                self._operations = self._runs if is_session else _Slots(1, 0)
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

    def _living(self) -> list[Process]:
        """All processes that are not gone."""
        workers = {*self._runs.living, *self._operations.living}
        return [worker for worker in workers if not worker.gone.is_set()]

    def _work(self, lane: _Slots, job: _Job, command: Sequence[str]) -> Answer:
        """Runs a command. A problem says where the log is."""
        try:
            worker = self._take(lane, job)
        except OSError as error:
            return Answer("error", f"no worker can be started: {error}")
        if worker is None:
            return Answer("died", "it was cancelled before it began")
        how: m.How = "died"
        try:
            answer = talk(worker, command, job.due, job.on_invocation)
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
        lane: _Slots,
        job: _Job,
        command: Sequence[str],
    ) -> Answer:
        """Runs a command that has so many seconds for all of it.

        Raises:
            TimeoutError: it has not ended in time; it was interrupted, and killed after the grace.
        """
        with after(seconds, lambda: self._cancel(job, grace)):
            answer = self._work(lane, job, command)
        if answer.how == "done" or not job.is_cancelled:
            return answer
        if job.log is None:
            raise TimeoutError(f"{what} has waited {seconds:g} s for another command to end")
        raise TimeoutError(f"{what} did not end within {seconds:g} s; see {job.log}")

    def _take(self, lane: _Slots, job: _Job) -> Process | None:
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

    def _spawn(self, lane: _Slots) -> Process:
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
        worker = Process(
            number, command, logs / f"worker-{number}.log", lambda one: self._left(lane, one)
        )
        lane.living.append(worker)
        return worker

    def _left(self, lane: _Slots, worker: Process) -> None:
        """A process has ended: nobody takes it any more. When it is gone, its slot is free."""
        with self._changed:
            if worker in lane.idle:
                lane.idle.remove(worker)
            if worker.gone.is_set():
                lane.living.remove(worker)
                self._changed.notify_all()

    def _give_back(self, lane: _Slots, job: _Job, worker: Process, how: m.How) -> None:
        """Keeps a process for the next command, or ends it."""
        with self._changed:
            job.worker = None
            worker.commands += 1
            worker.is_used_up |= (
                how != "done"
                or job.is_cancelled
                or worker.commands >= self._max_commands
                or (self._max_memory is not None and worker.memory() > self._max_memory)
            )
            if not worker.has_left:
                lane.idle.append(worker)
                if self._idle is not None:
                    worker.rest = timer(self._idle, lambda: self._retire(lane, worker))
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

    def _retire(self, lane: _Slots, worker: Process) -> None:
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


class _Slots:
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
        self.living: list[Process] = []
        self.idle: list[Process] = []
        self.urgent = 0

    def kept(self) -> list[Process]:
        """Those that were not told to end."""
        return [worker for worker in self.living if not worker.is_ending]


class _Job:
    """A command that somebody waits for."""

    def __init__(
        self,
        on_invocation: Callable[[str], None] = lambda _: None,
        is_urgent: bool = False,
        due: Mapping[str, int] | None = None,
    ) -> None:
        """It has no process yet.

        Args:
            on_invocation: told dbt's invocation id.
            is_urgent: it comes before what is not.
            due: see `Workers.run`.
        """
        self.due = due or {}
        self.on_invocation = on_invocation
        self.is_urgent = is_urgent
        self.is_cancelled = False
        self.worker: Process | None = None
        self.log: Path | None = None
