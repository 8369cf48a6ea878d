"""Splitting SQL: nothing is lost, and text is never taken for code."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.lexer import code_mask

# Splitting SQL: nothing is lost, and text is never taken for code.


DBT = Dbt()

CHARACTERS = st.text(alphabet="ab1_ .,;()'\"`\\/*-+\n\r\t$%é€rR|>=", max_size=40)
FRAGMENTS = st.sampled_from(
    [
        "select", "from", "a.b", "`q``x`", "1.5e3", "2S", "(", ")", ",", ";", "=", "-", "/", "*",
        "'it''s'", "'it\\'s'", "'\\\\'", "''", '"dq"', '"d\\"q"', "r'\\d+'", 'R"raw"',
        "-- don't\n", "--\n", "/* it's */", "/**/", "\n", "\t", "x'1F'",
    ]
)  # fmt: skip


def mask(sql: str) -> str:
    """As lexer.code_mask, of the macro's own tokens; quoted names count as code."""
    letters = []
    flat = DBT("_tokens", sql)
    for token, gap in zip(flat[1::3], flat[2::3], strict=True):
        if re.match(r"[rR]?['\"]", token) and len(token) > 1:
            letters.append("s" * len(token))
        else:
            letters.append(re.sub(r"\S", "c", re.sub(r"\s", "b", token)))
        letters.append("b" * len(gap))
    return "".join(letters)


@given(st.one_of(CHARACTERS, st.text(max_size=30)))
def test_tokens_join_back_to_the_same_text(text: str) -> None:
    assert "".join(DBT("_tokens", text)) == text


@given(st.lists(FRAGMENTS, max_size=12).map(" ".join))
def test_literals_and_comments_are_those_of_spark(sql: str) -> None:
    assert mask(sql) == code_mask(sql).replace("q", "c")


@pytest.mark.parametrize(
    ("sql", "tokens"),
    [
        ("a.b", ["a.b"]),
        ("a . b", ["a . b"]),
        ("a/* . */./**/b", ["a/* . */./**/b"]),
        ("a -- . b\n c", ["a", " -- . b\n ", "c"]),
        ("2020db.t", ["2020db.t"]),
        ("2020d", ["2020d"]),
        ("a|>b", ["a", "|>", "b"]),
        ("`a b`.`c``d`", ["`a b`.`c``d`"]),
        ("2020_sales", ["2020_sales"]),
        ("db.2020_sales", ["db.2020_sales"]),
        ("1.5", ["1.5"]),
        ("1e-3", ["1e-3"]),
        ("10BD", ["10BD"]),
        ("t.*", ["t", ".", "*"]),
        ("'it''s'", ["'it'", "'s'"]),
        ("'it\\'s'", ["'it\\'s'"]),
        ('"a\\"b"', ['"a\\"b"']),
        ("a--b\nc", ["a", "--b\n", "c"]),
        ("-- b\nc", ["-- b\n", "c"]),
        ("a/*b\nc*/d", ["a", "/*b\nc*/", "d"]),
        ("'open", ["'", "open"]),
        ("", []),
    ],
)
def test_tokens(sql: str, tokens: list[str]) -> None:
    assert [text for text in DBT("_tokens", sql) if text] == tokens


def test_long_gaps_take_no_time() -> None:
    """A name, then much that could be the gap before a dot, and no dot."""
    sql = "select a" + " -- -- /* -- \\ x\n /* /* -- */ */ \t" * 200 + "from b"
    assert "".join(DBT("_tokens", sql)) == sql
    assert [token for token in DBT("_tokens", sql)[1::3] if token] == ["select", "a", "from", "b"]


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("select r'\\' as a, ' from src '", id="raw literal ends at its first quote"),
        pytest.param('select R"\\", " from src "', id="raw literal in double quotes"),
        pytest.param("/* a /* b */ ' */ select ' from src '", id="comments nest"),
        pytest.param("select -- it's \\\n from x, 'a'\n 1", id="backslash continues a comment"),
        pytest.param("select -- it's\r 1, 'a'", id="carriage return ends a comment"),
    ],
)
def test_corners_of_the_lexer(sql: str) -> None:
    assert mask(sql) == code_mask(sql).replace("q", "c")


def test_a_hint_is_kept() -> None:
    sql = "select /*+ broadcast(a) */ 1 from a"
    assert DBT("_strip_end", sql) == sql
    assert "/* /*+ x */ " in DBT("_tokens", "/* /*+ x */ select 'a'")


