"""The seconds of the grid as bars on a logarithmic scale, as an SVG."""

from __future__ import annotations

import math
from html import escape
from statistics import median

from tests.bench.results import Result

COLOURS = {
    "table": "#b8bfc9",
    "incremental": "#d9a441",
    "stream": "#c77c9b",
    "complete": "#7d93b2",
    "fast": "#2a9d6f",
    "auto": "#1f5fa8",
}
NAMES = {
    "table": "dbt-spark table",
    "incremental": "incremental by hand",
    "stream": "streaming by hand",
    "complete": "mview COMPLETE",
    "fast": "mview FAST",
    "auto": "mview AUTO",
}
WIDTH, LEFT, RIGHT, TOP = 860, 250, 60, 84
BAR, GAP = 11, 12
TEXT = 'font-family="sans-serif" fill="#222"'
PERCENT = "0.1 %"


def picture(results: list[Result]) -> str:
    """Draw the cells of 0.1 percent at the greatest scale.

    Args:
        results: of the bench; those of the grid are drawn.

    Returns:
        The SVG's text.
    """
    found = [one for one in results if one.comparison == "grid" and f", {PERCENT} " in one.cell]
    scale = max((one.scale for one in found), default=0.0)
    cells: dict[str, dict[str, float]] = {}
    for one in (one for one in found if one.scale == scale):
        cell = cells.setdefault(one.cell.replace(f" {PERCENT}", ""), {})
        cell |= {one.side: median(one.ours), one.against: median(one.theirs)}
    bars = {
        label: {side: cell[side] for side in COLOURS if side in cell}
        for label, cell in cells.items()
    }
    seconds = [value for cell in bars.values() for value in cell.values()] or [1.0]
    axis = Axis(min(seconds) / 1.5, max(seconds) * 1.2)
    height = TOP + sum(BAR * len(cell) + GAP for cell in bars.values()) + 36
    title = f"Seconds of one refresh after {PERCENT} of lineitem changed, TPC-H SF{scale:g}"
    parts = [
        *sheet(title, height),
        *legend({side for cell in bars.values() for side in cell}),
        *axis.lines(TOP - 6, height - 30),
    ]
    top = float(TOP)
    for label, cell in bars.items():
        middle = top + BAR * len(cell) / 2 + 4
        parts.append(
            f'<text x="{LEFT - 10}" y="{middle:.0f}" font-size="12" text-anchor="end" {TEXT}>'
            f"{escape(label)}</text>"
        )
        for side, value in cell.items():
            parts.append(bar(axis, top, side, value))
            top += BAR
        top += GAP
    return "\n".join([*parts, "</svg>"]) + "\n"


def sheet(title: str, height: float) -> list[str]:
    """The begin of an SVG: a white sheet with its title."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" font-weight="bold" {TEXT}>{escape(title)}</text>',
    ]


class Scale:
    """Values on a logarithmic scale, between two places.

    Args:
        values: what has to be seen.
        first: the place of the lowest one.
        last: the place of the greatest one.
    """

    def __init__(self, values: list[float], first: float, last: float) -> None:
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        self.first, self.last = first, last

    def at(self, value: float) -> float:
        """The place of a value."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        """1, 2, 5, 10 and so on, as far as the axis goes."""
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        steps = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
        return [step for step in steps if self.low <= math.log10(step) <= self.high]


class Axis(Scale):
    """Seconds from left to right, between round numbers."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__([low, high], LEFT, WIDTH - RIGHT)

    def x(self, value: float) -> float:
        """Where a value lies."""
        return self.at(value)

    def lines(self, top: float, bottom: float) -> list[str]:
        """A line with its label at each tick."""
        parts = []
        for tick in self.ticks():
            x = f"{self.x(tick):.1f}"
            parts += [
                f'<line x1="{x}" y1="{top}" x2="{x}" y2="{bottom}" stroke="#e3e6ea"/>',
                f'<text x="{x}" y="{bottom + 16}" font-size="11" text-anchor="middle" {TEXT}>'
                f"{tick:g} s</text>",
            ]
        return parts


def bar(axis: Axis, top: float, side: str, value: float) -> str:
    """One bar with its value."""
    width = axis.x(value) - LEFT
    return (
        f'<rect x="{LEFT}" y="{top:.0f}" width="{width:.1f}" height="{BAR - 2}"'
        f' fill="{COLOURS[side]}"/>'
        f'<text x="{LEFT + width + 4:.1f}" y="{top + BAR - 3:.0f}" font-size="9" {TEXT}>'
        f"{value:.1f}</text>"
    )


def legend(sides: set[str]) -> list[str]:
    """What the colours mean."""
    parts = []
    for index, side in enumerate(side for side in COLOURS if side in sides):
        x = 16 + 139 * index
        parts += [
            f'<rect x="{x}" y="42" width="12" height="12" fill="{COLOURS[side]}"/>',
            f'<text x="{x + 17}" y="52" font-size="11" {TEXT}>{NAMES[side]}</text>',
        ]
    return parts
