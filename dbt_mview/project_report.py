"""A page about a dbt project and its materialized views, from what `mview_report` prints.

The page is one file that needs nothing else: no script, no font, no server. What it shows comes
from names and messages of others, so all of it goes through Jinja's escaping, and its own policy
forbids what would get through.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from dbt_mview import __version__
from dbt_mview.drawing import Chart, Drawing, chart_of, drawing_of

MARK = "report: "
TEMPLATES = Path(__file__).parent / "serve" / "templates"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROS = 1_000_000
LAST = 25  # refreshes in the table at the end
# How the page calls what a view can be.
WORDS = {"yes": "FAST", "some": "partly FAST", "no": "COMPLETE", "unknown": "not known yet"}


@dataclass(frozen=True)
class View:
    """One view, as the page shows it.

    Args:
        found: what `mview_report` says of it.
        history: its refreshes, newest first.
        chart: of their seconds.
        seconds: of the last refresh that is in history; None where there is none.
        rows: that it wrote; None where that is not known.
        saved: seconds that its FAST refreshes took less than COMPLETE; None where no COMPLETE is
            known to compare with.
    """

    found: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    chart: Chart
    seconds: float | None
    rows: int | None
    saved: float | None

    @property
    def word(self) -> str:
        """What it can be."""
        return WORDS[self.found["fast"]]

    @property
    def how(self) -> str:
        """How it follows changes, or an empty text."""
        keys = self.found["keys"]
        by = f" by {', '.join(keys[:3])}{', ...' if len(keys) > 3 else ''}" if keys else ""
        how = f"{self.found['strategy']}{by}" if self.found["strategy"] else ""
        if self.found["fast"] == "some":
            how += f", after changes of {', '.join(self.found['follows'])}"
        if self.found["only_while"]:
            how += f", while {self.found['only_while']}"
        return how


@dataclass(frozen=True)
class Way:
    """What somebody can do, for these views.

    Args:
        text: of the way out.
        views: that it would help.
        seconds: that COMPLETE of all these takes; None where none is known.
    """

    text: str
    views: Sequence[View]
    seconds: float | None


@dataclass(frozen=True)
class ProjectReport:
    """All that is on the page.

    Args:
        project: its name.
        target: of dbt.
        now: the engine's clock, in microseconds.
        views: by what there is to do.
        ways: out, the one that spares most first.
        history: the last refreshes of all, newest first.
        drawing: sources and views.
    """

    project: str
    target: str
    now: int
    views: Sequence[View]
    ways: Sequence[Way]
    history: Sequence[Mapping[str, Any]]
    drawing: Drawing

    def count(self, *fast: str) -> int:
        """How many views can be that."""
        return sum(view.found["fast"] in fast for view in self.views)

    @property
    def saved(self) -> float:
        """Seconds that FAST took less than COMPLETE, in the refreshes that are shown."""
        return sum(view.saved or 0.0 for view in self.views)

    @property
    def failing(self) -> Sequence[View]:
        """Views whose last refresh failed."""
        return [view for view in self.views if view.found["result"] == "failed"]


def report_of(lines: Sequence[str]) -> ProjectReport:
    """Reads what `mview_report` has printed.

    Args:
        lines: that were printed; macros of the user may have printed others.

    Raises:
        ValueError: it is not there, or is not understood.
    """
    text = next((line for line in reversed(lines) if line.startswith(MARK)), None)
    if text is None:
        raise ValueError(
            "the operation mview_report has printed no report: use one version of the package"
            " dbt_mview and of this command"
        )
    found = json.loads(text.removeprefix(MARK))
    refreshes: dict[str, list[dict[str, Any]]] = {}
    for row in found["history"]:
        row["seconds"] = max(0, row["ended"] - row["started"]) / MICROS
        refreshes.setdefault(row["id"], []).append(row)
    views = [_view(view, refreshes.get(view["id"], [])) for view in found["views"]]
    return ProjectReport(
        project=found["project"],
        target=found["target"],
        now=found["clock"],
        views=views,
        ways=_ways(views),
        history=found["history"][:LAST],
        drawing=drawing_of(
            [(view.found["name"], view.found["fast"], view.found["reads"]) for view in views]
        ),
    )


def _view(found: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> View:
    """One view with its refreshes."""
    complete = found["complete"]
    fast = [row["seconds"] for row in history if row["method"] == "fast" and _is_good(row)]
    good = next((row for row in history if _is_good(row)), None)
    return View(
        found=found,
        history=history,
        chart=chart_of([_bar(row) for row in reversed(history)]),
        seconds=good["seconds"] if good else None,
        rows=good["rows"] if good else None,
        saved=None if complete is None or not fast else sum(complete - seconds for seconds in fast),
    )


def _bar(row: Mapping[str, Any]) -> tuple[str, float]:
    """Kind and seconds of one refresh."""
    return (row["method"] or "complete" if _is_good(row) else "failed", row["seconds"])


def _is_good(row: Mapping[str, Any]) -> bool:
    return bool(row["status"] == "success")


def _ways(views: Iterable[View]) -> list[Way]:
    """The ways out, each once."""
    helped: dict[str, list[View]] = {}
    for view in views:
        if view.found["way_out"]:
            helped.setdefault(view.found["way_out"], []).append(view)
    ways = []
    for text, some in helped.items():
        known = [one.found["complete"] for one in some if one.found["complete"] is not None]
        ways.append(Way(text, some, sum(known) if known else None))
    return sorted(ways, key=lambda way: (-(way.seconds or 0), -len(way.views), way.text))


def page_of(report: ProjectReport) -> str:
    """The page, as HTML.

    Args:
        report: what it shows.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        span=_span, utc=_utc, iso=_iso, breakable=_breakable, ago=lambda at: _ago(at, report.now)
    )
    style = "".join(
        (TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "report.css")
    )
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return environment.get_template("report.html").render(
        report=report,
        version=__version__,
        style=Markup(style),
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'",
        ids={view.found["name"]: f"view-{index}" for index, view in enumerate(report.views)},
    )


def _span(seconds: float) -> str:
    """A span for people: 0.4 s, 41 s, 3.2 min, 5.1 h, 2.0 days."""
    size = abs(seconds)
    for limit, unit, name in ((100, 1, "s"), (100 * 60, 60, "min"), (48 * 3600, 3600, "h")):
        if size < limit:
            value = seconds / unit
            return f"{value:.0f} {name}" if size >= 10 * unit else f"{value:.1f} {name}"
    return f"{seconds / 86400:.1f} days"


def _ago(at: int, now: int) -> str:
    """How long before now."""
    return "just now" if now - at < MICROS else f"{_span((now - at) / MICROS)} ago"


def _moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)


def _utc(at: int) -> str:
    return f"{_moment(at):%Y-%m-%d %H:%M:%S} UTC"


def _iso(at: int) -> str:
    return f"{_moment(at):%Y-%m-%dT%H:%M:%SZ}"


def _breakable(name: str) -> Markup:
    """A name that may go on in the next line after a dot or an underscore."""
    return Markup(str(escape(name)).replace(".", ".<wbr>").replace("_", "_<wbr>"))
