"""Filters of a text that are opened, and found again in its plan."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import FACTS, chain, find, tree

DBT = Dbt()
# Text -> the words before which it is filtered, in order.
FOUND = {
    "select a from t where a > 1": ["a > 1"],
    "select a from t where a > 1 group by a having count(*) > 2": ["a > 1", "count(*) > 2"],
    "select a from t WHERE(a > 1) HAVING/* where */max(b) > 2": ["(a > 1)", "/* where */max"],
    "with c as (select a from t where x) select * from c where y": ["x)", "y"],
    "with c (b) as (select a from t where x) select * from (select * from c where y)": ["x)", "y)"],
    "((select a from t where x))": ["x))"],
    "select * from u join (select a from t where x) v on u.a = v.a": ["x) v"],
    "select `where`, 'where' from t where x -- where": ["x -- where"],
    "from t |> where x |> aggregate count(*) as n group by a |> where n > 2": ["x", "n > 2"],
}


def after(sql: str) -> list[str]:
    """What comes after the words."""
    tokens = DBT("_tokens", sql)
    return ["".join(tokens[at + 1 :]).strip() for at in DBT("_filter_words", tokens)]


@pytest.mark.parametrize("sql", FOUND)
def test_words(sql: str) -> None:
    for rest, begins in zip(after(sql), FOUND[sql], strict=True):
        assert rest.startswith(begins)


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) filter (where a > 1) from t",
        "select (select max(b) from u where u.a = t.a) from t",
        "select extract(year from (select max(b) from u where u.a = t.a)) from t",
        "select a from t, (select b from u where x)",
        "select a from t, lateral (select b from u where u.a = t.a)",
        "select a from t join lateral (select b from u where u.a = t.a)",
    ],
)
def test_words_that_stay(sql: str) -> None:
    """With an OR before them, a condition on the query around might not analyze."""
    assert after(sql) == [] and DBT("_open_filters", sql) == sql


def test_subqueries_of_a_condition() -> None:
    """Theirs stay, and so does what stands in FROM within them."""
    sql = "select a from t where exists (select 1 from (select b from u where y) v where v.b = t.a)"
    assert after(sql) == ["exists (select 1 from (select b from u where y) v where v.b = t.a)"]


def test_some_and_all() -> None:
    sql = "select a from t where x or y group by a having n > 2"
    one, two = "1000000 = 1000000 or", "1000001 = 1000001 or"
    assert DBT("_open_filters", sql) == (
        f"select a from t where {one} x or y group by a having {two} n > 2"
    )
    assert DBT("_open_filters", sql, [1]) == (
        f"select a from t where x or y group by a having {two} n > 2"
    )
    assert DBT("_open_filters", sql, []) == sql


@pytest.mark.parametrize("number", ["1000001", "1999999"])
def test_a_number_that_reads_like_a_filter(number: str) -> None:
    sql = f"select a from t where x = {number} group by a having n > 2"
    assert DBT("_open_filters", sql) == sql


def test_conditions() -> None:
    for text in ("(n#10L > 2)", "NOT a#1"):
        for printed in (text, f"((1000003 = 1000003) OR {text})"):
            nodes = tree(DBT, chain(f"Filter {printed}", FACTS))
            assert DBT("_condition", nodes[find(nodes, "Filter")]) == text


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Filter ((1000000 = 1000000) OR (n#10L > 2))", 0),
        ("Filter ((1000012 = 1000012) OR (a#1 OR b#2))", 12),
        ("Filter (((1000001 = 1000001) OR (a#1 > 2)) OR (b#2 AND c#3))", 1),
        ("Filter ((((1000001 = 1000001) OR a#1) OR (b#2 > 2)) OR (c#3 OR (d#4 = 1)))", 1),
        ("Filter ((((1000001 = 1000001) OR a#1) OR (b#2 > 2)) AND (c#3 OR (d#4 = 1)))", None),
        ("Filter ((((1000001 = 1000001) OR a#1) AND (b#2 > 2)) OR (c#3 OR (d#4 = 1)))", None),
        ("Filter (((1000001 = 1000001) OR a#1) = (b#2 OR c#3))", None),
        ("Filter (n#10L > 2)", None),
        ("Filter ((1 = 1) OR (n#10L > 2))", None),
        ("Filter ((1000000 = 1000001) OR (n#10L > 2))", None),
        ("Filter (((1000000 = 1000000) OR (n#10L > 2)) AND (k#2 > 1))", None),
        ("Filter NOT ((1000000 = 1000000) OR (n#10L > 2))", None),
        ("Join Inner, ((1000000 = 1000000) OR (n#10L > 2))", None),
    ],
)
def test_ranks_in_the_plan(text: str, rank: int | None) -> None:
    """Only what passes every row."""
    nodes = tree(DBT, chain(text, FACTS))
    assert DBT("_opened_rank", nodes[find(nodes, text.split()[0])]) == rank
