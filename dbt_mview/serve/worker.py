"""The process that runs dbt, one command at a time: `python -m dbt_mview.serve.worker ARGUMENTS`.

dbt stays imported, so that a command after the first begins at once; what a session target keeps
stays as well: its JVM. Each command gets ARGUMENTS behind its own. The node (`workers`) asks and is
answered in lines of JSON over stdin and stdout; stderr is the log of all that is printed.

    to the worker       {"command": ["run", "--select", ...], "due": {id of a view: microseconds}}
                        {"go": true}
    from the worker     {"ready": {"dbt": "1.11.16"}} or {"refused": why}
                        {"invocation": dbt's invocation id}, then it waits for `go`
                        {"ended": see `outcome`}

The end of stdin says that the node is gone, or wants the process to end: SIGINT to its own process
group, so that dbt cancels what it sent, and SIGKILL half a minute later.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from queue import SimpleQueue
from typing import Any

from dbt_mview.serve.words import first_line

# Seconds that dbt is held for `go`, and that it has to cancel.
GO_WITHIN = 10.0
KILL_AFTER = 30.0
# Where macros find for which plans a command runs.
DUE = "DBT_MVIEW_DUE"
# Characters of an error that are told.
MOST = 300
INTERRUPTED = 130
# Events by which dbt tells why an operation failed; its result does not say it.
CAUGHT = ("RunningOperationCaughtError", "RunningOperationUncaughtError")


class Channel:
    """The pipes to the node, out of reach of whatever dbt, Spark or a macro prints.

    Attributes:
        commands: what the node has asked for.
        go: set once the node has taken note of the invocation.
    """

    def __init__(self) -> None:
        """Takes stdin and stdout away: what is printed goes to the log, and nothing is read."""
        self._asked = os.fdopen(os.dup(0), encoding="utf-8")
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self.commands: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.go = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, **message: Any) -> None:
        """Tells the node. Where it is gone, `_listen` ends this process."""
        with suppress(BrokenPipeError):
            self._answers.write(json.dumps(message) + "\n")
            self._answers.flush()

    def _listen(self) -> None:
        """Hands on what the node asks, until it is gone."""
        for line in self._asked:
            message = json.loads(line)
            if "command" in message:
                self.go.clear()
                self.commands.put(message)
            else:
                self.go.set()
        os.killpg(0, signal.SIGINT)
        time.sleep(KILL_AFTER)
        os.killpg(0, signal.SIGKILL)


class Command:
    """One command of dbt, and what its events say of it."""

    def __init__(self, channel: Channel) -> None:
        """Has not begun."""
        self._channel = channel
        self._has_begun = False
        self._printed: list[str] = []
        self._caught = ""

    def run(self, runner: Any, words: list[str]) -> dict[str, Any]:
        """Runs it.

        Args:
            runner: dbt's dbtRunner.
            words: the command and all of its arguments.

        Returns:
            See `outcome`, and `printed`: the lines that macros have printed.

        Raises:
            KeyboardInterrupt: dbt was interrupted, and has cancelled what it sent.
        """
        # Never `manifest=`: the second run of a model over an ephemeral one loses its CTEs.
        result = runner(callbacks=[self._hear]).invoke(words)
        return {**outcome(result, self._caught), "printed": self._printed}

    def _hear(self, event: Any) -> None:
        """dbt's callback. The first event comes before dbt connects, so it holds no lock yet."""
        if not self._has_begun:
            self._has_begun = True
            self._channel.send(invocation=event.info.invocation_id)
            self._channel.go.wait(GO_WITHIN)
        if event.info.name == "PrintEvent":
            self._printed.append(event.info.msg)
        elif event.info.name in CAUGHT:
            self._caught = event.data.exc


def outcome(result: Any, caught: str = "") -> dict[str, Any]:
    """What became of a command.

    Args:
        result: dbt's dbtRunnerResult.
        caught: why the operation failed, if it was one.

    Returns:
        how: done, if dbt came to its end, whatever single models did; error, if it failed as a
        whole. problem: the first line of the error. results: of each model.

    Raises:
        KeyboardInterrupt: what ended it.
    """
    if isinstance(result.exception, KeyboardInterrupt):
        raise result.exception
    rows = getattr(result.result, "results", None) or []
    # Results of a `run-operation` have no node.
    hooks = [row for row in rows if _kind(row) in (None, "operation")]
    models = [row for row in rows if _kind(row) not in (None, "operation")]
    failed = [row for row in hooks if row.status not in ("success", "skipped")]
    problem, is_error = "", False
    if error := result.exception:
        problem, is_error = str(error) or type(error).__name__, True
    elif failed:
        problem = failed[0].message or caught
        is_error = not models or "on-run-start" in failed[0].node.tags
    elif not result.success and not models:
        problem, is_error = "dbt says no more than that it failed; its log may", True
    return {
        "how": "error" if is_error else "done",
        "problem": first_line(problem, with_headings=True)[:MOST],
        "results": [_told(row) for row in models],
    }


def _kind(row: Any) -> str | None:
    """The resource type of what a result is of."""
    node = getattr(row, "node", None)
    return node and str(node.resource_type)


def _told(row: Any) -> dict[str, Any]:
    """The result of one model, as it is sent."""
    return {
        "unique_id": row.node.unique_id,
        "name": row.node.name,
        "relation": getattr(row.node, "relation_name", None),
        "status": str(row.status),
        "seconds": row.execution_time,
        "message": first_line(row.message or "")[:MOST],
        "skip": row.adapter_response.get("code") == "SKIP",
        "left": row.adapter_response.get("code") == "LEFT",
    }


def import_dbt() -> tuple[str, Any]:
    """Imports dbt, which takes seconds.

    Returns:
        Its version, and dbtRunner.

    Raises:
        ImportError: it is not here, or is one that the service cannot use.
    """
    wanted = "the service needs dbt-core 1.10 or a later 1.x: pip install 'dbt-core>=1.10,<2'"
    try:
        found = version("dbt-core")
    except PackageNotFoundError as error:
        raise ImportError(f"there is no dbt-core in {sys.prefix}; {wanted}") from error
    if not found.startswith("1."):
        raise ImportError(f"dbt-core {found} takes no callbacks; {wanted}")
    from dbt.cli.main import dbtRunner

    return found, dbtRunner


def serve(channel: Channel, arguments: list[str]) -> int:
    """Runs what the node asks for, until this process is interrupted.

    Args:
        channel: to the node.
        arguments: what each command gets behind its own words.

    Returns:
        An exit code, if dbt cannot be used.

    Raises:
        KeyboardInterrupt: in any case else.
    """
    try:
        found, runner = import_dbt()
    except ImportError as error:
        traceback.print_exc()
        channel.send(refused=str(error))
        return 1
    channel.send(ready={"dbt": found})
    while True:
        asked = channel.commands.get()
        os.environ[DUE] = json.dumps(asked["due"])
        channel.send(ended=Command(channel).run(runner, [*asked["command"], *arguments]))


def main() -> int:
    """Runs the process. Returns: its exit code."""
    # A shell that starts the node in the background lets it ignore SIGINT, and so its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    if os.getpgrp() != os.getpid():
        os.setsid()
    # `python -m` puts the folder of the project before all else, where a dbt.py may be.
    if sys.path[0] == os.getcwd():
        del sys.path[0]
    try:
        return serve(Channel(), sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Python would wait for threads that wait for an engine, and take two seconds to tidy up.
    os._exit(code)
