"""What is asked in place of the query, so that its plan can be read."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt
from ..kit.plans import columns, question
from ..kit.records import as_delta_plan

# What is asked in place of the query.


T = "spark_catalog.shop.t"
PLAIN = [("k", "int"), ("v", "bigint")]
ODD = [("k", "int"), ("a,b", "bigint")]
REASON = "OPERATOR_NOT_INCREMENTAL: "


def canonical(
    sql: str, plan: str, table: list[tuple[str, str]], names: str = "k int; v bigint", **more: Any
) -> tuple[Any, list[str]]:
    """What is found, and the texts that the engine was asked about."""
    dbt = Dbt()
    dbt.engine.explains("x: int", plan)
    rows = [["mview:0", "int"], *map(list, table)]
    answer = type(dbt.engine._read_tables("show tables in `a` like '*'"))
    dbt.engine._read_columns = lambda _: answer(rows)  # type: ignore[method-assign]
    of = columns(names)
    reads = {"tables": [T], "occurrences": [T], "literals": {}, "plan": plan, "truncated": False}
    job = {
        "reads": {**reads, **more},
        "bindings": {T: {"kind": "table", "version": 3}},
        "columns": of,
        "order": [column["name"].lower() for column in of],
    }
    spec = {"definition": sql, "namespace": "spark_catalog.shop"}
    found = dbt("_canonical", spec, job)
    return found, [one.sql for one in dbt.engine.log if one.step == "read_explain"]


def test_the_query_itself() -> None:
    plan = question("k#1, v#2L", f"Relation {T}[k#1,v#2L] parquet")
    sql = "select k, v from shop.t where v > 1e0"
    found, asked = canonical(sql, plan, PLAIN)
    assert (found["reason"], found["names"], asked) == (None, {}, [])
    reads = found["reads"]
    assert reads["text"] == reads["bound_text"] == sql and reads["plan"] == plan
    assert (reads["float_literal"], reads["nested"], reads["made"]) == ("1e0", False, {})
    assert [column["name"] for column in reads["columns"][T]] == ["k", "v"]


def test_literals_that_the_plan_has_not() -> None:
    """Something stands for them in the first question already."""
    plan = question("k#1, v#2L", f"Relation {T}[k#1,v#2L] parquet")
    sql = "select k, v from shop.t where k <> 'x#1'"
    found, asked = canonical(sql, plan, PLAIN, literals={"'x#1'": "'mview_text0_'"})
    assert (found["reason"], asked) == (None, [])
    assert found["reads"]["text"] == sql.replace("x#1", "mview_text0_")
    assert found["reads"]["bound_text"] == sql
    assert len(canonical(sql, plan, PLAIN)[1]) == 1, "as one of a view"


STANDS = (
    "SubqueryAlias `mview table spark_catalog.shop.t`\n"
    "+- Project [cast(null as int) AS k#1, cast(null as bigint) AS mview_name0_#2L]\n"
    "   +- OneRowRelation"
)


def test_a_table_with_such_columns() -> None:
    """The names of the result are made, too."""
    plan = question(
        "mview_c0#3, mview_c1#4L",
        "Project [k#1 AS mview_c0#3, mview_name0_#2L AS mview_c1#4L]",
        STANDS,
    )
    sql = "select k, `A,b` from shop.t"
    found, (asked,) = canonical(sql, plan, ODD, "k int; A,b bigint")
    assert found["reason"] is None
    assert found["names"] == {"mview_c0": "k", "mview_c1": "A,b"}
    assert [column["name"] for column in found["columns"]] == ["mview_c0", "mview_c1"]
    assert found["reads"]["made"] == {"a,b": "mview_name0_"}
    assert f"Relation {T}[k#1,mview_name0_#2L] delta" in found["reads"]["plan"]
    assert "select k, `mview_name0_` from (select * from (select cast(null as int) as `k`," in asked
    assert (
        "cast(null as bigint) as `mview_name0_`) as `mview table spark_catalog.shop.t`) as `t`"
        in asked
    )
    assert ") as mview_result (mview_c0, mview_c1)" in asked


def test_a_query_that_does_not_analyze_then() -> None:
    error = "org.apache.spark.sql.AnalysisException: no\n'Project [*]\n+- x"
    found, _ = canonical("select k, `A,b` from shop.t", error, ODD, "k int; A,b bigint")
    assert found["reason"] == REASON + "a,b is printed as plan text"
    assert found["reads"]["truncated"] is True, "nobody asks such a plan for columns"


def test_a_field_of_such_a_name() -> None:
    plan = question("k#1", f"Relation {T}[k#1,s#2] parquet")
    found, asked = canonical(
        "select k from shop.t", plan, [("k", "int"), ("s", "struct<a#1:int>")], "k int"
    )
    assert (found["reason"], asked) == (
        REASON + "a field of s of spark_catalog.shop.t is printed as plan text",
        [],
    )


def test_a_place_that_takes_no_subquery() -> None:
    found, asked = canonical("select shop.t.k from shop.t", question("k#1", STANDS), ODD, "k int")
    assert (found["reason"], asked) == ("SOURCE_NOT_BOUND: a subquery does not fit", [])


def test_a_plan_that_is_not_understood() -> None:
    plan = question("k#1, v#2L", "Project [k#1, v]", f"Relation {T}[k#1,v#2L] parquet")
    found, _ = canonical("select k, v from shop.t", plan, PLAIN)
    assert found["reason"] == REASON + "a plan that is not understood"


# Names and literals that a plan cannot be read around.


DBT = Dbt()


@pytest.mark.parametrize(
    "name",
    [
        "a, b", "sum(b)", "x#12", "[a", "b]", "{", "}", "p) t", "`", "'", '"', "a\\b", "a\nb",
        "a\tb", "a\u2028b", "a\xa0b", "\x1b", " a", "a ", "x AS y", "AS y", "... 3 more fields",
    ],
)  # fmt: skip
def test_ambiguous(name: str) -> None:
    assert DBT("_is_ambiguous", name) is True


@pytest.mark.parametrize(
    "name",
    ["k", "Order ID", "user-agent", "$type", "% of all", "a.b", "R&D", "as", "AS", "was x", "é",
     "日本", "+- Filter", "Aggregate", "a / b", "x as y", "CASE"],
)  # fmt: skip
def test_plain(name: str) -> None:
    assert DBT("_is_ambiguous", name) is False


@pytest.mark.parametrize(
    ("token", "ambiguous"),
    [
        ("'x'", False), ("''", False), ("'2024-01-01 10:00:00'", False), ("'Brand#12'", True),
        ("'MMM d, yyyy'", True), (r"'\\d'", True), (r"'\u0028'", True), ("r'x'", True),
        ('"("', True), ("'" + "x" * 100 + "'", True),
    ],
)  # fmt: skip
def test_literals(token: str, ambiguous: bool) -> None:
    assert DBT("_is_ambiguous_literal", token) is ambiguous


@pytest.mark.parametrize(
    ("type_", "ambiguous"),
    [
        ("decimal(10,2)", False),
        ("struct<a:int,user-agent:map<string,array<decimal(38,0)>>>", False),
        ("struct<a(b:int>", True),
        ("struct<a#1:int>", True),
        ("array<struct<x AS y:int>>", True),
    ],
)
def test_types(type_: str, ambiguous: bool) -> None:
    assert DBT("_is_ambiguous_type", type_) is ambiguous


def test_quoted_names() -> None:
    assert DBT("_quoted_names", "t.`A, b`.c.`x``y`") == ["a, b", "x`y"]
    assert DBT("_quoted_names", "t.a") == []


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("select a, 'b', `c` from t", False),
        ("select 'b#1' from t", True),
        ("select t.`c, d` from t", True),
        ("select a -- 'b#1', `c, d`", False),
    ],
)
def test_a_query(sql: str, found: bool) -> None:
    assert DBT("_has_ambiguous", DBT("_words", sql)) is found


def known(sql: str) -> list[Any]:
    words = DBT("_words", sql)
    return [words[index] for index in DBT("_literals_of_analysis", words)]


def test_literals_that_spark_reads_itself() -> None:
    """The schema says what columns there are, the format how many digits."""
    assert known("select from_json(x, 'a INT, b DECIMAL(10,2)') from t") == [
        "'a INT, b DECIMAL(10,2)'"
    ]
    assert known("select from_json(upper('a, b'), 'array<int>')") == ["'array<int>'"]
    assert known("select TO_CHAR(x, '999,999.99')") == ["'999,999.99'"]
    assert known("select variant_get(v, '$.a[0]', 'decimal(10,2)')") == [
        "'$.a[0]'", "'decimal(10,2)'"
    ]  # fmt: skip
    assert known("select coalesce(x, 'a, b') from t where y = 'c'") == []


def test_not_where_they_could_end_a_bracket() -> None:
    assert (
        known("select from_json(x, 'a) AS b#1')") == known("select from_json(x, '`a(` INT')") == []
    )


# Names and literals that stand for those that a plan cannot be read around.


TABLES = {"c.s.t": [{"name": "A, b", "type": "int"}, {"name": "k", "type": "int"}]}


def made(sql: str, tables: Any = None) -> Any:
    return DBT("_stand_in_names", DBT("_words", sql), tables or {})


def renamed(sql: str, tables: Any = None) -> str:
    text: str = DBT("_in_stand_in_names", sql, made(sql, tables))
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


# A delta plan in the names of the query's own columns.


def test_in_own_names() -> None:
    found = {
        "names": {"mview_c0": "a,b", "mview_c1": "m", "mview_c2": "s", "mview_c3": "n"},
        "reads": {"made": {"x#1": "mview_name0_"}},
    }
    given = {
        "strategy": "aggregate delta",
        "keys": ["mview_c0"],
        "values": {"mview_c1": "average", "mview_c2": "sum", "mview_c3": "count"},
        "averages": {"mview_c1": {"sum": "mview_c2", "count": "mview_c3", "rows": None}},
        "wanted": {"mview_c2": "sum(mview_name0_)"},
    }
    plan = as_delta_plan(given)
    assert Dbt()("_in_own_names", plan, found) == {
        **plan,
        "keys": ["a,b"],
        "values": {"m": "average", "s": "sum", "n": "count"},
        "averages": {"m": {"sum": "s", "count": "n", "rows": None}},
        "wanted": {"s": "sum(x#1)"},
    }
    lacks = as_delta_plan({"reason": Dbt()("_lacks", "the group key mview_name0_")})
    own = Dbt()("_in_own_names", lacks, found)["reason"]
    assert own == {**lacks["reason"], "detail": "the result lacks the group key x#1"}
    assert Dbt()("_in_own_names", plan, {"names": {}}) == plan
