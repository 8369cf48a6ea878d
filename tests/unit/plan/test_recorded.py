"""Plans as three Sparks print them: each is read, they are alike, and are followed alike."""

from __future__ import annotations

import functools
import json
import re
from itertools import groupby
from operator import itemgetter
from typing import Any

import pytest

from tests.corpus.plays import (
    MAIN,
    RECORDS,
    SPARKS,
    cases,
    found,
    judged,
    judged_later,
    own_record,
    played,
    record,
)
from tests.corpus.queries import ASKED, NOW, QUERIES, THEN
from tests.functional.shapes import ANOTHER_DAY, COMPLETE_ON, NOT_ANOTHER_DAY
from tests.support.golden import WRITE

from ..kit.harness import Dbt

DBT = Dbt()
JUDGED = RECORDS / "judged.json"
OTHERS = [spark for spark in SPARKS if spark != MAIN]
COMPUTED_KEYS = {"rolled_up_expressions", *COMPLETE_ON["4.0"]}
# `__pivot_count(1) AS `count(1)`#3[0] AS a#1L`.
UNREADABLE = {"4.0": {"pivoted", *COMPUTED_KEYS}, "4.1": {"pivoted"}, "4.2": {"pivoted"}}
# Without an Expand, as it is one group.
SAME_AS_NO_SETS = {"set_of_all"}
# Spark -> queries of which it prints another plan.
PRINTED_OTHERWISE = {
    # The name of what HAVING asks for and the result lacks: `max(id#2L) AS max(id#2L)#3L`; CTEs of
    # few rows, whose number 4.1 tells.
    "4.0": {
        *("having_hidden", "q18", "kept_by_groups", "limited_twice", "limited_final"),
        *("within_bounds", *COMPUTED_KEYS),
    },
    # A fourth argument of collect_list: whether it leaves NULLs out; once with a stand-in for a
    # literal of gathered_sorted, so that it is no query of the corpus.
    "4.2": {"gathered", "", *SAME_AS_NO_SETS},
}
# Spark -> queries that it has COMPLETE, or FAST, where the main Spark has not.
JUDGED_OTHERWISE = {"4.0": COMPUTED_KEYS, "4.2": SAME_AS_NO_SETS}


@functools.cache
def explained(spark: str) -> dict[str, str]:
    """The analyzed plan of each question that a Spark was asked."""
    found = {}
    for sql, lines in record(spark).items():
        # A subquery that names columns of the query around it does not analyze alone.
        if sql.startswith("explain") and "[UNRESOLVED_COLUMN" not in "\n".join(lines):
            found[sql] = analyzed("\n".join(lines))
    return found


@functools.cache
def analyzed(printed: str) -> str:
    text: str = DBT("_collapse_tables", DBT("_analyzed_part", printed))
    return text


def tree(spark: str, sql: str) -> list[dict[str, Any]]:
    return parsed(explained(spark)[sql])


@functools.cache
def parsed(text: str) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = DBT("_parse_plan", text)
    return nodes


def query_of(sql: str) -> str:
    """The query of a question, if it is asked as it is, or with its filters relaxed."""
    asked = sql.removeprefix("explain extended\nselect * from (\n").removesuffix("\n) where false")
    asked = re.sub(r" (1\d{6}) = \1 or", "", asked)
    found = next((name for name, query in QUERIES.items() if query == asked), "")
    # Or a subquery of it, as a derived table.
    return found or next((name for name, query in QUERIES.items() if asked in query), "")


def differ(spark: str) -> set[str]:
    return PRINTED_OTHERWISE.get(spark, set())


@pytest.mark.parametrize("spark", SPARKS)
def test_each_plan_is_read_to_its_last_character(spark: str) -> None:
    unread = set()
    for sql, text in explained(spark).items():
        nodes = tree(spark, sql)
        assert len(nodes) == len(text.strip().splitlines()), sql
        assert [node["index"] for node in nodes if node["parent"] is None] == [0], sql
        if not all(node["understood"] for node in nodes):
            unread.add(query_of(sql))
    assert unread == UNREADABLE[spark]


