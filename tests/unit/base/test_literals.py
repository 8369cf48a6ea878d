"""Literals: any text arrives as it is, and stays one literal."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.lexer import has_variable, lex, unescape
from ..kit.nasty import NASTY

DBT = Dbt()
TEXT = st.one_of(st.text(), st.text(alphabet="'\"`\\${}u0027 nx;-/*\n\r\0%_"))


@pytest.mark.parametrize("text", NASTY)
def test_round_trip(text: str) -> None:
    literal = DBT("_literal", text)
    assert unescape(literal) == text
    assert not has_variable(literal)


@given(TEXT)
def test_round_trip_of_any_text(text: str) -> None:
    literal = DBT("_literal", text)
    assert unescape(literal) == text
    assert not has_variable(literal)


@given(TEXT, TEXT)
def test_a_literal_ends_where_it_should(one: str, two: str) -> None:
    sql = DBT("_literals", [one, two])
    kinds = [token.kind for token in lex(sql)]
    assert kinds == ["string", ",", "space", "string"]
    assert not has_variable(sql)


@given(TEXT)
def test_sqlglot_sees_one_literal_too(text: str) -> None:
    tokens = sqlglot.tokenize(f"select {DBT('_literal', text)} as x", dialect="spark")
    assert [token.token_type.name for token in tokens] == ["SELECT", "STRING", "ALIAS", "VAR"]


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (None, "cast(null as string)"),
        ("", "''"),
        ("it's", "'it\\'s'"),
        ("a\\b", "'a\\\\b'"),
        ("${x}", "'\\u0024{x}'"),
        (7, "'7'"),
    ],
)
def test_literal(value: Any, sql: str) -> None:
    assert DBT("_literal", value) == sql


@pytest.mark.parametrize("text", NASTY)
def test_json_literal(text: str) -> None:
    value = {"key " + text: [text, 1, None, {"deep": text}]}
    literal = DBT("_json_literal", value)
    assert json.loads(unescape(literal)) == value
    assert not has_variable(literal)
    assert DBT("_json_literal", None) == "cast(null as string)"


def test_numbers_and_times() -> None:
    assert DBT("_timestamp", 5) == "timestamp_micros(5)"
    assert DBT("_timestamp", None) == "cast(null as timestamp)"
    assert DBT("_bigint", 5) == "cast(5 as bigint)"
    assert DBT("_bigint", 0) == "cast(0 as bigint)"
    assert DBT("_bigint", None) == "cast(null as bigint)"
