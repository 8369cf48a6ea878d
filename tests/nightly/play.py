"""Plays one part: pytest in a process of its own, in the environment that the part names."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from xml.etree import ElementTree

from dbt_mview.engine import DEFAULT_JAVA_OPTIONS, JAVA_OPTIONS_VARIABLE
from tests.nightly import results
from tests.nightly.parts import ROOT, Part
from tests.nightly.results import Result
from tests.support.quick import QUICK_COMPILER

HOME = ROOT / ".nightly"  # what parts print
NAMES = 20  # of tests that failed, in one result
PATIENCE = 4.0  # a part is ended after so many times its estimate
LEAST = 3600.0  # seconds that every part may take
TO_END = 40.0  # seconds to stop its engines when it is ended
TRIES = 3


@dataclass(frozen=True)
class Counted:
    """What a run of pytest wrote into its report."""

    passed: int
    failed: int
    skipped: int
    failures: tuple[str, ...]


class NotHereError(Exception):
    """What a part needs is not on this machine."""


class NotMadeError(Exception):
    """The environment of a part cannot be made."""


def play(part: Part, estimate: float) -> Result:
    """Plays a part.

    Args:
        part: which.
        estimate: the seconds it should take.

    Returns:
        Its result. A part whose Python is not there, whose environment cannot be made or whose
        pytest ended without a report, says so.
    """
    HOME.mkdir(exist_ok=True)
    begun, commit, tree = time.monotonic(), results.commit(), results.tree()
    report = HOME / f"{part.name}.xml"
    report.unlink(missing_ok=True)
    try:
        with (HOME / f"{part.name}.log").open("wb") as log:
            python = environment(part, log.fileno())
            command = [python, "-m", "pytest", "-v", *part.args, f"--junitxml={report}"]
            limit = max(LEAST, PATIENCE * estimate)
            ended = run(command, surroundings(part), log.fileno(), limit)
        counted = read(report) if report.exists() else Counted(0, 0, 0, ())
        what = listed(counted.failures)
        if ended is None or ended not in (0, 1) or not counted.passed + counted.failed:
            what = f"{what} {why(ended, limit)}".strip()
            counted = Counted(counted.passed, max(1, counted.failed), counted.skipped, ())
    except NotHereError as missing:
        counted, what = Counted(0, 0, 0, ()), f"not here: {missing}"
    except NotMadeError as broken:
        counted, what = Counted(0, 1, 0, ()), str(broken)
    took = round(time.monotonic() - begun)
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
    counts = (counted.passed, counted.failed, counted.skipped)
    return Result(part.name, now, commit, tree, took, *counts, what)


def surroundings(part: Part) -> dict[str, str]:
    """The environment variables of a part."""
    variables = {**os.environ, **part.env}
    if part.quick:
        options = variables.get(JAVA_OPTIONS_VARIABLE) or DEFAULT_JAVA_OPTIONS
        variables[JAVA_OPTIONS_VARIABLE] = f"{options} {QUICK_COMPILER}"
    return variables


def listed(names: Sequence[str]) -> str:
    """Names with a blank between them, the first of many."""
    more = [f"and {len(names) - NAMES} more"] if len(names) > NAMES else []
    return " ".join([*names[:NAMES], *more])


def why(ended: int | None, limit: float) -> str:
    """What is said of a pytest that did not end as it should."""
    if ended is None:
        return f"ended after {limit:.0f} s"
    return "no test was played" if ended in (0, 1, 5) else f"pytest ended with {ended}"


def run(command: Sequence[str], env: Mapping[str, str], output: int, limit: float) -> int | None:
    """Runs a command to its end; an exception here ends it as Ctrl-C would.

    Returns:
        Its exit status; None if it took too long.
    """
    # In a session of its own: a second Ctrl-C, the terminal's, would not let it stop its engines.
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process as Ctrl-C would, or by force, with all that it started."""
    started = descendants(process.pid)
    for _ in range(TRIES):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(TO_END)
            break
        except subprocess.TimeoutExpired:
            # dbt took it for its own, and the tests went on.
            started |= descendants(process.pid)
    else:
        process.kill()
        process.wait()
    for pid in started:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that these started."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], check=True, capture_output=True)
    parents = dict(map(int, line.split()) for line in listed.stdout.splitlines())
    found = {pid}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def outcome(case: ElementTree.Element) -> str:
    """How a test of a report ended: passed, failed or skipped."""
    kinds = {child.tag for child in case}
    if kinds & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in kinds else "passed"


def read(report: Path) -> Counted:
    """What a report of pytest says (JUnit's format)."""
    passed = skipped = 0
    failures = []
    for case in ElementTree.parse(report).iter("testcase"):
        ended = outcome(case)
        if ended == "failed":
            place = case.get("classname", "").removeprefix("tests.")
            failures.append(f"{place}.{case.get('name')}".replace(" ", "_"))
        elif ended == "skipped":
            skipped += 1
        else:
            passed += 1
    unique = tuple(dict.fromkeys(failures))
    return Counted(passed, len(unique), skipped, unique)


def environment(part: Part, output: int) -> str:
    """The Python of the part's environment, which make brings up to date.

    Raises:
        NotHereError: the machine lacks the Python.
        NotMadeError: make fails.
    """
    if not part.venv:
        return sys.executable
    variables = [*part.make, f"VENV={part.venv}"]
    if part.python:
        found = find_python(part.python)
        if found is None:
            raise NotHereError(part.python)
        variables.append(f"PYTHON={found}")
    made = subprocess.run(
        ["make", "jars", *variables], cwd=ROOT, check=False, stdout=output, stderr=output
    )
    if made.returncode:
        raise NotMadeError(f"make jars {' '.join(variables)} failed")
    return str(ROOT / part.venv / "bin" / "python")


def find_python(name: str) -> str | None:
    """The path of a Python such as `python3.10` that runs, on the PATH or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    minor = name.removeprefix("python")
    places = [shutil.which(name), *map(str, sorted(pyenv.glob(f"{minor}.*/bin/{name}")))]
    for place in places:
        if place and _runs(place):
            return place
    return None


def _runs(python: str) -> bool:
    """Whether it is one: a shim of pyenv may stand for nothing."""
    done = subprocess.run([python, "-c", "import venv"], check=False, capture_output=True)
    return done.returncode == 0
