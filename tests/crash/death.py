"""How a dbt process dies, or what fails under it, at one statement. Runs inside that process."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

LABEL = re.compile(r"/\* dbt_mview step=(\w+)(?: job=([\w-]+))? \*/")


class Way(str, Enum):
    """What happens at the point.

    before  dbt is killed before the statement is sent
    sent    dbt is killed while the engine runs the statement
    after   dbt is killed when the statement has ended
    error   the engine refuses the statement
    lost    the connection breaks while the engine runs the statement; dbt lives on
    twice   the statement is sent again after it succeeded, as dbt-spark does when it loses a
            connection over HTTP (`query_retries`)
    ctrl_c  somebody presses Ctrl-C while the engine runs the statement; hurry: a second time
    stands  dbt stands still (SIGSTOP) before the statement is sent, until somebody wakes it up
    term    dbt is told to end (SIGTERM) while the engine runs the statement
    """

    BEFORE = "before"
    SENT = "sent"
    AFTER = "after"
    ERROR = "error"
    LOST = "lost"
    TWICE = "twice"
    CTRL_C = "ctrl_c"
    HURRY = "hurry"
    STANDS = "stands"
    TERM = "term"
    __str__ = str.__str__


KILLED = (Way.BEFORE, Way.SENT, Way.AFTER, Way.TERM)


@dataclass(frozen=True)
class Death:
    """The point (`publish`, or `record.2` for the second statement of that step) and the way."""

    point: str
    way: Way


def arm(death: Death | None, told: Path) -> None:
    """Makes this process meet its death; tells all points that it comes by, and where it died.

    Args:
        death: None to run undisturbed.
        told: a file that gets one line of JSON for each statement: its point, its job (only what
            writes has one), whether the death was here, its text.
    """
    from pyhive import hive

    plain = hive.Cursor.execute
    seen: Counter[str] = Counter()
    guard = threading.Lock()

    def execute(self: Any, sql: str, *args: Any, **kwargs: Any) -> None:
        label = LABEL.search(sql)
        if label is None:
            plain(self, sql, *args, **kwargs)
            return
        with guard:
            step = label[1]
            seen[step] += 1
            point = step if seen[step] == 1 else f"{step}.{seen[step]}"
            mine = death is not None and death.point == point
            line = {"point": point, "job": label[2], "reached": mine, "sql": sql}
            with told.open("a") as lines:
                lines.write(json.dumps(line) + "\n")
        if not mine or death is None:
            plain(self, sql, *args, **kwargs)
            return
        if death.way == Way.BEFORE:
            die()
        if death.way == Way.STANDS:
            stand_still()
        if death.way == Way.ERROR:
            sql = f"{label[0]}\nselect raise_error('this statement was made to fail')"
        plain(self, sql, *args, **kwargs)
        if death.way == Way.SENT:
            die()
        if death.way == Way.LOST:
            cut(self)
        if death.way in (Way.CTRL_C, Way.HURRY, Way.TERM):
            interrupt(death.way)
        if death.way in (Way.AFTER, Way.TWICE):
            wait(self)
            if death.way == Way.AFTER:
                die()
            plain(self, sql, *args, **kwargs)

    hive.Cursor.execute = execute


def die() -> None:
    """Ends this process at once: no handler, no hook."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def stand_still() -> None:
    """Stops this process until it gets SIGCONT."""
    os.kill(os.getpid(), signal.SIGSTOP)
    # Another thread may have taken the signal; this one must not get past it meanwhile.
    time.sleep(0.2)


def interrupt(way: Way) -> None:
    """What a person at the keyboard does, or a container that is stopped."""
    os.kill(os.getpid(), signal.SIGTERM if way == Way.TERM else signal.SIGINT)
    if way == Way.HURRY:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        # dbt may wait for a statement that it did not get to cancel: the terminal is closed.
        threading.Timer(10, os.kill, (os.getpid(), signal.SIGKILL)).start()


def cut(cursor: Any) -> None:
    """Breaks the connection of a cursor as a network would: both ends find out by themselves."""
    cursor._connection._transport._trans.handle.shutdown(socket.SHUT_RDWR)


def wait(cursor: Any) -> None:
    """Waits until the statement of a cursor has ended well."""
    from TCLIService.ttypes import TOperationState as State

    running = (State.INITIALIZED_STATE, State.PENDING_STATE, State.RUNNING_STATE)
    while (polled := cursor.poll()).operationState in running:
        time.sleep(0.02)
    if polled.operationState != State.FINISHED_STATE:
        raise AssertionError(f"the statement failed by itself: {polled.errorMessage}")
