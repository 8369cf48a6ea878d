"""What is small, at rest or cold: what it took on 2026-11-27, takes now, and was meant to take."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.results import Result
from tests.bench.small import FLOORS

HEADS = ["what", "beside", "then", "now", "its statements alone", "aim"]
# By comparison and cell, and the grid's by scale: what it took then, beside the same.
THEN: dict[tuple[str, str, float | None], str] = {
    ("small", "a skip, above dbt with nothing to do", None): "1.1 s",
    ("small", "20 tiny views, 4 threads, which rest", None): "not measured",
    ("small", "COMPLETE of one small view", None): "4.2",
    ("small", "FAST of one small view", None): "5.0",
    ("small", "20 tiny views, 4 threads, COMPLETE", None): "2.4 to 3.0",
    ("small", "the first refresh of a process, COMPLETE", None): "7",
    ("small", "the first refresh of a process, FAST", None): "5 to 12",
    ("small", "AUTO of one small view", None): "2",
    ("grid", "lines by supplier, 0.1 % localised", 10.0): "0.25",
    ("grid", "lines by supplier, 0.1 % localised", 30.0): "not measured",
}


def then_and_now(results: list[Result]) -> Iterator[list[str]]:
    """A row for each aim that was measured.

    Args:
        results: of the bench.
    """
    for key, then in THEN.items():
        for now in (one for one in results if key_of(one) == key and stands_above(one)):
            alone = [
                one
                for one in results
                if one.comparison == now.comparison
                and one.cell.startswith(f"{now.cell}: {FLOORS['bare']}")
            ]
            scale = key[2]
            what = f"{now.side.upper()}, {now.cell}, SF{scale:g}" if scale else now.cell
            beside = now.against.partition(":")[0].replace("better", "the better of both")
            in_seconds = beside.endswith(" s")
            aim = beside if in_seconds else f"{now.goal:g}"
            told = [
                f"{median(one.ours):.2f} s" if in_seconds else f"{one.ratio:.2f}"
                for one in (now, *alone)
            ]
            yield [what, "" if in_seconds else beside, then, told[0], *(told[1:] or [""]), aim]


def stands_above(one: Result) -> bool:
    """Whether a result is one of these, with its aim."""
    known = key_of(one) in THEN and one.goal is not None
    return known and (one.comparison != "grid" or one.against == "table")


def key_of(one: Result) -> tuple[str, str, float | None]:
    """Its key in THEN."""
    return one.comparison, one.cell, one.scale if one.comparison == "grid" else None
