"""Spark's SQL lexer as far as tests need it: a second opinion on what is text and what is code.

Written after the rules of Spark's SqlBaseLexer.g4, independently of the macro `_tokens`:
raw literals have no escapes, bracketed comments nest, a backslash at a line's end continues a
`--` comment, a hint is no comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SPACE = re.compile(r"\s+")
LINE_COMMENT = re.compile(r"--(?:\\\n|[^\r\n])*\r?\n?")
STRING = re.compile(r"[rR]'[^']*'|[rR]\"[^\"]*\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
QUOTED = re.compile(r"`(?:[^`]|``)*`")
NUMBER = re.compile(
    r"(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[fFdD]|[bB][dD])?(?![A-Z0-9_])"
    r"|\d+[eE][+-]?\d+(?:[fFdD]|[bB][dD])?|\d+(?:[lLsSyYfFdD]|[bB][dD])?"
)
WORD = re.compile(r"\w+")
VARIABLE = re.compile(r"\$\{[^}$ ]+\}")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-3][0-7]{2}|.)", re.DOTALL)
ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


@dataclass(frozen=True)
class Token:
    """kind: space, comment, hint, string, quoted, word, number or the symbol itself."""

    kind: str
    text: str


def lex(sql: str) -> list[Token]:
    """The tokens of a text, which join back to it."""
    tokens: list[Token] = []
    at = 0
    while at < len(sql):
        token = _next(sql, at)
        tokens.append(token)
        at += len(token.text)
    return tokens


def _next(sql: str, at: int) -> Token:
    if found := SPACE.match(sql, at):
        return Token("space", found.group())
    if found := LINE_COMMENT.match(sql, at):
        return Token("comment", found.group())
    if sql.startswith("/*+", at):
        return Token("hint", "/*+")
    if sql.startswith("/*", at):
        return Token("comment", sql[at : _comment_end(sql, at)])
    if sql.startswith("*/", at):
        return Token("hint", "*/")
    if found := STRING.match(sql, at):
        return Token("string", found.group())
    if found := QUOTED.match(sql, at):
        return Token("quoted", found.group())
    word, number = WORD.match(sql, at), NUMBER.match(sql, at)
    longest = max(word, number, key=lambda found: len(found.group()) if found else 0)
    if longest:
        return Token("number" if longest is number else "word", longest.group())
    return Token(sql[at], sql[at])


def _comment_end(sql: str, at: int) -> int:
    depth = 0
    while at < len(sql):
        if sql.startswith("/*", at) and not sql.startswith("/*+", at):
            depth, at = depth + 1, at + 2
        elif sql.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    return at


def unescape(literal: str) -> str:
    """The value of a SQL string literal, by Spark's rules (no escapedStringLiterals)."""
    tokens = lex(literal)
    assert len(tokens) == 1 and tokens[0].kind == "string", f"not one literal: {literal!r}"
    if literal[0] in "rR":
        return literal[2:-1]

    def value(found: re.Match[str]) -> str:
        code = found.group(1)
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if len(code) == 3:
            return chr(int(code, 8))
        if code in "%_":
            return "\\" + code
        return ESCAPES.get(code, code)

    return ESCAPE.sub(value, literal[1:-1])


def unquote(identifier: str) -> str:
    """The name that a backquoted identifier stands for."""
    tokens = lex(identifier)
    assert len(tokens) == 1 and tokens[0].kind == "quoted", f"not one name: {identifier!r}"
    return identifier[1:-1].replace("``", "`")


def strings(sql: str) -> list[str]:
    """The values of all string literals of a statement."""
    return [unescape(token.text) for token in lex(sql) if token.kind == "string"]


def skeleton(sql: str) -> str:
    """A statement without the contents of its literals, names and comments: what it does."""
    placeholder = {"string": "'?'", "quoted": "`?`", "space": " ", "comment": " "}
    text = "".join(placeholder.get(token.kind, token.text) for token in lex(sql))
    return " ".join(text.split())


def code_mask(sql: str) -> str:
    """One letter per character: c code, s string, q quoted name, b blank or comment."""
    letters = {"space": "b", "comment": "b", "string": "s", "quoted": "q"}
    return "".join(letters.get(token.kind, "c") * len(token.text) for token in lex(sql))


def has_variable(sql: str) -> bool:
    """Whether Spark would substitute a variable in this text before it is parsed."""
    return VARIABLE.search(sql) is not None
