"""Where the lines and boxes of the report's drawings are: small charts, and sources with views.

Geometry alone, in the units of SVG; a template writes it down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BAR, GAP, HEIGHT = 3.0, 1.0, 28.0
LEAST = 2.0  # of a bar, that it be seen
LETTER, PAD, LONGEST = 7.3, 12.0, 30  # width of a letter; around a text; letters of a name
BOX, BETWEEN, AHEAD = 40.0, 14.0, 72.0  # height of a box; below it; beside it
SWEEPS = 6


@dataclass(frozen=True)
class Bar:
    """One refresh.

    Args:
        kind: fast, complete or failed.
        x: left edge.
        y: upper edge.
        height: down to the ground.
    """

    kind: str
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Chart:
    """Refreshes from the oldest to the newest.

    Args:
        bars: one for each.
        width: of all.
        said: what it shows, in words.
    """

    bars: Sequence[Bar]
    width: float
    said: str


def chart_of(refreshes: Sequence[tuple[str, float]]) -> Chart:
    """A chart of the seconds that refreshes took.

    Args:
        refreshes: kind and seconds, oldest first.
    """
    longest = max((seconds for _, seconds in refreshes), default=0.0) or 1.0
    bars = []
    for index, (kind, seconds) in enumerate(refreshes):
        height = max(LEAST, seconds / longest * HEIGHT)
        bars.append(Bar(kind, index * (BAR + GAP), HEIGHT - height, height))
    return Chart(bars, max(BAR, len(bars) * (BAR + GAP) - GAP), _said(refreshes))


def _said(refreshes: Sequence[tuple[str, float]]) -> str:
    """A chart in words: how many of each kind, and how long the middle one took."""
    parts = []
    for kind in ("complete", "fast", "failed"):
        seconds = sorted(one for its, one in refreshes if its == kind)
        if seconds:
            word = kind if kind == "failed" else kind.upper()
            parts.append(f"{len(seconds)} {word} of {seconds[len(seconds) // 2]:.1f} s")
    count = len(refreshes)
    return f"{count} refresh{'es' * (count != 1)}: {', '.join(parts)}" if parts else "no refresh"


@dataclass(frozen=True)
class Box:
    """A source or a view.

    Args:
        name: schema.identifier.
        kind: source, or what the view can be: yes, some, no, unknown.
        text: the name, no longer than fits.
        x: left edge.
        y: upper edge.
        width: of it.
    """

    name: str
    kind: str
    text: str
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Drawing:
    """Sources at the left, what reads them to their right.

    Args:
        boxes: of all.
        lines: from a box to one that reads it, as paths of SVG.
        width: of all.
        height: of all.
    """

    boxes: Sequence[Box]
    lines: Sequence[str]
    width: float
    height: float


def drawing_of(views: Sequence[tuple[str, str, Sequence[str]]]) -> Drawing:
    """A drawing of what reads what.

    Args:
        views: name, what it can be, and the names of what it reads.
    """
    reads = {name: list(dict.fromkeys(source for source in read if source != name))
             for name, _, read in views}  # fmt: skip
    kinds = {name: kind for name, kind, _ in views}
    for sources in list(reads.values()):
        for source in sources:
            reads.setdefault(source, [])
            kinds.setdefault(source, "source")
    columns = _ordered(_columns(reads), reads)
    tallest = max((len(column) for column in columns), default=0)
    height = tallest * (BOX + BETWEEN)
    boxes: dict[str, Box] = {}
    x = 1.0
    for column in columns:
        texts = {name: _short(name) for name in column}
        width = max(len(text) for text in texts.values()) * LETTER + 2 * PAD
        y = (height - len(column) * (BOX + BETWEEN)) / 2 + BETWEEN / 2
        for name in column:
            boxes[name] = Box(name, kinds[name], texts[name], x, y, width)
            y += BOX + BETWEEN
        x += width + AHEAD
    lines = [_line(boxes[source], boxes[name]) for name in reads for source in reads[name]]
    return Drawing(list(boxes.values()), lines, max(0.0, x - AHEAD + 1), height)


def _columns(reads: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """What reads nothing comes first, everything else after all that it reads."""
    depth: dict[str, int] = {}
    waiting = sorted(reads)
    while waiting:
        left = []
        for name in waiting:
            if all(source in depth for source in reads[name]):
                depth[name] = 1 + max((depth[source] for source in reads[name]), default=-1)
            else:
                left.append(name)
        if len(left) == len(waiting):
            # State of several times may name a circle; it is cut somewhere.
            depth[left.pop(0)] = 0
        waiting = left
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name, at in depth.items():
        columns[at].append(name)
    return [sorted(column) for column in columns if column]


def _ordered(columns: list[list[str]], reads: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each column in an order in which few lines cross: by the middle of what a box is tied to."""
    tied: dict[str, list[str]] = {name: list(sources) for name, sources in reads.items()}
    for name, sources in reads.items():
        for source in sources:
            tied[source].append(name)
    place = {name: (at + 0.5) / len(column) for column in columns for at, name in enumerate(column)}
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            middle = {
                name: sum(place[one] for one in tied[name]) / len(tied[name])
                if tied[name] else place[name]
                for name in column
            }  # fmt: skip
            column.sort(key=lambda name: (middle[name], name))
            place.update({name: (at + 0.5) / len(column) for at, name in enumerate(column)})
    return columns


def _short(name: str) -> str:
    """The end of a name says most."""
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]


def _line(source: Box, view: Box) -> str:
    """From the right edge of one to the left edge of the other."""
    points = ((source.x + source.width, source.y), (view.x, view.y))
    (x, y), (to_x, to_y) = ((at, up + BOX / 2) for at, up in points)
    bend = (to_x - x) / 2
    bent = f"{x + bend:.1f} {y:.1f} {to_x - bend:.1f} {to_y:.1f}"
    return f"M{x:.1f} {y:.1f}C{bent} {to_x:.1f} {to_y:.1f}"
