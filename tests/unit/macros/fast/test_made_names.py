"""Names and literals that stand for those that a plan cannot be read around."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt

DBT = Dbt()
TABLES = {"c.s.t": [{"name": "A, b", "type": "int"}, {"name": "k", "type": "int"}]}


def made(sql: str, tables: Any = None) -> Any:
    return DBT("_made_names", DBT("_words", sql), tables or {})


def renamed(sql: str, tables: Any = None) -> str:
    text: str = DBT("_in_made_names", sql, made(sql, tables))
    return text


def test_nothing_to_do() -> None:
    sql = "select `Order ID`, 'x', coalesce(a, '') as `b` from t -- 'it''s (1'"
    assert made(sql) == {"names": {}, "literals": {}, "tables": [], "prefix": "mview_"}
    assert renamed(sql) == sql


def test_the_same_for_the_same() -> None:
    sql = "select t.`a, b`, `A, B` as `x#1`, 'p#1', if(s = 'p#1', 'P#1', 'q') from t"
    assert renamed(sql, TABLES) == (
        "select t.`mview_name0_`, `mview_name0_` as `mview_name1_`, 'mview_text0_',"
        " if(s = 'mview_text0_', 'mview_text1_', 'q') from t"
    )
    assert made(sql, TABLES)["tables"] == ["c.s.t"]


def test_a_column_that_the_query_does_not_name() -> None:
    assert made("select * from t", TABLES)["names"] == {"a, b": "mview_name0_"}


def test_nothing_else_begins_like_them() -> None:
    prefix = made("select mview_name0_, 'x#1' from t")["prefix"]
    assert prefix == "mview_q_"
    assert made("select 'x#1' from t", {"c.s.t": [{"name": "MVIEW_q_1", "type": "int"}]})[
        "prefix"
    ] == ("mview_q_q_")


def test_literals_that_spark_has_to_know_stay() -> None:
    sql = "select from_json(x, 'a INT, b INT'), 'a INT, b INT' from t"
    assert renamed(sql) == "select from_json(x, 'a INT, b INT'), 'mview_text0_' from t"


def test_as_printed() -> None:
    reads = {"made": {"a, b": "mview_name0_"}}
    assert DBT("_as_printed", reads, "A, b") == "mview_name0_"
    assert DBT("_as_printed", reads, "k") == DBT("_as_printed", {}, "k") == "k"
