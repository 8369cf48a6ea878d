"""Subqueries whose groups the query around them looks at: found in the text, and followed."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.plays import Played

from ..kit.engine import Engine, Table
from ..kit.harness import Dbt
from ..kit.parsing import parse
from ..kit.records import as_delta_plan
from .test_delta_terms import DIMS, FACTS, adds_up_to_nothing, as_tables, change

DBT = Dbt()
DERIVED = "dbt_mview.derived.t0"
NAME = "`dbt_mview`.`derived`.`t0`"


def subqueries(sql: str) -> list[tuple[str, str]]:
    """(kind, its first words) of each subquery that may be a derived table."""
    tokens = DBT("_tokens", sql)
    found = DBT("_subqueries", tokens)
    words = tokens[1::3]
    return [(kind, " ".join(words[at + 1 : at + 3])) for at, kind in found.items()]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("select 1 from (select a from t) x", ["table select a"]),
        ("select 1 from t, (select b from u) x", ["table select b"]),
        ("select 1 from t join (select b from u) x on t.a = x.b", ["table select b"]),
        ("select 1 from t join ((select b from u) x join v) on 1", ["table select b"]),
        ("select 1 from (select a from (select b from u))", ["table select a", "table select b"]),
        ("select 1 from t where a in (select b from u)", ["in select b"]),
        ("select 1 from t where a in (select b from (select c from u))",
         ["in select b", "table select c"]),
        ("select (select max(b) from u) from t where exists (select 1 from u)",
         ["value select max"]),
        ("select 1 from t where a > (select max(b) from u) or f((select c from u)) = 1",
         ["value select max", "value select c"]),
        ("(select a from t) union all (select b from u)", []),
        ("select 1 from t where a in (1, 2) and f(a) > all(array(1))", []),
        ("select 1 from (t join u)", []),
        ("select 1 from ((select a from t) union all (select b from u)) x", ["table ( select"]),
        ("select 1 from ((select a from t) order by a) x", ["table ( select"]),
        ("select 1 from (select a from t) union all select 2", ["table select a"]),
        ("select 1 from t, lateral (select b from u)", []),
        ("select 1 from t, lateral ((select b from u) limit 1)", []),
        ("select 1 from range(3), explode(array((select 1)))", ["value select 1"]),
        ("select 1 from ((select a from t) |> where a > 2) x", ["table ( select"]),
        ("select 1 from ((select a from t) distribute by a) x", ["table ( select"]),
        ("select 1 from (((select a from t)) union all (select b from u)) x", ["table ( ("]),
        ("select 1 from ((select a from t)) x", ["table ( select"]),
    ],
)  # fmt: skip
def test_where_they_are(sql: str, found: list[str]) -> None:
    assert [" ".join(one) for one in subqueries(sql)] == found


def derived(text: str, keys: list[str], names: list[str], tables: list[str]) -> dict[str, Any]:
    """A derived table, as it would be classified."""
    reads = {"tables": list(dict.fromkeys(tables)), "occurrences": tables}
    job = {
        "bindings": {name: {"kind": "table", "version": 5} for name in (FACTS, DIMS)},
        "columns": [{"name": name, "type": "int"} for name in names],
    }
    delta_plan = as_delta_plan({"keys": keys, "strategy": "aggregate delta"})
    spec = {"definition": text, "namespace": "spark_catalog.shop"}
    return {
        "name": DERIVED,
        "query": {"spec": spec, "job": job, "reads": reads, "plan": delta_plan},
        "changed": tables,
        "must_stay": False,
    }


GROUPS = "select k, count(*) as n from shop.facts group by k"
BOTH = (
    "select f.k, d.v, count(*) as n from shop.facts f join shop.dims d on d.k = f.v"
    " group by f.k, d.v"
)
# name -> (query around it, derived table, its keys, columns and tables, occurrences of the query)
AROUND: dict[str, tuple[str, str, list[str], list[str], list[str], list[str]]] = {
    "values": (f"select n from {NAME} as t", GROUPS, ["k"], ["k", "n"], [FACTS], [DERIVED]),
    "joined": (
        f"select t.k, d.v from {NAME} t join shop.dims d on d.k = t.n",
        GROUPS, ["k"], ["k", "n"], [FACTS], [DERIVED, DIMS],
    ),
    "its_own_table_beside": (
        f"select f.v, t.n from shop.facts f join {NAME} t on t.n = f.k",
        GROUPS, ["k"], ["k", "n"], [FACTS], [FACTS, DERIVED],
    ),
    "asked": (
        # As a semi join, its right side would follow by keys; here it is a join of its groups.
        f"select d.k, d.v, t.k from shop.dims d join {NAME} t on t.n = d.k",
        GROUPS, ["k"], ["k", "n"], [FACTS], [DIMS, DERIVED],
    ),
    "of_two_tables": (
        f"select n, v from {NAME} t where n > 1",
        BOTH, ["k", "v"], ["k", "v", "n"], [FACTS, DIMS], [DERIVED],
    ),
}  # fmt: skip


def signed(name: str) -> list[tuple[int, str]]:
    """All that adds up to nothing: the terms, the old result, less the new one."""
    sql, text, keys, names, tables, occurrences = AROUND[name]
    one = derived(text, keys, names, tables)
    reads = {"tables": list(dict.fromkeys(occurrences)), "occurrences": occurrences}
    job = {"bindings": {table: {"kind": "table", "version": 5} for table in (FACTS, DIMS)}}
    spec = {"definition": "not read", "namespace": "spark_catalog.shop"}
    moved = [change(FACTS), change(DIMS)]
    delta_plan = as_delta_plan({"changes": moved, "text": sql, "derived": [one]})
    found = DBT("_delta_terms", spec, job, reads, delta_plan)
    assert found and all(term["bound"] for term in found)
    parts = [(term["sign"], term["sql"]) for term in found]
    whole = sql.replace(NAME, f"({text})")
    for sign, version in ((1, 3), (-1, 5)):
        parts.append((sign, re.sub(r"shop\.(\w+)", rf"shop.\1 version as of {version}", whole)))
    return [(sign, as_tables(part).replace("<=>", "is")) for sign, part in parts]


PARTS = {name: signed(name) for name in AROUND}


@pytest.mark.parametrize("name", AROUND)
@given(data=st.data())
def test_terms_add_up_to_the_change(name: str, data: st.DataObject) -> None:
    assert adds_up_to_nothing(PARTS[name], data)


def test_touched_groups_alone_are_computed() -> None:
    """As they were and as they are, of the keys that the derived table's own terms show."""
    _, text, keys, names, tables, _ = AROUND["values"]
    one = derived(text, keys, names, tables)
    found = DBT("_derived_change", one, [change(FACTS)])
    assert found["bound"] and (found["inserts"], found["deletes"]) == (True, True)
    old, new = (found["texts"][kind] for kind in ("gone", "come"))
    assert old.replace("version as of 3", "version as of 5") == new
    for part in (old, new):
        assert parse(part.strip()[1:-1]) and part.count("table_changes(") == 2
        assert "where `_mview_t`.`k`" not in part and "_mview_t.`k` <=> _mview_d.`k`" in part
    assert found["texts"]["then"] == f"(\n{text.replace('facts', 'facts version as of 3')}\n)"


