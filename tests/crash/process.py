"""dbt in a process that is forked from this one, so that it starts at once and can be killed."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from threading import Thread
from typing import Any

from dbt.cli.main import dbtRunner
from freezegun import freeze_time

from tests.crash.death import Death, arm
from tests.support.project import Project

TIMEOUT = 180.0  # seconds after which a command hangs


@dataclass
class Ended:
    """How a command ended.

    Args:
        killed: whether the process was killed.
        success: what dbt said; None if it was killed.
        message: what dbt said of each node, by its name.
        status: the status of each node.
        points: the statements that it came by, each with `w` or `r`.
        reached: whether it met the death that was prepared.
        log: its output.
    """

    killed: bool
    success: bool | None
    points: list[tuple[str, str]]
    reached: bool
    log: str
    message: dict[str, str] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)


def run(
    project: Project,
    manifest: Any,
    args: tuple[str, ...],
    death: Death | None,
    beside: Thread | None = None,
    minutes: int = 0,
) -> Ended:
    """Runs one dbt command to its end, good or bad.

    Args:
        project: where.
        manifest: the project, parsed.
        args: dbt's arguments.
        death: what happens to it; None: nothing.
        beside: what begins when it runs. It is not forked with it.
        minutes: how far its clock is ahead.
    """
    said, told = project.root / "said", project.root / "told"
    output = project.root / "output"
    for file in (said, told, output):
        file.write_text("")
    pid = os.fork()
    if pid == 0:
        if minutes:
            freeze_time(timedelta(minutes=minutes) + datetime.now(timezone.utc), tick=True).start()
        child(project, manifest, args, death, said, told, output)
    if beside is not None:
        beside.start()
    killed = reap(pid, output)
    points = [(line.split()[0], line.split()[1]) for line in told.read_text().splitlines()]
    answer: dict[str, Any] = json.loads(said.read_text() or "{}")
    if not killed and not answer:
        raise AssertionError(f"dbt {args} broke\n{output.read_text()}")
    return Ended(
        killed=killed,
        success=answer.get("success"),
        points=[(point, kind[0]) for point, kind in points],
        reached=any(kind.endswith("!") for _, kind in points),
        log=output.read_text(),
        message=answer.get("message", {}),
        status=answer.get("status", {}),
    )


def child(
    project: Project,
    manifest: Any,
    args: tuple[str, ...],
    death: Death | None,
    said: Path,
    told: Path,
    output: Path,
) -> None:
    """The forked process. Never returns."""
    try:
        os.setsid()
        out = os.open(output, os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        faulthandler.register(signal.SIGUSR1, file=sys.stderr)
        arm(death, told)
        result = dbtRunner(manifest=manifest).invoke([*args, *project.where()])
        answer: dict[str, Any] = {"success": result.success, "status": {}, "message": {}}
        for one in getattr(result.result, "results", None) or []:
            name = getattr(getattr(one, "node", None), "name", "operation")
            answer["status"][name] = str(one.status)
            answer["message"][name] = " ".join(str(one.message).split())
        if result.exception:
            answer["message"]["dbt"] = " ".join(str(result.exception).split())
        said.write_text(json.dumps(answer))
    except KeyboardInterrupt:
        said.write_text(json.dumps({"success": False}))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def reap(pid: int, output: Path) -> bool:
    """Waits for a process. Returns whether it was killed; one that hangs tells where, and fails."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.WIFSIGNALED(status)
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGUSR1)
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise AssertionError(f"dbt hung for {TIMEOUT:.0f} s\n{output.read_text()}")
        time.sleep(0.01)
