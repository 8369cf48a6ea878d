"""The page of `dbt-mview report` as people look at it: a file, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbt_mview.project_report import page_of, report_of
from tests.browser.chromium import EXECUTABLE, Tab, chromium
from tests.browser.test_page import AXE, RULES, needs_axe
from tests.support.portrait import a_project, printed, view

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        EXECUTABLE is None, reason="there is no Chromium here; run: apt-get install chromium"
    ),
]
ODD = "s.<script>document.title='taken'</script>"
LONG = f"a_schema_with_a_long_name.{'revenue_by_region_' * 6}daily"
PROJECTS = {
    "whole": a_project(),
    "empty": printed(),
    "odd": printed(view(ODD, "no", reason=ODD, way_out=ODD, reads=[ODD + "2"])),
    "large": printed(
        *(view(f"{LONG}_{n}", "no", reason="because " * 40, reads=[f"{LONG}_{n // 2}"], way_out="w")
          for n in range(1, 120))
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    """A browser."""
    with chromium() as one:
        yield one


@pytest.fixture
def address(name: str, tmp_path: Path) -> str:
    """The file of a project's page."""
    file = tmp_path / "report.html"
    file.write_text(page_of(report_of(PROJECTS[name])), encoding="utf-8")
    return file.as_uri()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PROJECTS)
def test_axe_finds_nothing(tab: Tab, address: str, scheme: str) -> None:
    tab.look(1280, scheme)
    # The page's own policy lets no script in, not even this one.
    tab.call("Page.setBypassCSP", enabled=True)
    tab.open(address)
    assert AXE is not None
    tab.eval(AXE.read_text(encoding="utf-8"))
    found: Any = tab.eval(
        f"axe.run({{runOnly: {list(RULES)}}}).then(done =>"
        " done.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"
    )
    tab.call("Page.setBypassCSP", enabled=False)
    assert found == []


@pytest.mark.parametrize("name", PROJECTS)
def test_nothing_is_asked_for_and_nothing_runs(tab: Tab, address: str) -> None:
    tab.look(1280)
    tab.open(address)
    assert tab.complaints() == []
    assert tab.eval("document.scripts.length") == 0
    assert tab.eval("document.title").endswith("dbt_mview")
    assert tab.eval("performance.getEntriesByType('resource').length") == 0
    assert tab.eval("getComputedStyle(document.body).margin") == "0px", "its style is applied"


@pytest.mark.parametrize("width", [320, 400])
@pytest.mark.parametrize("name", PROJECTS)
def test_a_narrow_screen_has_nothing_to_the_side(tab: Tab, address: str, width: int) -> None:
    tab.look(width)
    tab.open(address)
    assert not tab.eval("document.documentElement.scrollWidth > innerWidth")
    tab.look(1280)


@pytest.mark.parametrize("name", ["whole"])
def test_a_box_leads_to_its_row_and_has_its_color(tab: Tab, address: str) -> None:
    seen = []
    for scheme in ("light", "dark"):
        tab.look(1280, scheme)
        tab.open(address)
        fill = "getComputedStyle(document.querySelector('.box.{} rect')).fill"
        seen.append([tab.eval(fill.format(kind)) for kind in ("yes", "some", "no", "source")])
    light, dark = seen
    assert len(set(light)) == len(set(dark)) == 4 and not set(light) & set(dark)
    tab.look(1280)
    title = tab.eval(
        "(box => { const name = box.querySelector('title').textContent;"
        " location.hash = box.getAttribute('href'); return name })"
        "(document.querySelector('a.box'))"
    )
    row = "document.querySelector('tr:target th').textContent"
    assert tab.eval(row) == title