def test_what_is_not_found_in_the_text_is_not_bound() -> None:
    one = derived("select k from shop.facts tablesample (5 rows)", ["k"], ["k"], [FACTS])
    assert not DBT("_derived_change", one, [change(FACTS)])["bound"]
    reads = {"tables": [DERIVED], "occurrences": [DERIVED]}
    job = {"bindings": {FACTS: {"kind": "table", "version": 5}}}
    spec = {"definition": "not read", "namespace": "spark_catalog.shop"}
    text = f"select k from {NAME}"
    delta_plan = as_delta_plan({"changes": [change(FACTS)], "text": text, "derived": [one]})
    assert [term["bound"] for term in DBT("_delta_terms", spec, job, reads, delta_plan)] == [
        False
    ] * 2


@pytest.mark.parametrize(("inserts", "deletes"), [(True, False), (False, True), (False, False)])
def test_rows_go_where_groups_are_computed_again(inserts: bool, deletes: bool) -> None:
    """So an extreme over them is undecided though the table's rows only came."""
    moved = [change(FACTS, inserts=inserts, deletes=deletes)]
    plan = {"strategy": "aggregate delta", "values": {"n": "max"}, "changes": moved}
    alone = as_delta_plan(plan)
    again, stays = (
        as_delta_plan({**plan, "derived": [{"name": DERIVED, "must_stay": stays}]})
        for stays in (False, True)
    )
    assert DBT("_may_rows_go", alone, moved) is deletes
    assert DBT("_may_rows_go", again, moved) is True
    assert DBT("_may_rows_go", stays, moved) is deletes
    assert DBT("_is_merge_decided", alone) is not deletes
    assert DBT("_is_merge_decided", again) is False


