"""What the documentation says of files, links and numbers that programs know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.corpus import rules
from tests.crash.cells import cells
from tests.functional import shapes
from tests.unit.test_layout import ALL, FAST_IN, OPERATIONS

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_tables_of_shapes_are_those_of_the_tests() -> None:
    """Else: python -m tests.functional.shapes"""
    text = shapes.DOCS.read_text(encoding="utf-8")
    assert shapes.BEGIN in text and shapes.END in text
    assert shapes.documented(text) == text


def test_tables_of_rules_are_those_of_the_macros() -> None:
    """And those of queries that are followed and refused. Else: python -m tests.corpus.rules"""
    text = rules.DOCS.read_text(encoding="utf-8")
    assert [text.count(begin) for begin in rules.TABLES] == [1, 1, 1]
    assert rules.documented(text) == text


def test_whose_rules_these_are() -> None:
    text = shapes.DOCS.read_text(encoding="utf-8").partition("## Whose rules these are")[2]
    named = set(re.findall(r"(?m)^\| ([^|]+) \| .+ \|$", text.partition("\n## ")[0]))
    tables = [rules.DBT("_operators"), rules.DBT("_aggregates")]
    found = [row for table in tables for row in table.values()]
    found += [row for sides in rules.DBT("_join_sides").values() for row in sides]
    sources = {row["source"] for row in found if row["source"]}
    assert sources == {one for one in named if not one.startswith(("name in", "---"))}


def test_every_shape_is_described() -> None:
    assert list(shapes.FOLLOWED) and set(shapes.FOLLOWED) == set(shapes.SHAPES)
    assert list(shapes.NOT_FOLLOWED) and set(shapes.NOT_FOLLOWED) == set(shapes.REFUSED)
    assert list(shapes.ANOTHER_DAY) and set(shapes.ANOTHER_DAY) == set(shapes.DATED)
    assert list(shapes.NOT_ANOTHER_DAY) and set(shapes.NOT_ANOTHER_DAY) == set(shapes.DATED_REFUSED)


def test_maintainers_find_the_macros_of_fast() -> None:
    """The table at the end of docs/fast-internals.md: one macro of each file, none that is gone."""
    text = shapes.DOCS.read_text(encoding="utf-8").partition("## Where it is in the code")[2]
    table, _, statements = text.partition("The statements: ")
    named = set(re.findall(r"`(_\w+)`", table))
    assert named | set(re.findall(r"`(_\w+_sql)`", statements)) <= {one.name for one in ALL}
    files = {macro.file for macro in ALL if macro.file.parent.name in FAST_IN}
    assert named and files == {
        macro.file for macro in ALL if macro.name in named and macro.file in files
    }


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_scheduler_is_shorter_than_its_design() -> None:
    """What users read; scheduler-internals.md may be longer."""
    assert len((ROOT / "docs" / "scheduler.md").read_bytes()) < 14_657


def test_readme_has_each_operation() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    operations = {macro.name for macro in OPERATIONS}
    assert operations and not {name for name in operations if f"`{name}`" not in readme}


def test_the_number_of_cells() -> None:
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert f"# all {len(cells())} cells of the matrix" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file, and to a heading of it where they name one."""
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"(?m)^#+ (.*)$", file.read_text(encoding="utf-8"))
            slugs = [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
            assert anchor in slugs, target


def test_decisions_are_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    titles = [
        file.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ").split(". ", 1)
        for file in sorted(folder.glob("0*.md"))
    ]
    listed = re.findall(r"(?m)^\| \[(\d+)\]\(\S+\) \| (.*) \|$", index)
    assert [list(one) for one in listed] == titles
