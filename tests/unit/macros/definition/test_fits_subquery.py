"""Where a view can be replaced by its text."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from .test_bind import bind, view

LEFT_ALONE = {
    "column with its schema": "select db.v.id from db.v where db.v.id > 1",
    "column with its catalog": "select 1 from db.v where spark_catalog . db.`V`.id > 1",
    "all columns with their schema": "select db.v.* from db.v",
    "field of such a column": "select max(struct(db.v.id)) from db.w, db.v",
    "sample": "select * from db.v tablesample (5 rows)",
    "sample with an alias": "select * from db.v tablesample (5 rows) as s",
    "options": "select * from db.v with ('a' = 'b') v",
    "TABLE as an argument": "select * from f(table db.v)",
}


@pytest.mark.parametrize("sql", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_a_view_where_no_subquery_can_stand_is_left_alone(sql: str) -> None:
    """It is not found then, so that its tables count as not bound."""
    bindings = {"spark_catalog.db.v": view("select 1 as id")}
    assert bind(sql, bindings) == {"sql": sql, "found": []}


@pytest.mark.parametrize(
    "sql",
    [
        "select db.v.id from db.v as db",
        "select v.id, 'db.v.id', 1.5 from db.v -- db.v.id",
        "select other.v.id, v.db.v.id from db.v, other.v",
        "select db.w.id from db.v join db.w on true",
    ],
)
def test_only_its_own_schema_keeps_a_view_from_being_replaced(sql: str) -> None:
    bindings = {"spark_catalog.db.v": view("select 1 as id")}
    assert bind(sql, bindings)["found"] == ["spark_catalog.db.v"]


@pytest.mark.parametrize("word", ["a", "`where`", "version", "timestamp", "1a"])
def test_alias(word: str) -> None:
    assert Dbt()("_is_alias", word)


@pytest.mark.parametrize("word", ["", ",", ")", "|>", "where", "left", "select", "lateral"])
def test_no_alias(word: str) -> None:
    assert not Dbt()("_is_alias", word)
