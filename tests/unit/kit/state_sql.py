"""What a statement does with rows of state, by its own text: UPDATE, MERGE, INSERT and DELETE.

sqlglot reads it; each expression becomes a function of the rows that it names. Timestamps are
microseconds, JSON is text, an array of structs is a list of mappings. What it was not taught is an
error, as is a column that no row has.
"""

from __future__ import annotations

import functools
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from .lexer import unescape
from .parsing import parse, statements
from .templates import columns_of_state

Row = dict[str, Any]
Tables = Callable[[str], "dict[str, Row] | None"]
RETRIED = re.compile(r"tries \+ 1;\s*(.*);\s*set tries = 100;", re.DOTALL)
CHANGED = re.compile(r"(?:update|merge into|delete from|insert into) (?:`(?:[^`]|``)+`\.)*`(\w+)`")
LITERALS = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|\b\d{3,}\b", re.DOTALL)
LITERAL = "\N{SECTION SIGN}"


class RaisedError(RuntimeError):
    """raise_error; nothing was written."""


@dataclass
class Scope:
    """What a statement may ask: the rows by the names it gives them, its literals, the clock in
    microseconds, and the rows of other tables."""

    rows: dict[str, Row]
    literals: list[str]
    now: int
    tables: Tables

    def at(self, row: Row) -> Scope:
        """The same where columns without an alias are those of a row."""
        return self.within(**{"": row})

    def within(self, **rows: Row) -> Scope:
        """The same with more rows."""
        return Scope({**self.rows, **rows}, self.literals, self.now, self.tables)


Value = Callable[[Scope], Any]
Effect = Callable[[Scope], list["Change"]]


@dataclass
class Change:
    """What becomes of a row of a table. row: none where it is deleted."""

    table: str
    key: str
    row: Row | None


def changes(sql: str, tables: Tables, now: int) -> list[Change]:
    """What the statement, or all those of a script, do with state.

    Args:
        sql: the text.
        tables: gives the rows of a state table by their key, its first column; none where nobody
            keeps them.
        now: the clock, microseconds.

    Raises:
        RaisedError: the statement raises it.
    """
    script = RETRIED.search(sql)
    text, literals = _template(script.group(1) if script else sql)
    found: list[Change] = []
    for table, one in _parts(text):
        if tables(table) is not None:
            found += _compiled(one)(Scope({}, literals, now, tables))
    return found


def _template(sql: str) -> tuple[str, list[str]]:
    """A statement with numbers in place of its literals, so that it is read once, and these."""
    literals: list[str] = []

    def number(found: re.Match[str]) -> str:
        text = found.group()
        if text.startswith(("`", "'$.")):
            return text
        literals.append(unescape(text) if text.startswith("'") else text)
        name = f"'{LITERAL}{len(literals) - 1}'"
        return name if text.startswith("'") else f"cast({name} as bigint)"

    return LITERALS.sub(number, sql), literals


@functools.cache
def _parts(text: str) -> list[tuple[str, str]]:
    """The statements that change a table, and its name."""
    return [(found[1], one) for one in statements(text) if (found := CHANGED.match(one))]


@functools.cache
def _compiled(text: str) -> Effect:
    """What a statement does with the rows of its table."""
    tree = parse(text)
    kinds = {exp.Update: _update, exp.Merge: _merge, exp.Delete: _delete, exp.Insert: _insert}
    return kinds[type(tree)](tree, tree.find(exp.Table).name)


def _condition(tree: exp.Expression | None) -> Value:
    return value(tree) if tree is not None else lambda scope: True


def _where(tree: exp.Expression) -> Value:
    found = tree.args.get("where")
    return _condition(found and found.this)


def _assigned(table: str, pairs: list[tuple[str, exp.Expression]]) -> dict[str, Value]:
    unknown = {name for name, _ in pairs} - set(columns_of_state(table))
    assert not unknown, f"{table} has no {unknown}"
    return {name: value(tree) for name, tree in pairs}


def _done(row: Row, assigned: dict[str, Value], scope: Scope) -> Row:
    return {**row, **{name: of(scope) for name, of in assigned.items()}}


def _update(tree: exp.Expression, table: str) -> Effect:
    pairs = [(one.this.name, one.expression) for one in tree.expressions]
    assigned, where = _assigned(table, pairs), _where(tree)

    def effect(scope: Scope) -> list[Change]:
        return [
            Change(table, key, _done(row, assigned, within))
            for key, row in (scope.tables(table) or {}).items()
            if where(within := scope.at(row)) is True
        ]

    return effect


def _delete(tree: exp.Expression, table: str) -> Effect:
    where = _where(tree)

    def effect(scope: Scope) -> list[Change]:
        rows = (scope.tables(table) or {}).items()
        return [Change(table, key, None) for key, row in rows if where(scope.at(row)) is True]

    return effect