@pytest.mark.parametrize("spark", SPARKS)
def test_what_an_operator_names_is_put_out_below_it(spark: str) -> None:
    """So no column was missed, nor taken for another one."""
    seen = 0
    for sql in explained(spark):
        nodes = tree(spark, sql)
        # A subquery may name columns of the query around it; what these two add is not known.
        odd = any(node["inner"] or node["op"] in ("Expand", "Generate") for node in nodes)
        if odd or query_of(sql) in UNREADABLE[spark] | differ(spark):
            continue
        for node in nodes:
            if node["op"] in ("Project", "Aggregate", "Window") and node["children"]:
                below = nodes[node["children"][0]]["output"]
                named = {id_ for column in node["columns"] for id_ in column["references"]}
                own = {column["id"] for column in node["columns"]}
                assert None in below or named <= {*below, *own}, (sql, node["text"])
                seen += 1
    assert seen > 400


@pytest.mark.parametrize("spark", OTHERS)
def test_the_trees_of_all_sparks_are_one(spark: str) -> None:
    """Their columns are numbered from 0 on where they are recorded."""
    assert explained(spark).keys() >= explained(MAIN).keys()
    different = set()
    place = ("op", "depth", "parent", "inner", "position", "children", "relation", "join_type")
    for sql in explained(MAIN):
        mine, main = tree(spark, sql), tree(MAIN, sql)
        same = [[one[key] for key in place] for one in mine] == [
            [one[key] for key in place] for one in main
        ]
        assert same or query_of(sql) in SAME_AS_NO_SETS
        if mine != main:
            different.add(query_of(sql))
    assert different == differ(spark)


@functools.cache
def judgements(spark: str) -> tuple[dict[str, Any], dict[str, set[str]]]:
    """How each query follows changes of its tables, and what was asked of Spark for it.

    Of another Spark than the main one: only queries for which it was asked what it answers
    otherwise. What it answers alike is judged alike.
    """
    told: dict[str, Any] = {}
    later = {}
    asked = {}
    questions: set[str] = set()
    dbt = played(spark, questions.add)
    for name, changes in groupby(cases(), itemgetter(0)):
        if spark != MAIN and not judgements(MAIN)[1][name] & own_record(spark).keys():
            continue
        questions.clear()
        known = found(dbt, name)
        for _, changed in changes:
            tables = ", ".join(table.rpartition(".")[2] for table in changed)
            told[f"{name}: {tables}"] = judged(dbt, *known, changed)
        if name in ASKED:
            later[f"{name}: another day"] = judged_later(dbt, name)
        asked[name] = {*questions}
    return json.loads(json.dumps({**told, **later})), asked


def test_each_is_followed_as_before(request: pytest.FixtureRequest) -> None:
    """The main Spark's, in tests/corpus/judged.json: a query and its changed tables a line."""
    found_now, _ = judgements(MAIN)
    if request.config.getoption("--update-golden"):
        lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found_now.items()]
        JUDGED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    before = json.loads(JUDGED.read_text(encoding="utf-8"))
    assert found_now.keys() == before.keys(), WRITE
    for name, one in found_now.items():
        assert one == before[name], f"{name}: {WRITE}"


def test_what_asks_for_the_day_is_followed_as_it_is_described() -> None:
    """On another day: in the way that docs/fast-internals.md says, or COMPLETE."""
    told = {name: judgements(MAIN)[0][f"{name}: another day"] for name in ASKED}
    ways = {name: one["strategy"] for name, one in told.items() if "strategy" in one}
    assert ways == {name: way for name, (_, way) in ANOTHER_DAY.items()}
    reasons = {name: one["reason"] for name, one in told.items() if name not in ways}
    assert reasons == dict.fromkeys(NOT_ANOTHER_DAY, f"DATE_CHANGED: {THEN['day']} -> {NOW['day']}")


@pytest.mark.parametrize("spark", OTHERS)
def test_each_is_followed_by_every_spark(spark: str) -> None:
    mine, main = judgements(spark)[0], judgements(MAIN)[0]
    different = {name.partition(":")[0] for name, one in mine.items() if one != main[name]}
    assert different == JUDGED_OTHERWISE[spark]
