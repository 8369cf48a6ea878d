"""What a thousand refreshes do to state, as three curves in an SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from statistics import median

from tests.bench.picture import TEXT, WIDTH, sheet
from tests.bench.results import Result

PANEL, LEFT, TOP, GAP = 110, 70, 56, 44
COLOUR = "#1f5fa8"


def curves(results: list[Result]) -> str | None:
    """Draw the samples of the comparison upkeep, one panel for each of what was sampled.

    Args:
        results: of the bench; those named curve are drawn, their scale is the number of refreshes.

    Returns:
        The SVG's text; None if upkeep was not measured.
    """
    found: dict[str, dict[float, float]] = {}
    units = {one.cell: one.unit for one in results if one.comparison == "curve"}
    for one in (one for one in results if one.comparison == "curve"):
        found.setdefault(one.cell, {})[one.scale] = median(one.ours)
    if not found:
        return None
    height = TOP + (PANEL + GAP) * len(found)
    title = "State after refreshes and purges: one purge for five refreshes"
    parts = sheet(title, height)
    for index, (name, samples) in enumerate(found.items()):
        parts += panel(TOP + index * (PANEL + GAP), f"{name}, {units[name]}", samples)
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel(top: float, label: str, samples: dict[float, float]) -> Iterator[str]:
    """One curve from zero, with its greatest value and the number of refreshes below."""
    last, most = max(samples), max(samples.values()) or 1.0
    floor = top + PANEL

    def x(turn: float) -> float:
        return LEFT + turn / last * (WIDTH - LEFT - 30)

    def y(value: float) -> float:
        return floor - value / most * (PANEL - 24)

    points = " ".join(f"{x(turn):.1f},{y(value):.1f}" for turn, value in sorted(samples.items()))
    yield f'<text x="{LEFT}" y="{top + 12}" font-size="12" {TEXT}>{escape(label)}</text>'
    for value in (0.0, most):
        yield (
            f'<line x1="{LEFT}" y1="{y(value):.1f}" x2="{WIDTH - 30}" y2="{y(value):.1f}"'
            ' stroke="#e3e6ea"/>'
        )
        yield (
            f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" font-size="11" text-anchor="end" {TEXT}>'
            f"{value:.3g}</text>"
        )
    yield f'<polyline points="{points}" fill="none" stroke="{COLOUR}" stroke-width="2"/>'
    for turn in (0.0, last):
        yield (
            f'<text x="{x(turn):.1f}" y="{floor + 16}" font-size="11" text-anchor="middle" {TEXT}>'
            f"{turn:g}</text>"
        )
