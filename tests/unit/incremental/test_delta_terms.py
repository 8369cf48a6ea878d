"""The change of a query: one term for each place of a changed table and each sign."""

from __future__ import annotations

import functools
import itertools
import re
import sqlite3
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.jobs import TERMS, columns
from ..kit.parsing import parse
from ..kit.records import as_delta_plan

# The change of a query: one term for each place of a changed table and each sign.


DBT = Dbt()
FACTS, DIMS = "spark_catalog.shop.facts", "spark_catalog.shop.dims"
COLUMNS = [{"name": "k", "type": "int"}, {"name": "v", "type": "int"}]


def change(relation: str, *, inserts: bool = True, deletes: bool = True) -> dict[str, Any]:
    kinds = {"inserts": inserts, "deletes": deletes}
    found = {"relation": relation, "start": 3, "first": 4, "end": 5, "columns": COLUMNS}
    return {**found, "rows": None, **kinds}


def terms(
    sql: str,
    *changes: dict[str, Any],
    zero_delta: Any = None,
    to_matches: Any = None,
    relaxed: Any = None,
) -> list[dict[str, Any]]:
    named = re.findall(r"(?:from|join|,) \(?(shop\.\w+)", sql)
    names = [f"spark_catalog.{name}" for name in named]
    tables = list(dict.fromkeys(names))
    reads = {"tables": tables, "occurrences": names}
    job = {"bindings": {name: {"kind": "table", "version": 5} for name in tables}}
    spec = {"definition": sql, "namespace": "spark_catalog.shop"}
    delta_plan = {
        "changes": list(changes),
        "zero_delta": zero_delta or {},
        "to_matches": to_matches or {},
    }
    delta_plan.update({"text": sql, "relaxed": relaxed} if relaxed else {})
    found: list[dict[str, Any]] = DBT("_delta_terms", spec, job, reads, as_delta_plan(delta_plan))
    return found


CAME = """(
    select `k`, `v`
    from table_changes('`spark_catalog`.`shop`.`facts`', 4, 5) as _mview_feed
    where _change_type in ('insert', 'update_postimage')
)"""
WENT = CAME.replace("'insert', 'update_postimage'", "'delete', 'update_preimage'")
SELF_JOIN = (
    "select a.k, count(*) as n from shop.facts a join shop.facts b on a.k = b.k group by a.k"
)


def test_a_self_join() -> None:
    """Two occurrences by two signs; before the changed one the new version, after it the old."""
    found = terms(SELF_JOIN, change(FACTS))
    text = "select a.k, count(*) as n from {} a join {} b on a.k = b.k group by a.k"
    old, new = "shop.facts version as of 3", "shop.facts version as of 5"
    came, went = (DBT("_changed_rows_sql", change(FACTS), sign, COLUMNS) for sign in (1, -1))
    assert found == [
        {"sign": 1, "sql": text.format(came, old), "bound": True},
        {"sign": -1, "sql": text.format(went, old), "bound": True},
        {"sign": 1, "sql": text.format(new, came), "bound": True},
        {"sign": -1, "sql": text.format(new, went), "bound": True},
    ]


def test_only_the_signs_that_there_are() -> None:
    sql = "select k, v from shop.facts where v > 1"
    text = "select k, v from {} as `facts` where v > 1"
    came = [{"sign": 1, "sql": text.format(CAME), "bound": True}]
    went = [{"sign": -1, "sql": text.format(WENT), "bound": True}]
    assert terms(sql, change(FACTS, deletes=False)) == came
    assert terms(sql, change(FACTS, inserts=False)) == went
    assert terms(sql, change(FACTS, inserts=False, deletes=False)) == []


def test_a_table_that_did_not_change() -> None:
    (term,) = terms(
        "select f.k, d.v from shop.facts f join shop.dims d on f.k = d.k",
        change(FACTS, deletes=False),
    )
    assert term["sql"] == (
        f"select f.k, d.v from {CAME} f join shop.dims version as of 5 d on f.k = d.k"
    )


def test_two_tables_that_changed() -> None:
    found = terms(
        "select f.k, d.v from shop.facts f join shop.dims d on f.k = d.k",
        change(FACTS, deletes=False),
        change(DIMS, inserts=False),
    )
    assert [term["sign"] for term in found] == [1, -1]
    assert "join shop.dims version as of 3 d" in found[0]["sql"]
    assert "from shop.facts version as of 5 f join (" in found[1]["sql"]


def test_the_other_branches_of_a_union() -> None:
    (term,) = terms(
        "select k from shop.facts union all select k from shop.dims",
        change(FACTS, deletes=False),
        zero_delta={f"{FACTS} 0": [f"{DIMS} 0"]},
    )
    empty = "(select * from `spark_catalog`.`shop`.`dims` version as of 5 where false)"
    assert term["sql"] == (
        f"select k from {CAME} as `facts` union all select k from {empty} as `dims`"
    )


