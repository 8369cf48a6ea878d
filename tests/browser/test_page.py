"""The page as people use it: with axe-core, with the keyboard, on a narrow screen, on paper."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import EXECUTABLE, Tab, chromium
from tests.support.reports import NOW, ODD, FakeReporter, node, report, running, view

# Packages that have axe-core in them; none of them is imported.
PACKAGES = ("axe_playwright_python", "axe_core_python")
# The rules of WCAG 2.2 AA, and what axe calls best practice.
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


def find_axe() -> Path | None:
    """The newest axe.min.js: of the variable AXE, or of an installed package."""
    if given := os.environ.get("AXE"):
        return Path(given)
    for name in PACKAGES:
        if (spec := find_spec(name)) and spec.submodule_search_locations:
            return Path(spec.submodule_search_locations[0]) / "axe.min.js"
    return None


AXE = find_axe()
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        EXECUTABLE is None, reason="there is no Chromium here; run: apt-get install chromium"
    ),
]
needs_axe = pytest.mark.skipif(
    AXE is None, reason="there is no axe-core here; run: pip install axe-core-python"
)
LONG = f"spark_catalog.a_schema_with_a_long_name.{'revenue_by_region_' * 6}daily"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    """A browser."""
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def reporter() -> FakeReporter:
    return FakeReporter(report())


@pytest.fixture(scope="module")
def address(reporter: FakeReporter) -> Iterator[str]:
    """Where the page of the reporter is."""
    from dbt_mview.serve.metrics import Metrics
    from dbt_mview.serve.web import Server, make_app, parse_listen

    app = make_app(reporter, Metrics(), token="secret")
    server = Server(app, parse_listen("127.0.0.1:0"))
    server.start()
    yield server.address
    server.stop()


REPORTS = {
    "healthy": report(),
    "empty": report(views=(), runs=(), nodes=(), health="starting", fetched=None, beaten=None),
    "broken": report(health="database", problem="db:5432 is silent: look at it.", skew=-9.5),
    "large": report(
        views=tuple(view(f"{LONG}_{number}", problem="because " * 40) for number in range(300)),
        runs=(running("r-1", *(f"{LONG}_{number}" for number in range(50))),),
        nodes=tuple(node(f"node-{number}", number != 3) for number in range(5)),
    ),
}


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", REPORTS)
def test_axe_finds_nothing(
    tab: Tab, reporter: FakeReporter, address: str, name: str, scheme: str
) -> None:
    reporter.shown = REPORTS[name]
    tab.look(1280, scheme)
    tab.open(address)
    assert AXE is not None
    tab.eval(AXE.read_text(encoding="utf-8"))
    found: Any = tab.eval(
        f"axe.run({{runOnly: {list(RULES)}}}).then(done => ({{"
        "passed: done.passes.map(one => one.id),"
        "broken: done.violations.map(one => [one.id, one.nodes.map(node => node.html)])}))"
    )
    assert found["broken"] == []
    assert {"color-contrast", "html-has-lang", "landmark-one-main"} <= set(found["passed"])


@pytest.mark.parametrize("name", REPORTS)
def test_a_narrow_screen_has_nothing_to_the_side(
    tab: Tab, reporter: FakeReporter, address: str, name: str
) -> None:
    """320 pixels, which is also a screen of 1280 at 400 %; what is wider scrolls by itself."""
    reporter.shown = REPORTS[name]
    tab.look(320)
    tab.open(address)
    wide: Any = tab.eval("document.documentElement.scrollWidth > innerWidth")
    assert not wide
    out = tab.eval(
        "[...document.querySelectorAll('body *')]"
        ".filter(one => !one.closest('.scroll table') && !one.matches('.skip'))"
        ".filter(one => one.getBoundingClientRect().right > innerWidth).map(one => one.outerHTML)"
    )
    assert out == []


def test_the_keyboard_reaches_all_in_the_order_of_the_page(
    tab: Tab, reporter: FakeReporter, address: str
) -> None:
    reporter.shown = REPORTS["healthy"]
    tab.look(1280)
    tab.open(address)
    reached: list[str] = []
    for _ in range(80):
        tab.press("Tab", 9)
        reached.append(
            tab.eval(
                "(one => one.getAttribute('aria-labelledby') || one.id || one.className"
                " || one.textContent)(document.activeElement)"
            )
        )
        ring = tab.eval("getComputedStyle(document.activeElement).outlineStyle")
        assert ring == "solid", f"nobody sees that {reached[-1]} has the focus"
        if reached[-1] == "metrics":
            break
    wanted = [
        *("skip", "Reload", "troubled-caption", "running-caption", "waiting-caption"),
        *("nodes-caption", "runs-caption", "q", "condition", "Show", "views-caption", "metrics"),
    ]
    assert [one for one in reached if one in wanted] == wanted
    tab.open(address)
    tab.press("Tab", 9)
    tab.press("Enter", 13, "\r")
    assert tab.eval("document.activeElement.id") == "main"


def test_the_filter_shows_what_was_asked_for(
    tab: Tab, reporter: FakeReporter, address: str
) -> None:
    """Typed and sent by the keyboard alone; an odd name is one name, and runs nothing."""
    reporter.shown = REPORTS["healthy"]
    tab.look(1280)
    tab.open(address)
    tab.eval("document.getElementById('q').focus()")
    tab.call("Input.insertText", text="<script>")
    tab.press("Enter", 13, "\r")
    tab.wait("Page.loadEventFired")
    rows = "[...document.querySelectorAll('[aria-labelledby=views-caption] tbody th')]"
    assert tab.eval(f"{rows}.map(one => one.textContent)") == [ODD[0]]
    assert tab.eval("document.getElementById('q').value") == "<script>"
    assert tab.eval("document.scripts.length") == 0


@pytest.mark.parametrize("id_", ODD)
def test_a_link_leads_to_its_view(tab: Tab, reporter: FakeReporter, address: str, id_: str) -> None:
    reporter.shown = report(views=(view(id_),))
    tab.open(address)
    tab.eval("document.querySelector('tbody th a').click()")
    tab.wait("Page.loadEventFired")
    assert tab.eval("JSON.parse(document.body.textContent).id") == id_


def test_nothing_is_refused_by_its_own_policy(
    tab: Tab, reporter: FakeReporter, address: str
) -> None:
    reporter.shown = REPORTS["healthy"]
    tab.open(address)
    assert tab.complaints() == []
    assert tab.eval("getComputedStyle(document.body).margin") == "0px", "its style is applied"


def test_dark_and_light_differ_and_paper_is_white(
    tab: Tab, reporter: FakeReporter, address: str
) -> None:
    reporter.shown = REPORTS["healthy"]
    colour = "getComputedStyle(document.querySelector('{}')).backgroundColor"
    seen = []
    for scheme, media in (("light", "screen"), ("dark", "screen"), ("dark", "print")):
        tab.look(1280, scheme, media)
        tab.open(address)
        seen.append([tab.eval(colour.format(one)) for one in ("body", ".health", ".broken.badge")])
    light, dark, paper = seen
    assert not set(light) & set(dark)
    assert paper == ["rgb(255, 255, 255)", *light[1:]]
    tab.look(1280)


def test_times_say_when_exactly(tab: Tab, reporter: FakeReporter, address: str) -> None:
    reporter.shown = report(views=(view("hive.s.v", due=NOW + 180_000_000),))
    tab.open(address)
    time = "document.querySelector('[aria-labelledby=views-caption] tbody time')"
    assert tab.eval(f"{time}.textContent") == "in 3 min"
    at = tab.eval(f"Date.parse({time}.dateTime)")
    assert at == (NOW + 180_000_000) // 1000