@pytest.mark.parametrize(
    ("sql", "stripped"),
    [
        ("select 1", "select 1"),
        ("select 1;", "select 1"),
        ("select 1 ;; \n ; ", "select 1"),
        ("select 1 -- end", "select 1"),
        ("select 1 /* a; */ ; -- it's over;\n", "select 1"),
        ("  select ';' ; ", "select ';'"),
        ("select 1 -- a\n, 2 -- b", "select 1 -- a\n, 2"),
        ("select '-- no comment'", "select '-- no comment'"),
        ("select 1 /* a */", "select 1"),
        ("-- only a comment", ""),
        ("select `a;--`", "select `a;--`"),
    ],
)
def test_strip_end(sql: str, stripped: str) -> None:
    assert DBT("_strip_end", sql) == stripped


@given(st.lists(FRAGMENTS, max_size=8).map(" ".join))
def test_a_stripped_query_fits_in_brackets(sql: str) -> None:
    """What follows it on the next line is code again, and its own code is all there."""
    stripped = DBT("_strip_end", sql)
    assert code_mask(stripped + "\n)")[-1] == "c"
    code = "".join(c for c, kind in zip(sql, code_mask(sql), strict=True) if kind in "cqs")
    kept = "".join(
        c for c, kind in zip(stripped, code_mask(stripped), strict=True) if kind in "cqs"
    )
    assert code.rstrip(";") == kept


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("Src", ["src"]),
        ("DB.`My Table`", ["db", "my table"]),
        ("a . b . c", ["a", "b", "c"]),
        ("`a.b`.c", ["a.b", "c"]),
        ("`a``b`", ["a`b"]),
        ("Ünï.Code", ["ünï", "code"]),
    ],
)
def test_name_parts(token: str, parts: list[str]) -> None:
    assert DBT("_name_parts", token) == parts


# What is known at one level of brackets, as _table_names walks in and out.


def words(sql: str) -> list[str]:
    return [*DBT("_tokens", sql)[1::3], "", "", ""]


def level(sql: str, at: int, around: dict[str, Any] | None = None) -> dict[str, Any]:
    """The level that the bracket at this word opens."""
    found: dict[str, Any] = DBT("_bracket", words(sql), at, around, False)
    return found


def top(**values: Any) -> dict[str, Any]:
    return {**level("select 1", 0), **values}


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("in (select 1)", True),
        ("in (from x select y)", True),
        ("in (with c as (select 1) select * from c)", True),
        ("extract (year from x)", False),
        ("trim (from x)", False),
        ("f ((select 1))", False),
    ],
)
def test_where_from_names_tables(sql: str, query: bool) -> None:
    assert level(sql, 2, top())["query"] is query


def test_the_query_as_a_whole_is_one() -> None:
    assert level("(select 1)", 0)["query"]


@pytest.mark.parametrize(
    ("sql", "body"),
    [("(select 1)", 2), ("((select 1))", 2), ("(a)", None), ("(a, b)", None)],
)
def test_the_query_of_a_name(sql: str, body: int | None) -> None:
    inner = level("c " + sql, 2, top(**{"with": "c", "hidden": {"b": 9}}))
    assert (inner["body"], inner["hidden"]) == (body, {"b": 9})


def test_a_recursive_name_is_seen_by_its_own_query() -> None:
    around = top(**{"with": "c", "recursive": True, "hidden": {"b": 9}})
    assert level("c (select 1)", 2, around)["hidden"] == {"b": 9, "c": -1}
    assert around["hidden"] == {"b": 9}


@pytest.mark.parametrize(
    ("after", "next_name"), [("select 1", None), (", `D``d` as (select 1)", "D`d"), ("", None)]
)
def test_after_its_query_a_name_hides_tables(after: str, next_name: str | None) -> None:
    levels = [top(**{"with": "c"}), top(body=7)]
    DBT("_close_bracket", words(")" + after), 1, levels)
    assert len(levels) == 1
    assert levels[0]["hidden"] == {"c": 7}
    assert levels[0]["with"] == (next_name and next_name.lower())


def test_a_bracket_too_many_is_left_to_the_engine() -> None:
    levels = [top()]
    DBT("_close_bracket", words(")"), 1, levels)
    assert len(levels) == 1


@pytest.mark.parametrize(
    ("sql", "name", "recursive"),
    [
        ("with c as", "c", False),
        ("with recursive c (n) as", "c", True),
        ("with recursive as", "recursive", False),
        ("with recursive (select 1)", "recursive", False),
    ],
)
def test_begin_with(sql: str, name: str, recursive: bool) -> None:
    here = top()
    DBT("_begin_with", words(sql), 1, here)
    assert (here["with"], here["recursive"]) == (name, recursive)