def test_joins_that_are_turned() -> None:
    """Only in the terms of the place on the optional side."""
    found = terms(
        "select d.k, f.v from shop.dims d left join shop.facts f on f.k = d.k",
        change(DIMS, deletes=False),
        change(FACTS),
        to_matches={f"{DIMS} 0": [], f"{FACTS} 0": [0]},
    )
    joins = [re.findall(r"(\w+) join", term["sql"])[0] for term in found]
    assert (joins, [term["sign"] for term in found]) == (["left", "inner", "inner"], [1, 1, -1])


def test_filters_that_are_opened() -> None:
    """In the terms of their place, and before the changed rows bring words of their own."""
    sql = "select k from shop.facts group by k having count(*) > 2"
    (term,) = terms(sql, change(FACTS, deletes=False), relaxed={f"{FACTS} 0": [0]})
    assert term == {
        "sign": 1,
        "sql": (
            f"select k from {CAME} as `facts` group by k having 1000000 = 1000000 or count(*) > 2"
        ),
        "bound": True,
    }


def test_a_place_that_takes_no_subquery() -> None:
    (term,) = terms("select shop.facts.k from shop.facts", change(FACTS, deletes=False))
    assert not term["bound"]
    (term,) = terms("select k from shop.facts tablesample (5 rows)", change(FACTS, deletes=False))
    assert not term["bound"]


@pytest.mark.parametrize("sql", [SELF_JOIN, "select k from shop.facts f, shop.dims"])
def test_terms_are_sql(sql: str) -> None:
    for term in terms(sql, change(FACTS), change(DIMS)):
        assert parse(term["sql"])


# The rule itself, computed: the terms add up to the difference of the results.

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4)
LINEAR = {
    "rows": "select k, v from shop.facts where v > 0",
    "join": "select f.k, d.v from shop.facts f join shop.dims d on f.k = d.k",
    "self_join": "select a.k, b.v from shop.facts a join shop.facts b on a.k = b.v",
    "three": "select a.k, d.v from shop.facts a, shop.dims d, shop.facts b"
    " where a.k = d.k and d.v <= b.v",
    "cross": "select a.k, b.v from shop.dims a cross join shop.dims b",
    "semi": "select f.k, f.v from (select * from shop.facts) f join shop.facts g on f.v = g.k"
    " where exists (select 1 where f.k > 0)",
    "union": "select k, v from shop.facts union all select v, k from shop.dims",
    "union_twice": "select k, v from shop.facts union all select v, k from shop.facts",
}
EMPTIED = {
    "union": {f"{FACTS} 0": [f"{DIMS} 0"], f"{DIMS} 0": [f"{FACTS} 0"]},
    "union_twice": {f"{FACTS} 0": [f"{FACTS} 1"], f"{FACTS} 1": [f"{FACTS} 0"]},
}


@functools.cache
def as_tables(sql: str) -> str:
    """A query for SQLite, where versions and changes are tables."""
    for name, sign in itertools.product(("facts", "dims"), (1, -1)):
        relation = f"spark_catalog.shop.{name}"
        changed = DBT("_changed_rows_sql", change(relation), sign, COLUMNS)
        sql = sql.replace(changed, f"(select * from {name}_{'came' if sign > 0 else 'went'})")
    sql = re.sub(r"`?shop`?\.`?(\w+)`? version as of (\d)", r"\1_\2", sql)
    return sql.replace("`spark_catalog`.", "")


@functools.cache
def signed(name: str) -> list[tuple[int, str]]:
    """All that adds up to nothing: the terms, the old result, less the new one."""
    sql = LINEAR[name]
    names = [one for one in (FACTS, DIMS) if one.split(".", 1)[1] in sql]
    found = terms(sql, *map(change, names), zero_delta=EMPTIED.get(name))
    assert all(term["bound"] for term in found)
    parts = [(term["sign"], term["sql"]) for term in found]
    for sign, version in ((1, 3), (-1, 5)):
        parts.append((sign, re.sub(r"shop\.(\w+)", rf"shop.\1 version as of {version}", sql)))
    return [(sign, as_tables(sql)) for sign, sql in parts]


def adds_up_to_nothing(parts: list[tuple[int, str]], data: st.DataObject) -> bool:
    """Whether signed queries of the tables do, over random rows."""
    total: Counter[tuple[Any, ...]] = Counter()
    with sqlite3.connect(":memory:") as database:
        for table in ("facts", "dims"):
            stays, came, went = (Counter(data.draw(ROWS)) for _ in range(3))
            versions = {"3": stays + (went - came), "5": stays + (came - went)}
            for kind, rows in {**versions, "came": came - went, "went": went - came}.items():
                database.execute(f"create table {table}_{kind} (k, v)")
                database.executemany(f"insert into {table}_{kind} values (?, ?)", rows.elements())
        for sign, sql in parts:
            for row in database.execute(sql):
                total[row] += sign
    return not {row: count for row, count in total.items() if count}


