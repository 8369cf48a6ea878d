"""Statements read by sqlglot: a third opinion on what the package sends to the engine."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from .lexer import lex

HEADER = re.compile(r"^(?:\s*/\*.*?\*/|\s*--[^\n]*)+", re.DOTALL)
WRAPPED = re.compile(r"^\s*(explain extended|describe query)\s", re.IGNORECASE)
OPTIONS = re.compile(
    r"(insert into \S+)\nwith \((?:\n.*?\n|(?:'(?:[^'\\]|\\.)*'(?: = |, )?)+)\)", re.DOTALL
)
PARSED = ("select", "with", "insert", "merge", "update", "delete", "create or replace table")

# What sqlglot cannot read, and what of it is read instead.
NOT_PARSED = {
    "begin": "a SQL script: its statements are read one by one",
    "insert into t with (options)": "the options are taken away, the rest is read",
    "explain extended, describe query": "the query is read",
    "show, describe, alter, drop, comment, optimize, vacuum": "commands, no queries in them",
    "create table/schema if not exists": "read as far as sqlglot goes; state's layout is golden",
}


def statements(sql: str) -> Iterator[str]:
    """The queries and changes in a statement, without what sqlglot cannot read around them."""
    body = HEADER.sub("", sql).strip()
    body = WRAPPED.sub("", body)
    pieces = split(body) if body.startswith("begin") else [body]
    for piece in pieces:
        piece = OPTIONS.sub(r"\1", HEADER.sub("", piece).strip())
        if piece.lower().startswith(PARSED):
            yield piece


def split(script: str) -> list[str]:
    """The statements of a script, and the words that frame them as pieces of their own."""
    pieces = [""]
    for token in lex(script):
        if token.kind == ";":
            pieces.append("")
        elif (
            token.kind == "word"
            and token.text in ("then", "do")
            and pieces[-1].split()[:1]
            in (
                ["if"],
                ["while"],
            )
        ):
            pieces.append("")
        else:
            pieces[-1] += token.text
    return [piece.strip() for piece in pieces]


@functools.cache
def parse(sql: str) -> exp.Expression:
    """One statement by sqlglot's rules for Databricks, whose SQL is Spark's and Delta's."""
    (tree,) = sqlglot.parse(sql, dialect="databricks", error_level=ErrorLevel.RAISE)
    assert tree is not None and not isinstance(tree, exp.Command), sql
    return tree
