"""What the last `make nightly` saw of each step of a project on each target: steps.csv, and the
table of it in docs/reliability.md.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from xml.etree import ElementTree

from tests.nightly import results
from tests.nightly.play import outcome

FILE = Path(__file__).with_name("steps.csv")
DOCS = results.ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- steps: begin -->\n", "<!-- steps: end -->\n"
# The tests of tests/targets, and the property of their run that names what it ran on.
STEP = re.compile(r"test_step\[(?P<target>\w+)-(?P<step>\w+)\]")
VERSIONS = "versions"
SIGNS = {"passed": "{} s", "failed": "**failed**", "skipped": "-"}


@dataclass(frozen=True)
class Step:
    """One step on one target.

    Args:
        target: of tests/targets/targets.py.
        versions: what it ran on: `Spark 4.1.1, Delta 4.4.0, ...`.
        step: of tests/targets/scene.py.
        outcome: passed, failed, or skipped: the target has no means for it.
        seconds: how long it took.
    """

    target: str
    versions: str
    step: str
    outcome: str
    seconds: int


def load() -> dict[str, list[Step]]:
    """The steps of each part; none where there is no file."""
    known: dict[str, list[Step]] = {}
    if FILE.exists():
        with FILE.open(encoding="utf-8", newline="") as lines:
            for part, *row, seconds in list(csv.reader(lines))[1:]:
                known.setdefault(part, []).append(Step(*row, int(seconds)))  # type: ignore[call-arg, arg-type]
    return known


def save(part: str, steps: Iterable[Step], parts: Iterable[str]) -> None:
    """Writes the steps of one part down, at once or not at all.

    Args:
        part: its name.
        steps: they take the place of its last ones.
        parts: the names of all parts, in the order of the rows; steps of others go.
    """
    known = load() | {part: list(steps)}
    new = FILE.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines, lineterminator="\n")
        rows.writerow(["part", *(one.name for one in fields(Step))])
        rows.writerows((name, *astuple(one)) for name in parts for one in known.get(name, []))
    os.replace(new, FILE)


def read(report: Path) -> list[Step]:
    """The steps in a report of pytest (JUnit's format); none where there is no report."""
    if not report.exists():
        return []
    root = ElementTree.parse(report)
    told = {one.get("name"): one.get("value", "") for one in root.iter("property")}
    found = []
    for case in root.iter("testcase"):
        if named := STEP.fullmatch(case.get("name", "")):
            seconds = round(float(case.get("time", "0")))
            where = named["target"], told[VERSIONS], named["step"]
            found.append(Step(*where, outcome(case), seconds))
    return found


def table(known: Mapping[str, list[Step]], dates: Mapping[str, str]) -> str:
    """The table, in Markdown.

    Args:
        known: the steps of each part.
        dates: when each part was played.
    """
    names = list(dict.fromkeys(one.step for steps in known.values() for one in steps))
    lines = [["target", "on", "seen", *(name.replace("_", " ") for name in names)]]
    lines.append(["---"] * len(lines[0]))
    for part, steps in known.items():
        ended = {one.step: SIGNS[one.outcome].format(one.seconds) for one in steps}
        first = [steps[0].target, steps[0].versions, dates.get(part, "")[:10]]
        lines.append([*first, *(ended.get(name, "") for name in names)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def documented(text: str) -> str:
    """A text with the table between its two marks."""
    dates = {part: one.date for part, one in results.load().items()}
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + table(load(), dates) + END + rest.partition(END)[2]


def document() -> None:
    """Writes the table into the document."""
    DOCS.write_text(documented(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
