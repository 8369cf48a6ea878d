"""Seconds of one refresh against the rows that changed, as lines on logarithmic axes, as an SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import count
from statistics import median

from tests.bench.picture import NAMES, TEXT, WIDTH, Scale, sheet
from tests.bench.results import Result

# Colour and dashes of each side; what is drawn later lies above.
SIDES = {
    "table": ("#8a94a3", ""),
    "complete": ("#5f7ea8", "7 3"),
    "incremental": ("#d9a441", ""),
    "fast": ("#2a9d6f", ""),
    "auto": ("#1f3fa8", "2 4"),
}
TOP, LEFT, GAP = 72, 52, 46
PANEL, LABEL, BELOW = 190, 24, 44
LINES = 6_000_000  # rows of lineitem at SF1
# As many sizes of change make a line.
ENOUGH = 3

Panels = dict[str, dict[float, dict[str, dict[float, float]]]]


def chart(results: list[Result]) -> str | None:
    """Draw the grid where `table` was timed after changes of several sizes.

    Args:
        results: of the bench; those of the grid are drawn, a row of panels for each view and
            layout of changes, a column for each scale.

    Returns:
        The SVG's text; None if no such cells were measured.
    """
    panels = panels_of(results)
    if not panels:
        return None
    scales = sorted({scale for row in panels.values() for scale in row})
    sides = {side for row in panels.values() for lines in row.values() for side in lines}
    height = TOP + len(panels) * (LABEL + PANEL + BELOW)
    parts = [
        *sheet("Seconds of one refresh against the rows of lineitem that changed", height),
        *legend(sides),
    ]
    width = (WIDTH - LEFT - GAP * (len(scales) - 1) - 16) / len(scales)
    for (name, row), top in zip(panels.items(), count(TOP, LABEL + PANEL + BELOW), strict=False):
        for column, scale in enumerate(scales):
            if scale in row:
                left = LEFT + column * (width + GAP)
                parts += panel(name, scale, row[scale], Box(left, top + LABEL, width))
    return "\n".join([*parts, "</svg>"]) + "\n"


def panels_of(results: list[Result]) -> Panels:
    """Seconds by row of panels, scale, side and percent, where there is enough for a line."""
    found: Panels = {}
    for one in (one for one in results if one.comparison == "grid"):
        view, _, change = one.cell.rpartition(", ")
        percent, _, layout = change.partition(" % ")
        lines = found.setdefault(f"{view}, {layout}", {}).setdefault(one.scale, {})
        for side, seconds in ((one.side, one.ours), (one.against, one.theirs)):
            if side in SIDES:
                lines.setdefault(side, {})[float(percent)] = median(seconds)
    kept = {
        name: {
            scale: timed
            for scale, timed in ((scale, beside_table(lines)) for scale, lines in scales.items())
            if min(len(timed.get(side, ())) for side in ("table", "fast")) >= ENOUGH
        }
        for name, scales in found.items()
    }
    return {name: scales for name, scales in kept.items() if scales}


def beside_table(lines: dict[str, dict[float, float]]) -> dict[str, dict[float, float]]:
    """The sizes of change after which `table` was timed, too: other runs have other seconds."""
    known = lines.get("table", {})
    return {
        side: {percent: value for percent, value in line.items() if percent in known}
        for side, line in lines.items()
    }


class Box:
    """Where a panel lies on the sheet.

    Args:
        left: its first column.
        top: its first line.
        width: how wide it is.
    """

    def __init__(self, left: float, top: float, width: float) -> None:
        self.left, self.top, self.width = left, top, width
        self.right, self.floor = left + width, top + PANEL


def panel(name: str, scale: float, lines: dict[str, dict[float, float]], box: Box) -> Iterator[str]:
    """One view at one scale: a line for each side.

    Args:
        name: the view and where its sources change.
        scale: of TPC-H.
        lines: seconds by percent, by side.
        box: where it is drawn.
    """
    percents = sorted({percent for line in lines.values() for percent in line})
    seconds = [value for line in lines.values() for value in line.values()]
    x = Scale(percents, box.left + 8, box.right - 8)
    y = Scale([min(seconds) / 1.5, max(seconds) * 1.2], box.floor, box.top)
    yield text(box.left, box.top - 8, f"{name}, SF{scale:g}", 12, "start", 'font-weight="bold"')
    for tick in y.ticks():
        at = f"{y.at(tick):.1f}"
        yield f'<line x1="{box.left}" y1="{at}" x2="{box.right:.1f}" y2="{at}" stroke="#e3e6ea"/>'
        yield text(box.left - 6, y.at(tick) + 4, f"{tick:g} s", 11, "end")
    for percent in percents:
        rows = percent / 100 * LINES * scale
        yield text(x.at(percent), box.floor + 16, f"{percent:g} %", 11, "middle")
        yield text(x.at(percent), box.floor + 30, short(rows), 10, "middle", 'opacity="0.7"')
    for side, (colour, _) in SIDES.items():
        places = [
            (x.at(percent), y.at(value)) for percent, value in sorted(lines.get(side, {}).items())
        ]
        points = " ".join(f"{left:.1f},{top:.1f}" for left, top in places)
        if points:
            yield f'<polyline points="{points}" fill="none" {stroke(side)}/>'
        for left, top in places:
            yield f'<circle cx="{left:.1f}" cy="{top:.1f}" r="3.5" fill="{colour}"/>'


def stroke(side: str) -> str:
    """How the line of a side is drawn."""
    colour, dashes = SIDES[side]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'stroke="{colour}" stroke-width="2.5"{dashed}'


def text(x: float, y: float, value: str, size: int, anchor: str, more: str = "") -> str:
    """A text at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {TEXT}'
        f"{' ' if more else ''}{more}>{escape(value)}</text>"
    )


def short(rows: float) -> str:
    """A number of rows as one says it."""
    for size, word in ((1e6, " m"), (1e3, " k")):
        if rows >= size:
            return f"{rows / size:.3g}{word} rows"
    return f"{rows:.3g} rows"


def legend(sides: set[str]) -> list[str]:
    """What the lines mean."""
    parts = []
    for index, side in enumerate(side for side in SIDES if side in sides):
        x = 16 + 160 * index
        parts += [
            f'<line x1="{x}" y1="48" x2="{x + 26}" y2="48" {stroke(side)}/>',
            text(x + 32, 52, NAMES[side], 11, "start"),
        ]
    return parts