@pytest.mark.parametrize(
    ("moved", "reason"),
    [
        ({}, None),
        ({"columns_since": 3}, None),
        ({"columns_since": 2}, "SCHEMA_CHANGED: shop.facts"),
        (
            {"log": {"columns": []}},
            "CHANGE_DATA_UNAVAILABLE: shop.facts as it was: its log keeps what changed alone",
        ),
    ],
)
def test_it_is_computed_as_it_was(moved: dict[str, Any], reason: str | None) -> None:
    """So a log does not do, nor a table that had other columns."""
    both = [["k", "int"], ["v", "int"]]
    dbt = Dbt(Played(lambda sql: both if "version as of 3" in sql else both[:1]))
    columns = dbt("_columns_at", FACTS, 3)
    told = {**change(FACTS), "columns": columns, "log": None, "columns_since": None, **moved}
    found = dbt("_why_not_as_it_was", [{"changed": [FACTS]}], told)
    assert (dbt("_reason_text", found) if found else None) == reason
    assert dbt("_why_not_as_it_was", [], told) is None


def test_a_comment_at_its_end_ends_with_its_line() -> None:
    one = derived(f"{GROUPS} -- of all", ["k"], ["k", "n"], [FACTS])
    for part in DBT("_derived_change", one, [change(FACTS)])["texts"].values():
        assert "-- of all\n)" in part and "-- of all)" not in part


TOP = "select max(k) as top from shop.dims"


def test_one_value_that_stays_changes_nothing() -> None:
    """It is no term of its own, and is read as it was, which is as it is."""
    one = {**derived(TOP, [], ["top"], [DIMS]), "must_stay": True}
    text = f"select k from shop.facts where k < (select * from {NAME})"
    reads = {"tables": [FACTS, DERIVED], "occurrences": [FACTS, DERIVED]}
    job = {"bindings": {name: {"kind": "table", "version": 5} for name in (FACTS, DIMS)}}
    spec = {"definition": "not read", "namespace": "spark_catalog.shop"}
    moved = [change(FACTS, deletes=False), change(DIMS)]
    delta_plan = as_delta_plan({"changes": moved, "text": text, "derived": [one]})
    (term,) = DBT("_delta_terms", spec, job, reads, delta_plan)
    assert term["bound"] and term["sql"].count("version as of") == 1
    assert f"{TOP} version as of 3" in term["sql"]
    elsewhere = {**delta_plan, "zero_delta": {f"{FACTS} 0": [f"{DERIVED} 0"]}}
    (term,) = DBT("_delta_terms", spec, job, reads, elsewhere)
    assert f"(select * from (\n{TOP} version as of 5\n) where false)" in term["sql"]


@pytest.mark.parametrize(("same", "held"), [(1, True), (0, False)])
def test_a_value_is_asked_for_as_it_was_and_as_it_is(same: int, held: bool) -> None:
    asked: list[str] = []

    class Asked(Engine):
        def _read_held_value(self, sql: str) -> Table:
            asked.append(sql)
            return Table([[same]], ("count(1)",))

    dbt = Dbt(Asked())
    one = {**derived(TOP, [], ["top"], [DIMS]), "must_stay": True}
    found = dbt("_why_moved", [derived(GROUPS, ["k"], ["k", "n"], [FACTS]), one], [change(DIMS)])
    assert (found is None) is held
    (sql,) = asked
    for version, alias in ((3, "_mview_d\nfull join"), (5, "_mview_t\n    on")):
        assert f"\n    from (\n{TOP} version as of {version}\n    )\n) as {alias} " in sql
    assert sql.endswith("on _mview_d.`top` <=> _mview_t.`top`")


ONE, NULL, NO_ROW = "select 1 as v", "select null as v", "select 1 as v where false"


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (ONE, ONE, 1),
        (NULL, NULL, 1),
        (NO_ROW, NO_ROW, 1),
        (ONE, "select 2 as v", 0),
        (ONE, NULL, 0),
        (NULL, ONE, 0),
        (ONE, NO_ROW, 0),
        (NO_ROW, ONE, 0),
        (NULL, NO_ROW, 0),
        (NO_ROW, NULL, 0),
        (ONE, f"{ONE} union all {ONE}", 0),
        (f"{ONE} union all {ONE}", f"{ONE} union all {ONE}", 0),
        (NO_ROW, f"{ONE} union all select 2", 0),
    ],
)
def test_what_is_the_same_value(then: str, now: str, same: int) -> None:
    """No row at both times is the value that it was; no row and NULL are not told to be."""
    one = {**derived("select v from shop.dims", [], ["v"], [DIMS]), "must_stay": True}
    sql = DBT("_same_rows_sql", one, [change(DIMS)]).replace("<=>", "is")
    for version, text in ((3, then), (5, now)):
        sql = sql.replace(f"select v from shop.dims version as of {version}", text)
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(sql).fetchall() == [(same,)]
