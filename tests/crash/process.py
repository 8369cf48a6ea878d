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
from tempfile import mkdtemp
from typing import Any

from dbt.cli.main import dbtRunner
from dbt_common.clients.jinja import template_cache
from freezegun import freeze_time

from tests.crash.death import Death, arm
from tests.support.project import Project

TIMEOUT = 180.0  # seconds after which a command hangs
QUIET = ("--no-send-anonymous-usage-stats",)


@dataclass
class Ended:
    """How a command ended.

    Args:
        killed: whether the process was killed.
        success: what dbt said; None if it was killed.
        message: what dbt said of each node, by its name.
        status: the status of each node.
        told: the statements that it came by, see `death.arm`.
        log: its output.
    """

    killed: bool
    success: bool | None
    told: list[dict[str, Any]]
    log: str
    message: dict[str, str] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)

    @property
    def points(self) -> list[tuple[str, str]]:
        """The points of these statements, each with `w` (writes) or `r` (reads)."""
        return [(one["point"], "w" if one["job"] else "r") for one in self.told]

    @property
    def reached(self) -> bool:
        """Whether it met the death that was prepared."""
        return any(one["reached"] for one in self.told)

    @property
    def published(self) -> set[str]:
        """The jobs that sent a publish."""
        return {one["job"] for one in self.told if one["point"].startswith("publish")}


@dataclass
class Running:
    """A command that has begun.

    Args:
        pid: its process.
        args: dbt's arguments.
        home: a directory of its own, with what it says, comes by and prints.
    """

    pid: int
    args: tuple[str, ...]
    home: Path

    @property
    def told(self) -> Path:
        """The file that tells of the points it came by, as `death.arm` writes it."""
        return self.home / "told"

    @property
    def output(self) -> Path:
        """What it prints."""
        return self.home / "output"

    def stands(self) -> None:
        """Waits until it stands still.

        Raises:
            AssertionError: it ended instead.
        """
        stopped = reap(self.pid, self.output, os.WUNTRACED)
        assert os.WIFSTOPPED(stopped), f"dbt {self.args} did not stand still\n{self.log}"

    def go_on(self) -> None:
        """Wakes it up."""
        os.kill(self.pid, signal.SIGCONT)

    def end(self) -> Ended:
        """Waits for its end, good or bad."""
        killed = os.WIFSIGNALED(reap(self.pid, self.output))
        said = (self.home / "said").read_text()
        if not killed and not said:
            raise AssertionError(f"dbt {self.args} broke\n{self.log}")
        answer: dict[str, Any] = json.loads(said or "{}")
        return Ended(
            killed=killed,
            success=answer.get("success"),
            told=[json.loads(line) for line in self.told.read_text().splitlines()],
            log=self.log,
            message=answer.get("message", {}),
            status=answer.get("status", {}),
        )

    @property
    def log(self) -> str:
        """What it has printed."""
        return self.output.read_text()


def start(
    project: Project, manifest: Any, args: tuple[str, ...], death: Death | None, minutes: int = 0
) -> Running:
    """Begins one dbt command.

    Args:
        project: where.
        manifest: the project, parsed.
        args: dbt's arguments.
        death: what happens to it; None: nothing.
        minutes: how far its clock is ahead.
    """
    home = Path(mkdtemp(prefix="dbt_", dir=project.root))
    for name in ("said", "told", "output"):
        (home / name).touch()
    pid = os.fork()
    if pid == 0:
        if minutes:
            freeze_time(timedelta(minutes=minutes) + datetime.now(timezone.utc), tick=True).start()
        child(project, manifest, args, death, home)
    return Running(pid, args, home)


def warm(manifest: Any) -> None:
    """Compiles our macros, which each forked process would do again."""
    for macro in manifest.macros.values():
        if macro.package_name == "dbt_mview":
            template_cache.get_node_template(macro)


def child(
    project: Project,
    manifest: Any,
    args: tuple[str, ...],
    death: Death | None,
    home: Path,
) -> None:
    """The forked process. Never returns."""
    try:
        os.setsid()
        # A shell that starts something with & lets it ignore Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        said = home / "said"
        out = os.open(home / "output", os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        faulthandler.register(signal.SIGUSR1, file=sys.stderr)
        arm(death, home / "told")
        result = dbtRunner(manifest=manifest).invoke(
            [*QUIET, *args, *project.where(), *project.without()]
        )
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


def reap(pid: int, output: Path, options: int = 0) -> int:
    """Waits for a process. Returns its status; one that hangs tells where, and fails."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        done, status = os.waitpid(pid, os.WNOHANG | options)
        if done:
            return status
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGUSR1)
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise AssertionError(f"dbt hung for {TIMEOUT:.0f} s\n{output.read_text()}")
        time.sleep(0.01)