def _merge(tree: exp.Expression, table: str) -> Effect:
    target, source = tree.this.alias, tree.args["using"].alias
    on, selected = value(tree.args["on"]), _selected(tree.args["using"].this)
    whens = [_when(one, table) for one in tree.args["whens"].expressions]

    def effect(scope: Scope) -> list[Change]:
        found = []
        for new in selected(scope):
            brought = scope.within(**{source: new})
            both = {
                key: brought.within(**{target: row, "": row})
                for key, row in (scope.tables(table) or {}).items()
            }
            matched = [(key, one) for key, one in both.items() if on(one) is True]
            for key, one in matched or [("", brought)]:
                for if_matched, condition, assigned in whens:
                    if if_matched is bool(matched) and condition(one) is True:
                        old = one.rows[target] if matched else dict.fromkeys(_names(table))
                        row = _done(old, assigned, one)
                        found.append(Change(table, key or row[_names(table)[0]], row))
                        break
        return found

    return effect


def _when(tree: exp.Expression, table: str) -> tuple[bool, Value, dict[str, Value]]:
    then = tree.args["then"]
    if isinstance(then, exp.Insert):
        names = [column.name for column in then.this.expressions]
        pairs = list(zip(names, then.expression.expressions, strict=True))
    else:
        pairs = [(one.this.name, one.expression) for one in then.expressions]
    condition = _condition(tree.args.get("condition"))
    return bool(tree.args["matched"]), condition, _assigned(table, pairs)


def _insert(tree: exp.Expression, table: str) -> Effect:
    """Only what selects one row, by position."""
    selected = tree.expression
    pairs = list(zip(_names(table), selected.expressions, strict=False))
    assigned, where = _assigned(table, pairs), _where(selected)

    def effect(scope: Scope) -> list[Change]:
        assert len(selected.expressions) == len(_names(table)), table
        if where(scope) is not True:
            return []
        row = _done({}, assigned, scope)
        return [Change(table, row[_names(table)[0]], row)]

    return effect


def _selected(tree: exp.Expression) -> Callable[[Scope], list[Row]]:
    """The rows of a subquery over VALUES, or the one of a SELECT without a table."""
    source = tree.args.get("from_")
    rows: list[dict[str, Value]] = [{}]
    if source is not None:
        names = [column.name for column in source.this.args["alias"].columns]
        rows = [
            dict(zip(names, map(value, one.expressions), strict=True))
            for one in source.this.expressions
        ]
    left_out = {
        column.name for one in tree.find_all(exp.Star) for column in one.args.get("except_") or []
    }
    more = {one.alias: value(one.this) for one in tree.expressions if isinstance(one, exp.Alias)}

    def of(scope: Scope) -> list[Row]:
        found = [_done({}, row, scope) for row in rows]
        new = [_done(row, more, scope.at(row)) for row in found]
        return [{name: row[name] for name in row if name not in left_out} for row in new]

    return of


def _names(table: str) -> list[str]:
    return columns_of_state(table)


# Expressions


def value(tree: exp.Expression) -> Value:
    """An expression as a function of what it names."""
    kind = type(tree)
    if kind in BINARY:
        return _binary(kind, value(tree.this), value(tree.expression))
    if kind not in NODES:
        raise NotImplementedError(repr(tree))
    return NODES[kind](tree)


BINARY: dict[type, Callable[[Any, Any], Any]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt, exp.LTE: operator.le,
    exp.GT: operator.gt, exp.GTE: operator.ge, exp.Add: operator.add, exp.DPipe: operator.add,
    exp.BitwiseLeftShift: operator.lshift, exp.Sub: operator.sub,
}  # fmt: skip


def _binary(kind: type, left: Value, right: Value) -> Value:
    def of(scope: Scope) -> Any:
        sides = left(scope), right(scope)
        return None if None in sides else BINARY[kind](*sides)

    return of


def _column(tree: exp.Expression) -> Value:
    table, name = tree.args.get("table"), tree.name
    alias = table.name if table is not None else ""
    return lambda scope: scope.rows[alias][name]


def _dot(tree: exp.Expression) -> Value:
    alias, name = tree.this.name, tree.expression.name
    return lambda scope: scope.rows[alias].get(name)


def _literal(tree: exp.Expression) -> Value:
    text = tree.this
    if text.startswith(LITERAL):
        number = int(text.removeprefix(LITERAL))
        return lambda scope: scope.literals[number]
    fixed = text if tree.args["is_string"] else int(text)
    return lambda scope: fixed


def _and(tree: exp.Expression) -> Value:
    sides = value(tree.this), value(tree.expression)

    def of(scope: Scope) -> bool | None:
        found = sides[0](scope)
        if found is False:
            return False
        other = sides[1](scope)
        return False if other is False else None if None in (found, other) else True

    return of


def _or(tree: exp.Expression) -> Value:
    sides = value(tree.this), value(tree.expression)

    def of(scope: Scope) -> bool | None:
        found = [side(scope) for side in sides]
        return True if True in found else None if None in found else False

    return of


