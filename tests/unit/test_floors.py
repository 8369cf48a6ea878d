"""The floors of `macros/`: who may call whom, and how files are cut and called."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from .kit.templates import MACROS, ROOT
from .test_layout import COMMENT, FILES, FLOORS

MOST_FILES = 224
DEFINED = re.compile(r"{%-?\s*(?:macro|test|materialization)\s+(\w+)")
CALLED = re.compile(r"\bdbt_mview\.(\w+)\(")
TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}


def floor_of(file: Path) -> str:
    return str(file.parent.relative_to(MACROS))


def defined(text: str) -> list[str]:
    return DEFINED.findall(COMMENT.sub("", text))


def called(text: str) -> set[str]:
    return set(CALLED.findall(COMMENT.sub("", text)))


FLOOR = {name: floor_of(file) for file, text in TEXTS.items() for name in defined(text)}


def downward(mine: str, names: set[str]) -> dict[str, str]:
    """Those of some macros that are on a floor below."""
    below = FLOORS[FLOORS.index(mine) + 1 :]
    return {name: FLOOR[name] for name in sorted(names) if FLOOR.get(name) in below}


def test_each_folder_is_a_floor() -> None:
    assert set(map(floor_of, FILES)) == set(FLOORS)
    page = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"(?m)^\| `macros/([\w/]+)` \|", page)) == FLOORS


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_macro_calls_one_of_a_floor_below(file: Path) -> None:
    """So there is no cycle of folders either."""
    found = downward(floor_of(file), called(TEXTS[file]))
    assert not found, f"{file.relative_to(MACROS)} calls downward: {found}"


def test_a_call_downward_would_be_found() -> None:
    assert downward("base", {"_look", "_run"}) == {"_look": "refresh"}
    assert called("{# dbt_mview._a() #} {{ dbt_mview._b(1) }}") == {"_b"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_is_one_concept(file: Path) -> None:
    """It is named after its first macro, and has no name that another one has."""
    names = defined(TEXTS[file])
    first = names[0].lstrip("_")
    assert file.stem in (first, first.removesuffix("_sql")), f"{file.name} begins with {names[0]}"
    assert [other for other in FILES if other.stem == file.stem] == [file]


def test_files_are_few_and_neither_long_nor_short() -> None:
    assert len(FILES) <= MOST_FILES
    lengths = [len(text.splitlines()) for text in TEXTS.values()]
    assert 60 <= statistics.median(lengths) <= 150


OWN_HEADER = re.compile(r"{#(?:(?!#}).)*#}\s*(?:{#|{%)", re.DOTALL)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_says_what_lives_in_it(file: Path) -> None:
    """Above the doc of its first macro; that doc alone where the macro is alone, or public."""
    names = defined(TEXTS[file])
    if names[0].startswith("_") and len(names) > 1:
        found = OWN_HEADER.match(TEXTS[file])
        assert found and found[0].endswith("{#"), f"{file.name} has no header of its own"


# The text of a plan: of a node, of what EXPLAIN printed, the number behind a column's name, and the
# macros that take it. A model's SQL and a view's are texts as well.
PLAN_TEXT = re.compile(
    r"(?<!\bdiff)(?<!\bview)(?<!\breads)(?<!\bbinding)\.text\b|\.condition\b"
    r"|\breads\.(?:plan|parsed)\b|\)\.plan\b|#\(?\\\\d"
    r"|\b_(?:parse_plan|plan_lines|plan_node|plan_items?|lists|bracketed_lists|split_list|grouping|nameless"
    r"|looks_only_at|first_ranks|closes_all|closes_early|is_rest|is_whole|explained|analyzed_part"
    r"|collapse_tables|name_in_plan|nondeterministic_calls)\("
)


def test_only_plan_sees_the_text_of_a_plan() -> None:
    """Others use the fields of nodes, see _plan_node, and the walkers of that folder."""
    found = {
        str(file.relative_to(MACROS)): PLAN_TEXT.findall(COMMENT.sub("", text))
        for file, text in TEXTS.items()
        if floor_of(file) != "plan"
    }
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "code",
    [
        "modules.re.search(means, node.text)",
        "tree[at.node].text.startswith(kind)",
        "dbt_mview._parse_plan(plan)",
        "dbt_mview._reads(sql).plan",
        'modules.re.findall("#(\\\\d+)", item)',
        'modules.re.sub("#\\\\d+L?", "", inner)',
        "node.condition",
    ],
)
def test_a_look_at_the_text_of_a_plan_would_be_found(code: str) -> None:
    assert PLAN_TEXT.search(code)


def test_other_texts_are_not_taken_for_plans() -> None:
    assert not PLAN_TEXT.search("diff.text view.text reads.text binding.text job.plan o.plan.x")
