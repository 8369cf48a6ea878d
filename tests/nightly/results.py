"""What each part ended with at last: results.csv, one row a part."""

from __future__ import annotations

import csv
import os
import subprocess
from dataclasses import astuple, dataclass, fields
from hashlib import sha256
from pathlib import Path

from tests.nightly.parts import ROOT, Part

FILE = Path(__file__).with_name("results.csv")
# What no test reads.
BESIDE = ("*.md", "*.svg", "tests/nightly/*.csv", "tests/bench/runs")


@dataclass(frozen=True)
class Result:
    """The last end of a part.

    Args:
        part: its name.
        date: when it ended, in UTC: 2026-11-27T07:15Z.
        commit: the commit that it was played on; with a `+`, and what was not committed.
        tree: the code and the tests that it was played with, see `tree`.
        seconds: how long it took.
        passed, failed, skipped: tests.
        what: names of the tests that failed, with a blank between them, or why nothing was played.
    """

    part: str
    date: str
    commit: str
    tree: str
    seconds: int
    passed: int
    failed: int
    skipped: int
    what: str = ""

    @property
    def is_played(self) -> bool:
        """Whether there were tests; if not, `what` says why."""
        return self.passed + self.failed > 0


def load() -> dict[str, Result]:
    """The results by their part; none where there is no file."""
    if not FILE.exists():
        return {}
    with FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    found = [
        Result(*row[:4], *(int(number) for number in row[4:8]), row[8])  # type: ignore[arg-type]
        for row in rows
    ]
    return {one.part: one for one in found}


def save(result: Result, parts: list[Part]) -> None:
    """Writes one result down, at once or not at all. Those of parts that are no more go.

    Args:
        result: it takes the place of the part's last one.
        parts: all parts; the rows are in their order.
    """
    known = {**load(), result.part: result}
    new = FILE.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow([one.name for one in fields(Result)])
        rows.writerows(astuple(known[part.name]) for part in parts if part.name in known)
    os.replace(new, FILE)


def git(*args: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *args], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def commit() -> str:
    """The commit of the working tree, with a `+` if files differ from it."""
    beside = [f":(exclude){one}" for one in BESIDE]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *beside)
    return git("rev-parse", "--short=12", "HEAD").strip() + ("+" if changed else "")


def tree() -> str:
    """What all tests depend on, as the working tree has it now: every file that git tracks, or
    would, but for documents and results. Two commits that differ in those only have the same."""
    beside = [f":(exclude){one}" for one in BESIDE]
    listed = git("ls-files", "-z", "-co", "--exclude-standard", "--", ".", *beside)
    digest = sha256()
    for name in sorted(set(listed.split("\0")) - {""}):
        file = ROOT / name
        if file.is_file() and not file.is_symlink():
            digest.update(f"{name}\0{sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:12]
