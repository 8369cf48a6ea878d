"""CTEs as subqueries where they are read: all of them, or the text stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot

from ..kit.harness import Dbt

DBT = Dbt()
T, U = "(select * from t)", "(select k, n from t)"
# A query, and what becomes of it.
INLINED = {
    "read_twice": (
        "with c as (select * from t) select * from c a join c b on a.k = b.k",
        f"select * from {T} a join {T} b on a.k = b.k",
    ),
    "an_import_and_what_reads_it": (
        "with c as (select * from t), n as (select k from c), m as (select n from c)"
        " select * from n join m on true",
        f"select * from (select k from {T} as c ) as n join (select n from {T} as c ) as m on true",
    ),
    "without_a_reader": ("with c as (select * from t) select 1 from u", "select 1 from u"),
    "renamed_in_the_head": (
        "with c (x, y) as (select k, n from t) select c.x from c, c as d, c e where c.y > 1",
        f"select c.x from {U} as c (x, y) , {U} as d (x, y), {U} e (x, y) where c.y > 1",
    ),
    "quoted_and_in_another_case": (
        "with `My C` as (select * from t) select `my c`.k from `MY C`",
        f"select `my c`.k from {T} as `MY C` ",
    ),
    "without_as": ("with c (select * from t) select * from c", f"select * from {T} as c "),
    "hides_a_table": (
        "with t as (select * from t) select * from t join db.t as s on t.k = s.k",
        f"select * from {T} as t join db.t as s on t.k = s.k",
    ),
    "a_table_that_a_later_one_hides": (
        "with a as (select * from b), b as (select 1 as k) select * from a join b using (k)",
        "select * from (select * from b) as a join (select 1 as k) as b using (k)",
    ),
    "hides_an_outer_one_in_brackets_alone": (
        "with c as (select 1 as k) select * from (with c as (select 2 as k) select * from c) x"
        " join c on x.k = c.k",
        "select * from (select * from (select 2 as k) as c ) x join (select 1 as k) as c"
        " on x.k = c.k",
    ),
    "reads_the_outer_one_that_it_hides": (
        "with c as (select 1 as k) select * from (with c as (select k + 1 as k from c)"
        " select * from c) x",
        "select * from (select * from (select k + 1 as k from (select 1 as k) as c ) as c ) x",
    ),
    "a_with_within_a_with": (
        "with c as (with d as (select * from t) select * from d a join d b using (k))"
        " select * from c",
        f"select * from (select * from {T} a join {T} b using (k)) as c ",
    ),
    "in_conditions": (
        "with c as (select * from t) select * from u where k in (select k from c)"
        " and exists (select 1 from c where c.k = u.k)",
        f"select * from u where k in (select k from {T} as c )"
        f" and exists (select 1 from {T} as c where c.k = u.k)",
    ),
    "a_with_in_a_condition": (
        "with c as (select * from t) select * from u where k in (with d as (select k from c)"
        " select k from d)",
        f"select * from u where k in (select k from (select k from {T} as c ) as d )",
    ),
    "in_branches": (
        "with c as (select * from t) select k from c union all (select k from c) except"
        " select k from c",
        f"select k from {T} as c union all (select k from {T} as c )"
        f" except select k from {T} as c ",
    ),
    "in_brackets_and_lateral": (
        "with c as (select * from t) select * from (c join c d on true), lateral (select k from c)",
        f"select * from ({T} as c join {T} d on true), lateral (select k from {T} as c )",
    ),
    "words_that_only_look_alike": (
        "with c as (select * from t) select c.k, 'from c' as c, f(c.k) from c -- from c",
        f"select c.k, 'from c' as c, f(c.k) from {T} as c -- from c",
    ),
    "comments_that_end_a_line": (
        "with c as ( -- join c\n select * from t -- x\n) select * from c -- y\n where k > 1",
        "select * from ( -- join c\n select * from t -- x\n) as c -- y\n where k > 1",
    ),
}
HEAD = "with c as (select * from t) select * from "
STAYS = {
    "recursive": (
        "with recursive r as (select 1 as k union all select k + 1 from r) select * from r",
        ("r", "it is recursive"),
    ),
    "as_far_as_it_recurses": (
        "with c max recursion level 5 as (select 1) select * from c",
        ("c", "its head is not understood"),
    ),
    "sampled": (HEAD + "c tablesample (1 percent)", ("c", "it is read with tablesample")),
    "pivoted": (HEAD + "c pivot (sum(n) for k in (1, 2))", ("c", "it is read with pivot")),
    "at_a_version": (HEAD + "c version as of 5", ("c", "it is read with version")),
    "by_table": (HEAD + "(table c)", ("c", "it is read by TABLE")),
    "piped": (HEAD + "c |> where k > 1", ("c", "it is read before |>")),
    "renamed_twice": (
        "with c (x) as (select k from t) select * from c as d (y)",
        ("c", "its columns are renamed twice"),
    ),
    "doubled_too_often": (
        "with a0 as (select * from t where k in (1, 2, 3, 4, 5, 6, 7, 8, 9)), "
        + ", ".join(f"a{n} as (select x.* from a{n - 1} x join a{n - 1} y)" for n in range(1, 12))
        + " select * from a11",
        ("a9", "the query would be too long without it"),
    ),
}


def inlined(sql: str) -> dict[str, Any]:
    found: dict[str, Any] = DBT("_inline_ctes", sql)
    return found


@pytest.mark.parametrize("name", INLINED)
def test_inlined(name: str) -> None:
    sql, wanted = INLINED[name]
    found = inlined(sql)
    assert found["sql"] == wanted
    assert found["why"] is None
    sqlglot.parse_one(wanted, dialect="spark")


@pytest.mark.parametrize("name", INLINED)
def test_what_is_inlined_has_no_cte_more(name: str) -> None:
    """So it is left as it is."""
    again = inlined(INLINED[name][1])
    assert (again["sql"], again["why"]) == (None, None)


@pytest.mark.parametrize("name", STAYS)
def test_all_stay_where_one_is_not_understood(name: str) -> None:
    sql, told = STAYS[name]
    found = inlined(sql)
    assert found["sql"] is None
    assert (found["cte"], found["why"]) == told


def test_a_query_without_ctes_is_left_alone() -> None:
    found = inlined("select * from t with watermark x join (select 1 as `with`) on true")
    assert found == {"sql": None, "cte": None, "why": None, "many": False, "deep": False}


@pytest.mark.parametrize(
    ("sql", "many", "deep"),
    [
        (HEAD + "c", False, False),
        (HEAD + "c, c d", True, False),
        (HEAD + "u", True, False),
        (HEAD + "c join t", False, False),
        ("select * from (with c as (select * from t) select * from c)", False, False),
        ("select * from (with c as (select * from t) select * from c) join T", False, True),
    ],
)
def test_whether_a_plan_shows_its_ctes_as_they_are_read(sql: str, many: bool, deep: bool) -> None:
    """Only then the text says more without them."""
    found = inlined(sql)
    assert (found["many"], found["deep"]) == (many, deep)


def test_a_use_of_a_cte_is_no_table() -> None:
    tokens = DBT("_tokens", "with c as (select * from t) select * from c join db.c")
    places = DBT("_named_places", tokens)
    assert [(place["parts"], place["cte"]) for place in places] == [
        (["t"], None), (["c"], 4), (["db", "c"], None),
    ]  # fmt: skip
    assert [place["parts"] for place in DBT("_table_names", tokens)] == [["t"], ["db", "c"]]
