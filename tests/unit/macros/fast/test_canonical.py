"""What is asked in place of the query."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt
from ...kit.plans import columns, question

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
    reads = {"tables": [T], "places": [T], "literals": {}, "plan": plan, "cut": False}
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
    assert found["reads"]["cut"] is True, "nobody asks such a plan for columns"


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