@pytest.mark.parametrize("name", LINEAR)
@given(data=st.data())
def test_terms_add_up_to_the_change(name: str, data: st.DataObject) -> None:
    assert adds_up_to_nothing(signed(name), data)


# What each place of a query is bound to in one term.


A, B = "c.s.a", "c.s.b"
ONE = [{"name": "k", "type": "int"}]
MOVED: dict[str, Any] = {
    "relation": A,
    "start": 3,
    "first": 4,
    "end": 5,
    "inserts": True,
    "deletes": True,
    "columns": ONE,
}
MOVED["rows"] = 200_000


def occurrence(name: str, ordinal: int = 0) -> dict[str, str]:
    return {"relation": name, "name": f"{name} {ordinal}"}


def bindings_of(
    occurrences: list[Any], at: Any, changes: Any, zero_delta: Any = None
) -> dict[str, Any]:
    job = {
        "reads": {"tables": [A, B], "occurrences": [one["relation"] for one in occurrences]},
        "bindings": {
            A: {"kind": "table", "version": 5},
            B: {"kind": "table", "version": 9},
            "c.s.v": {"kind": "view", "text": "select 1"},
        },
    }
    found = DBT(
        "_delta_term_bindings", job, occurrences, at, 1, changes, {"zero_delta": zero_delta or {}}
    )
    assert found["c.s.v"]["kind"] == "view"
    names = dict.fromkeys(one["relation"] for one in occurrences)
    assert {found[name]["kind"] for name in names} == {"occurrences"}
    return {name: [said(one) for one in found[name]["occurrences"]] for name in names}


def said(binding: dict[str, Any]) -> Any:
    if binding["kind"] == "table":
        return binding["version"]
    return "empty" if "where false" in binding["sql"] else "changes"


def test_new_before_and_old_after() -> None:
    occurrences = [occurrence(A), occurrence(A, 1), occurrence(A, 2)]
    for at, found in enumerate([["changes", 3, 3], [5, "changes", 3], [5, 5, "changes"]]):
        assert bindings_of(occurrences, occurrences[at], {A: MOVED})[A] == found


def test_term_bindings_two_tables_that_changed() -> None:
    occurrences = [occurrence(A), occurrence(B)]
    changes = {A: MOVED, B: {**MOVED, "relation": B, "start": 7, "first": 8, "end": 9}}
    assert bindings_of(occurrences, occurrences[0], changes) == {A: ["changes"], B: [7]}
    assert bindings_of(occurrences, occurrences[1], changes) == {A: [5], B: ["changes"]}


def test_what_did_not_change_is_as_it_is() -> None:
    occurrences = [occurrence(A), occurrence(B)]
    assert bindings_of(occurrences, occurrences[0], {A: MOVED}) == {A: ["changes"], B: [9]}


def test_other_branches_are_empty() -> None:
    occurrences = [occurrence(A), occurrence(A, 1), occurrence(B)]
    zero_delta = {f"{A} 0": [f"{A} 1", f"{B} 0"], f"{A} 1": [f"{A} 0", f"{B} 0"]}
    assert bindings_of(occurrences, occurrences[0], {A: MOVED}, zero_delta) == {
        A: ["changes", "empty"],
        B: ["empty"],
    }
    assert bindings_of(occurrences, occurrences[1], {A: MOVED}, zero_delta) == {
        A: ["empty", "changes"],
        B: ["empty"],
    }


def hinted(occurrences: list[Any], rows: int | None) -> bool:
    job = {
        "reads": {"tables": [A, B], "occurrences": [one["relation"] for one in occurrences]},
        "bindings": {A: {"kind": "table", "version": 5}, B: {"kind": "table", "version": 9}},
    }
    changes = {A: {**MOVED, "rows": rows}}
    found = DBT(
        "_delta_term_bindings", job, occurrences, occurrences[0], 1, changes, {"zero_delta": {}}
    )
    return "broadcast(" in found[A]["occurrences"][0]["sql"]


def test_only_few_rows_that_are_joined_are_said_to_be_few() -> None:
    assert hinted([occurrence(A), occurrence(B)], 200_000)
    assert not hinted([occurrence(A), occurrence(B)], 200_001)
    assert not hinted([occurrence(A), occurrence(B)], None), "nobody knows how many"
    assert not hinted([occurrence(A)], 1), "Spark would warn of a hint for no join"


# All terms as one query.


def test_terms() -> None:
    sql = DBT("_delta_terms_sql", TERMS, columns("k", "s"))
    items = "`k`, cast(`s` as string) as `s`"
    assert sql == (
        f"select {items}, 1 as _mview_sign\nfrom (\nselect k, s from came -- new\n)"
        "\nunion all\n"
        f"select {items}, -1 as _mview_sign\nfrom (\nselect k, s from went\n)"
    )
    assert parse(sql)


def test_one() -> None:
    sql = DBT("_delta_terms_sql", TERMS[1:], columns("k"))
    assert sql == "select `k`, -1 as _mview_sign\nfrom (\nselect k, s from went\n)"
