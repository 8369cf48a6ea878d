"""Texts that the engine is asked about: outer joins as inner ones, filters that are opened."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import DIMS, EQUAL, FACTS, MORE, chain, find, node, question, tree

# Outer joins of the text and of the plan, and the engine's word that they are the same.


DBT = Dbt()
LEFT, RIGHT = f"Join LeftOuter, {EQUAL}", "Join RightOuter, (k#5 = k#7)"


def kinds(plan: str) -> list[str]:
    nodes = tree(DBT, plan)
    return [nodes[index]["text"] for index in DBT("_unmatched", nodes)]


def test_joins_in_the_order_of_the_text() -> None:
    first, second = "Join LeftOuter, (a#1 = b#2)", "Join RightOuter, (c#3 = d#4)"
    one, other = first.removeprefix("Join "), second.removeprefix("Join ")
    assert kinds(node(second, node(first, FACTS, DIMS), MORE)) == [one, other]
    assert kinds(node(first, FACTS, node(second, DIMS, MORE))) == [one, other]
    assert kinds(node("Join Inner", node(first, FACTS, DIMS), node(second, MORE, DIMS))) == [
        one, other
    ]  # fmt: skip
    cte = node("CTERelationDef 0, false", node(second, MORE, DIMS))
    assert kinds(node("WithCTE", cte, node(first, FACTS, "CTERelationRef 0"))) == [other, one]


def test_only_what_keeps_rows_without_a_match() -> None:
    for kind in ("Inner", "Cross", "LeftSemi"):
        assert kinds(node(f"Join {kind}", FACTS, DIMS)) == []
    assert kinds(node("Join LeftAnti, x", FACTS, DIMS)) == ["LeftAnti, x"]
    assert kinds(node("Union false, false", FACTS, DIMS)) == []
    inner = node("Filter exists#9 [k#2]", FACTS, inner=(node(LEFT, FACTS, DIMS), DIMS))
    assert len(kinds(inner)) == 1


def test_subqueries_stand_behind_what_is_filtered() -> None:
    """The plan has them before it; so has the text those of a list of columns."""
    negated = "Filter (NOT exists#9 [k#2] AND NOT k#2 IN (list#10 []))"
    plan = node(negated, node(LEFT, FACTS, DIMS), inner=("Project [a#1]", "Project [b#2]"))
    assert kinds(plan) == [LEFT.removeprefix("Join "), "[a#1]", "[b#2]"]
    of_values = node(
        "Project [scalar-subquery#9 [] AS x#3]", plan, inner=(node(RIGHT, MORE, DIMS),)
    )
    assert kinds(of_values)[0] == RIGHT.removeprefix("Join ")
    assert kinds(plan.replace("NOT exists", "exists")) == [LEFT.removeprefix("Join "), "[b#2]"]
    under_or = plan.replace("] AND NOT", "] OR NOT")
    assert kinds(under_or) == [LEFT.removeprefix("Join ")]


TURNED = {
    "a left join b on x": "a inner join b on x",
    "a LEFT OUTER JOIN b": "a inner  JOIN b",
    "a right/* left */outer --c\njoin b": "a inner/* left */ --c\njoin b",
    "a natural left join b": "a natural inner join b",
    "select left(x, 2), right(join, 1) from a left join b": (
        "select left(x, 2), right(join, 1) from a inner join b"
    ),
    "select 'a left join b', `left join` from a left join b": (
        "select 'a left join b', `left join` from a inner join b"
    ),
    "a left anti join b": "a left semi join b",
    "a ANTI /* no */ JOIN b": "a semi /* no */ JOIN b",
    "where a and NOT exists (select 1) and b not in (1, 2)": (
        "where a and  exists (select 1) and b not in (1, 2)"
    ),
    "where not a and b Not In (select c) and not exists(a, x -> x)": (
        "where not a and b  In (select c) and not exists(a, x -> x)"
    ),
}


@pytest.mark.parametrize("sql", TURNED)
def test_words(sql: str) -> None:
    assert len(DBT("_unmatched_words", DBT("_tokens", sql))) == 1
    assert DBT("_to_matches", sql, [0]) == TURNED[sql]
    assert DBT("_to_matches", sql, []) == sql


@pytest.mark.parametrize(
    "join", ["left semi join", "join", "full", "except (b)", "except all select", "minus from"]
)
def test_words_of_other_joins(join: str) -> None:
    assert DBT("_unmatched_words", DBT("_tokens", f"a {join} b on x")) == []


@pytest.mark.parametrize("join", ["full join", "FULL OUTER JOIN"])
def test_a_full_join_keeps_either_side(join: str) -> None:
    sql = f"a {join} b on x left join c"
    for rank, word in enumerate(("left", "right")):
        kept = sql.replace(join[:4], word, 1)
        assert DBT("_to_matches", sql, [rank]) == kept
    plan = node("Join FullOuter, (k#2 = k#5)", FACTS, DIMS)
    nodes = tree(DBT, chain("Project [k#2]", plan))
    assert DBT("_unmatched", nodes) == [1, -1]
    for index, kind in ((1, "LeftOuter"), (-1, "RightOuter")):
        other = tree(DBT, chain("Project [k#2]", plan.replace("FullOuter", kind)))
        assert DBT("_differ_in_matches_alone", nodes, other, [index])
        assert not DBT("_differ_in_matches_alone", nodes, other, [-index])


@pytest.mark.parametrize(
    ("sql", "turned"),
    [
        ("select a from t EXCEPT select b from u", "select a from t intersect select b from u"),
        ("(select a) minus distinct (select b)", "(select a) intersect distinct (select b)"),
        (
            "select * except (b) from t except values (1)",
            "select * except (b) from t intersect values (1)",
        ),
    ],
)
def test_words_of_sets(sql: str, turned: str) -> None:
    assert len(DBT("_unmatched_words", DBT("_tokens", sql))) == 1
    assert DBT("_to_matches", sql, [0]) == turned


def test_some_of_several() -> None:
    sql = "a left join b on x right join (c left outer join d on y) on z"
    assert DBT("_to_matches", sql, [0]) == sql.replace("a left", "a inner")
    assert DBT("_to_matches", sql, [1]) == sql.replace("right", "inner")
    assert DBT("_to_matches", sql, [2, 0]) == (
        "a inner join b on x right join (c inner  join d on y) on z"
    )


def turned(plan: str, other: str, *joins: int) -> bool:
    nodes = tree(DBT, plan)
    indexes = [find(nodes, "Join", turn) for turn in joins or (0,)]
    found: bool = DBT("_differ_in_matches_alone", nodes, tree(DBT, other), indexes)
    return found


def test_the_same_plan_with_an_inner_join() -> None:
    plan = question("k#2, name#6", "Project [k#2, name#6]", node(LEFT, FACTS, DIMS))
    inner = plan.replace("LeftOuter", "Inner")
    assert turned(plan, inner)
    assert not turned(plan, plan), "nothing was turned"
    later = inner
    for id_ in range(9, 0, -1):
        later = later.replace(f"#{id_}", f"#{id_ + 40}")
    assert turned(plan, later), "the engine numbers columns anew"


def test_a_plan_that_is_another_one() -> None:
    plan = question("k#2, name#6", "Project [k#2, name#6]", node(LEFT, FACTS, DIMS))
    inner = plan.replace("LeftOuter", "Inner")
    assert not turned(plan, inner.replace("Project [k#2, name#6]", "Project [k#5, name#6]"))
    assert not turned(plan, inner.replace("Project [k#2, name#6]", "Filter (k#2 > 1)"))
    assert not turned(plan, inner.replace("facts", "other"))
    assert not turned(plan, question("k#2, name#6", node("Join Inner, (k#2 = k#5)", FACTS, DIMS)))
    assert not turned(plan, inner.replace("Inner", "Cross"))


def test_of_two_joins_the_right_one() -> None:
    plan = node(LEFT, node(LEFT, FACTS, DIMS), MORE)
    top = plan.replace("LeftOuter", "Inner", 1)
    assert turned(plan, top, 0) and not turned(plan, top, 1)
    assert turned(plan, plan.replace("LeftOuter", "Inner"), 0, 1)
    assert not turned(plan, top, 0, 1)


def test_ctes_are_numbered_anew() -> None:
    def plan(number: int, kind: str) -> str:
        cte = node(f"CTERelationDef {number}, false", DIMS)
        ref = f"CTERelationRef {number}, true, [k#5, name#6], false, false"
        return node("WithCTE", cte, node(f"Join {kind}, {EQUAL}", FACTS, ref))

    assert turned(plan(3, "LeftOuter"), plan(8, "Inner"))
    other = plan(8, "Inner").replace("CTERelationRef 8", "CTERelationRef 9")
    assert not turned(plan(3, "LeftOuter"), other)


def test_the_same_plan_with_matches_alone() -> None:
    anti = node(f"Join LeftAnti, {EQUAL}", FACTS, DIMS)
    assert turned(anti, anti.replace("LeftAnti", "LeftSemi"))
    assert not turned(anti, anti.replace("LeftAnti", "Inner"))
    negated = "Filter (NOT exists#9 [k#2] AND NOT k#2 IN (list#10 []))"
    plan = node(negated, FACTS, inner=("Project [a#11]", "Project [b#12]"))
    nodes = tree(DBT, plan)
    first, second = DBT("_unmatched", nodes)

    def differ(other: str, *places: int) -> Any:
        answer = tree(DBT, other.replace("#9", "#19").replace("#10", "#20"))
        return DBT("_differ_in_matches_alone", nodes, answer, list(places))

    exists, listed = plan.replace("NOT exists", "exists"), plan.replace("NOT k#2 IN", "k#2 IN")
    assert differ(exists, first) and differ(listed, second)
    assert differ(exists.replace("NOT k#2 IN", "k#2 IN"), first, second)
    assert not differ(exists, second) and not differ(listed, first) and not differ(plan, first)


def asked(sql: str, plan: str, answer: str, *ranks: int) -> Any:
    """Whether the joins turn; `answer` is the plan of the turned text."""
    dbt = Dbt()
    dbt.engine.explains("x: int", answer)
    nodes = tree(dbt, plan)
    joins = [DBT("_unmatched", nodes)[rank] for rank in ranks]
    return dbt("_is_to_matches_alone", sql, nodes, joins, list(ranks)), dbt.engine.log


def test_the_engine_is_asked() -> None:
    sql = "select k from facts left join dims on x"
    plan = question("k#2", chain("Project [k#2]", node(LEFT, FACTS, DIMS)))
    found, log = asked(sql, plan, plan.replace("LeftOuter", "Inner"), 0)
    assert found and "facts inner join dims" in log[-1].sql
    found, _ = asked(sql, plan, plan, 0)
    assert not found


def test_a_text_with_other_joins_is_not_asked_for() -> None:
    """Turned, it might not analyze."""
    plan = question("k#2", node(LEFT, FACTS, DIMS))
    for sql in ("a join b", "a left join b left join c"):
        assert asked(sql, plan, plan, 0) == (False, [])


# Filters of a text that are opened, and found again in its plan.


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
    return ["".join(tokens[at + 1 :]).strip() for at in DBT("_predicate_words", tokens)]


@pytest.mark.parametrize("sql", FOUND)
def test_opened_filters_words(sql: str) -> None:
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
    assert after(sql) == [] and DBT("_relax_predicates", sql) == sql


def test_subqueries_of_a_condition() -> None:
    """Theirs stay, and so does what stands in FROM within them."""
    sql = "select a from t where exists (select 1 from (select b from u where y) v where v.b = t.a)"
    assert after(sql) == ["exists (select 1 from (select b from u where y) v where v.b = t.a)"]


def test_some_and_all() -> None:
    sql = "select a from t where x or y group by a having n > 2"
    one, two = "1000000 = 1000000 or", "1000001 = 1000001 or"
    assert DBT("_relax_predicates", sql) == (
        f"select a from t where {one} x or y group by a having {two} n > 2"
    )
    assert DBT("_relax_predicates", sql, [1]) == (
        f"select a from t where x or y group by a having {two} n > 2"
    )
    assert DBT("_relax_predicates", sql, []) == sql


@pytest.mark.parametrize("number", ["1000001", "1999999"])
def test_a_number_that_reads_like_a_filter(number: str) -> None:
    sql = f"select a from t where x = {number} group by a having n > 2"
    assert DBT("_relax_predicates", sql) == sql


def test_conditions() -> None:
    for text, kept in {
        "(n#10L = 1)": {"id": "10", "one": True},
        "(n#10L <= 3)": {"id": "10", "one": False},
        "(n#10L > 2)": {"id": None, "one": False},
        "NOT a#1": {"id": None, "one": False},
    }.items():
        for printed in (text, f"((1000003 = 1000003) OR {text})"):
            nodes = tree(DBT, chain(f"Filter {printed}", FACTS))
            found = nodes[find(nodes, "Filter")]
            assert DBT("_ranks_kept", found, relaxed=True) == kept
            assert (DBT("_ranks_kept", found)["id"] == kept["id"]) is (
                printed == text or kept["id"] is None
            )


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
    assert DBT("_relaxed_ordinal", nodes[find(nodes, text.split()[0])]) == rank
