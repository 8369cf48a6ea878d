"""The rows of docs/fast.md that say which queries are FAST: the corpus does what they say."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.bench.operators import VIEWS
from tests.corpus import rules, strategies
from tests.corpus.queries import QUERIES
from tests.corpus.strategies import FOLLOWED, LATER, REFUSED_ROWS, Followed, Refused, code, way
from tests.functional import shapes

from ..kit.templates import ROOT, macro_files
from .test_operators import OPERATORS, SIDES, seen

KINDS = set(rules.DBT("_aggregates"))
# Refused by words of the text before their plan is looked at, or by a value while it is followed:
# reasons that judged.json does not have.
SAID_ELSEWHERE = {"gathered", "sessions", "sketched", "encrypted", "of_files", "above_average"}
# Asked of the engine with stand-ins for literals: their plans are not found by their texts.
STAND_INS = {"gathered_sorted"}


def name_of(case: str) -> str:
    return case.partition(":")[0]


def in_plans(cases: tuple[str, ...]) -> dict[str, set[str]]:
    """The operators and joins in the plans of these queries, as far as these are found."""
    found = {case: seen(name_of(case)) for case in cases}
    assert {name_of(case) for case, plan in found.items() if not plan} <= STAND_INS
    return {case: plan for case, plan in found.items() if plan}


def test_each_query_is_one_of_the_corpus() -> None:
    rows = [*(row.proofs for row in FOLLOWED), *(row.queries for row in REFUSED_ROWS)]
    rows += [tuple(like for _, like in row.alike) for row in FOLLOWED]
    for one in (one for row in rows for one in row):
        assert name_of(one) in QUERIES, one
        assert strategies.case(one) in strategies.judged(), one


def test_each_row_is_timed_by_the_benchmark() -> None:
    timed = [name for row in FOLLOWED for name in row.timed]
    assert all(row.timed for row in FOLLOWED)
    assert sorted(timed) == sorted(VIEWS)


@pytest.mark.parametrize("row", FOLLOWED, ids=lambda row: row.has[:40])
def test_queries_are_followed_as_the_row_says(row: Followed) -> None:
    assert row.proofs and bool(row.queries) is bool(row.strategy)
    assert not row.shown or row.strategy is None or row.shown.startswith(row.strategy)
    assert row.strategy or row.shown
    assert {one: way(one) for one in row.queries} == dict.fromkeys(row.queries, row.strategy)
    found = {one: way(one) for one, _ in row.alike}
    assert found == {one: way(like) for one, like in row.alike} and None not in found.values()
    derived = [bool(strategies.judged()[strategies.case(one)].get("derived")) for one in row.proofs]
    assert derived == [row.derived] * len(derived)


@pytest.mark.parametrize("row", FOLLOWED, ids=lambda row: row.has[:40])
def test_operators_of_a_row_are_in_its_queries(row: Followed) -> None:
    plans = in_plans(row.proofs)
    assert row.operators and set(row.operators) <= set().union(*plans.values())
    assert not {case for case, has in plans.items() if not has & set(row.operators)}
    others = [like for one, like in row.alike if name_of(like) != name_of(one) and not row.derived]
    without = in_plans(tuple(others))
    assert not {case for case, has in without.items() if has & set(row.operators)}


def test_each_operator_that_is_followed_has_a_row() -> None:
    ways = {name: OPERATORS[name]["way"] for name in rules.WORDS}
    written = {name for name, way in ways.items() if way != "refused"} | set(rules.SIDES)
    spoken = {one for row in FOLLOWED for one in row.operators}
    assert spoken | set(strategies.READ_THROUGH) == written | {"GlobalLimit"}
    assert {OPERATORS[name]["way"] for name in strategies.READ_THROUGH} == {"linear"}
    assert not spoken & set(strategies.READ_THROUGH)


def test_aggregates_that_are_added_up_are_those_of_their_row() -> None:
    """All that the macros know are in the queries of its row, and the next row has others."""
    added, others = (row for row in FOLLOWED[:4] if "Aggregate" in row.operators)
    kinds = {
        row: {
            kind
            for one in row.queries
            for kind in strategies.judged()[strategies.case(one)]["values"].values()
        }
        for row in (added, others)
    }
    assert kinds[added] == KINDS and "holistic" in kinds[others]


def test_first_rows_are_those_of_each_strategy() -> None:
    (row,) = (row for row in FOLLOWED if row.strategy == strategies.FIRST_ROWS)
    told = [strategies.judged()[strategies.case(one)]["first_rows"] for one in row.queries]
    assert {one["strategy"] for one in told} == {shapes.ROWS, shapes.GROUPS, shapes.KEYS}


@cache
def source_of(test: str) -> str:
    """The text of a test and of its parameters."""
    path, _, name = test.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    (found,) = (one for one in ast.parse(text).body if getattr(one, "name", None) == name)
    assert isinstance(found, ast.FunctionDef)
    first = min([found.lineno, *(one.lineno for one in found.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : found.end_lineno])


@pytest.mark.parametrize("row", REFUSED_ROWS, ids=lambda row: row.has[:40])
def test_queries_are_refused_as_the_row_says(row: Refused) -> None:
    """Each for one of the reasons of the row; a reason that no query has is asserted by a test."""
    assert row.queries or row.tests
    found = {code(one) for one in row.queries}
    assert found <= set(row.codes), found
    texts = [source_of(test) for test in row.tests]
    for one in set(row.codes) - found:
        assert any(f"{one}:" in text or f'"{one}"' in text for text in texts), one
    plans = {one for query in row.queries for one in seen(name_of(query))}
    for one in row.operators:
        assert one in plans or OPERATORS[one]["way"] == "refused", one


def test_each_operator_that_is_refused_has_a_row() -> None:
    refused = {name for name in rules.WORDS if OPERATORS[name]["way"] == "refused"}
    assert refused and refused <= {one for row in REFUSED_ROWS for one in row.operators}
    assert not {side["way"] for sides in SIDES.values() for side in sides} & {"refused"}


def test_each_query_that_is_refused_has_a_row() -> None:
    """Or a word that says why it is too rare for one."""
    told = {case for case, one in strategies.judged().items() if one.get("reason")}
    refused = {*shapes.REFUSED, *(name_of(one) for one in told if not one.endswith(LATER))}
    refused |= {case for case in told if case.endswith(LATER)}
    spoken = {
        one if one.endswith(LATER) else name_of(one) for row in REFUSED_ROWS for one in row.queries
    }
    assert not spoken & set(strategies.TOO_RARE)
    assert spoken | set(strategies.TOO_RARE) == refused


def test_each_reason_has_a_row() -> None:
    """Here or, where it is none of a query, in the table of all reasons, which has each."""
    text = rules.DOCS.read_text(encoding="utf-8").partition("\n## Reasons and remedies\n")[2]
    rows = re.findall(r"(?m)^\| (`.*?) \| ", text.partition("\n## ")[0])
    known = {one for row in rows for one in re.findall(r"`([A-Z]+(?:_[A-Z]+)+)\b", row)}
    made = {
        one
        for file in macro_files()
        for one in re.findall(r'_reason\(\s*"([A-Z_]+)"', file.read_text(encoding="utf-8"))
    }
    assert len(made) > 20 and made <= known
    spoken = {one for row in REFUSED_ROWS for one in row.codes}
    assert not spoken & set(strategies.OF_NO_QUERY)
    assert spoken | set(strategies.OF_NO_QUERY) == known


def test_shapes_are_followed_and_refused_as_docs_say() -> None:
    """The tables of docs/fast-internals.md, which are proven on Spark, and what is judged here."""
    over = {name for name, (_, told) in shapes.FOLLOWED.items() if told.endswith(shapes.OVER)}
    for name, (_, told) in shapes.FOLLOWED.items():
        assert told.partition(",")[0] == way(name), name
        derived = strategies.judged()[strategies.case(name)].get("derived")
        assert bool(derived) is (name in over), name
    elsewhere = set()
    for name, (_, reason) in shapes.REFUSED.items():
        found = strategies.judged()[strategies.case(name)].get("reason") or ""
        if not found.startswith(reason):
            elsewhere.add(name)
    assert elsewhere == SAID_ELSEWHERE