def _not(tree: exp.Expression) -> Value:
    inner = value(tree.this)

    def of(scope: Scope) -> bool | None:
        found = inner(scope)
        return None if found is None else not found

    return of


def _same(tree: exp.Expression) -> Value:
    left, right = value(tree.this), value(tree.expression)
    return lambda scope: left(scope) == right(scope)


def _in(tree: exp.Expression) -> Value:
    one, others = value(tree.this), [value(item) for item in tree.expressions]
    return lambda scope: one(scope) in [other(scope) for other in others]


def _coalesce(tree: exp.Expression) -> Value:
    items = [value(item) for item in [tree.this, *tree.expressions]]
    return lambda scope: next((got for one in items if (got := one(scope)) is not None), None)


def _least(tree: exp.Expression) -> Value:
    items = [value(item) for item in [tree.this, *tree.expressions]]
    return lambda scope: min(got for one in items if (got := one(scope)) is not None)


def _case(tree: exp.Expression) -> Value:
    """CASE, and IF, which is one of its branches."""
    branches = [tree] if isinstance(tree, exp.If) else tree.args["ifs"]
    cases = [(value(one.this), value(one.args["true"])) for one in branches]
    default = tree.args.get("false") or tree.args.get("default") or exp.Null()
    otherwise = value(default)

    def of(scope: Scope) -> Any:
        for condition, then in cases:
            if condition(scope) is True:
                return then(scope)
        return otherwise(scope)

    return of


def _cast(tree: exp.Expression) -> Value:
    inner, to = value(tree.this), tree.args["to"].this
    whole = to in (exp.DataType.Type.BIGINT, exp.DataType.Type.INT)

    def of(scope: Scope) -> Any:
        found = inner(scope)
        return int(found) if whole and found is not None else found

    return of


def _path(tree: exp.Expression) -> Value:
    inner = value(tree.this)
    keys = [part.this for part in tree.expression.expressions[1:]]

    def of(scope: Scope) -> str | None:
        text = inner(scope)
        found = None if text is None else json.loads(text)
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found if found is None or isinstance(found, str) else json.dumps(found)

    return of


def _transform(tree: exp.Expression) -> Value:
    """transform(from_json(text, type), s -> named_struct('a', s.a)): commit times stay numbers."""
    items, struct = value(tree.this.this), tree.expression.this
    alias = tree.expression.expressions[0].name
    fields = [(one.this.name, value(one.expression)) for one in struct.expressions]

    def of(scope: Scope) -> list[Row] | None:
        text = items(scope)
        rows = [] if text is None else json.loads(text)
        names = [
            scope.literals[int(name[1:])] if name[0] == LITERAL else name for name, _ in fields
        ]
        found = [
            dict(
                zip(
                    names,
                    (part(scope.within(**{alias: row})) for _, part in fields),
                    strict=True,
                )
            )
            for row in rows
        ]
        return None if text is None else found

    return of


def _seconds(tree: exp.Expression) -> Value:
    seconds = value(tree.args["second"])
    return lambda scope: seconds(scope) * 1_000_000


def _days(tree: exp.Expression) -> Value:
    assert tree.args["unit"].name == "DAYS", tree
    days = value(tree.this)
    return lambda scope: int(days(scope)) * 86_400_000_000


def _anonymous(tree: exp.Expression) -> Value:
    (inner,) = map(value, tree.expressions)
    if tree.name == "timestamp_micros":
        return inner
    assert tree.name == "raise_error", tree.name

    def of(scope: Scope) -> Any:
        raise RaisedError(f"[USER_RAISED_EXCEPTION] {inner(scope)}")

    return of


def _exists(tree: exp.Expression) -> Value:
    table, where = tree.this.args["from_"].this.name, value(tree.this.args["where"].this)
    return lambda scope: any(
        where(scope.at(row)) is True for row in (scope.tables(table) or {}).values()
    )


NODES: dict[type, Callable[[Any], Value]] = {
    exp.Column: _column,
    exp.Dot: _dot,
    exp.Literal: _literal,
    exp.Null: lambda tree: lambda scope: None,
    exp.Boolean: lambda tree: lambda scope: bool(tree.this),
    exp.Paren: lambda tree: value(tree.this),
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.Is: _same,
    exp.NullSafeEQ: _same,
    exp.In: _in,
    exp.Coalesce: _coalesce,
    exp.Least: _least,
    exp.Case: _case,
    exp.If: _case,
    exp.Cast: _cast,
    exp.CurrentTimestamp: lambda tree: lambda scope: scope.now,
    exp.JSONExtractScalar: _path,
    exp.Transform: _transform,
    exp.MakeInterval: _seconds,
    exp.Interval: _days,
    exp.Anonymous: _anonymous,
    exp.Exists: _exists,
}
