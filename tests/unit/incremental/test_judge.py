"""A query that is refused for its CTEs is judged as it reads without them."""

from __future__ import annotations

from typing import Any

from tests.corpus.plays import Played
from tests.corpus.queries import TABLES, pairs

from ..kit.harness import Dbt

SQL = "with c as (select k from shop.facts) select a.k from c a join c b on a.k = b.k"
INLINED = (
    "select a.k from (select k from shop.facts) a join (select k from shop.facts) b on a.k = b.k"
)
TABLE = "Relation spark_catalog.shop.facts[id#{0}2L,k#{0}1,amt#{0}3,s#{0}4,day#{0}5] parquet"
HEAD = "Project [k#1]\n+- Filter false\n   +- SubqueryAlias __auto_generated_subquery_name\n"
WRITTEN = f"""{HEAD}\
      +- WithCTE
         :- CTERelationDef 1, false
         :  +- SubqueryAlias c
         :     +- Project [k#1]
         :        +- {TABLE.format("")}
         +- Project [k#1]
            +- Join Inner, (k#1 = k#6)
               :- SubqueryAlias a
               :  +- CTERelationRef 1, true, [k#1], false, false
               +- SubqueryAlias b
                  +- CTERelationRef 1, true, [k#6], false, false
"""
SAME = f"""{HEAD}\
      +- Project [k#1]
         +- Join Inner, (k#1 = k#71)
            :- SubqueryAlias a
            :  +- Project [k#1]
            :     +- {TABLE.format("")}
            +- SubqueryAlias b
               +- Project [k#71]
                  +- {TABLE.format("7")}
"""
FACTS = "spark_catalog.shop.facts"


def judged(sql: str, plans: dict[str, str]) -> tuple[Dbt, dict[str, Any], dict[str, Any], Any]:
    """(dbt, spec, job, judgement) of a query over facts, all of which changed."""

    def answer(asked: str) -> Any:
        if not asked.startswith("explain"):
            tables = [["mview:0", "int"], *pairs(TABLES["facts"])]
            return tables if "mview:0" in asked else [["k", "int"]]
        plan = next(plan for text, plan in plans.items() if f"(\n{text}\n)" in asked)
        heading = "== Analyzed Logical Plan ==\nk: int\n"
        return f"\n{heading}{plan}\n== Optimized Logical Plan ==\n".split("\n")

    dbt = Dbt(Played(answer))
    reads = dbt("_reads", sql)
    spec = {"definition": sql, "namespace": "spark_catalog.shop", "unique_key": []}
    bindings = dbt("_bindings", sql, reads, spec["namespace"])["bindings"]
    columns = dbt("_describe_query", sql)
    job = {"reads": reads, "bindings": bindings, "columns": columns, "order": ["k"]}
    found = dbt("_canonical", spec, job)
    return dbt, spec, job, dbt("_judge", spec, job, found, [FACTS])


def test_each_reader_of_a_cte_is_an_occurrence() -> None:
    dbt, spec, job, told = judged(SQL, {SQL: WRITTEN, INLINED: SAME})
    delta_plan = told["plan"]
    assert (delta_plan["reason"], delta_plan["strategy"], delta_plan["text"]) == (
        None,
        "row delta",
        INLINED,
    )
    assert job["reads"]["occurrences"] == [FACTS]
    assert told["reads"]["occurrences"] == [FACTS, FACTS]
    columns = [{"name": "k", "type": "int"}]
    moved = {"relation": FACTS, "start": 3, "first": 4, "end": 5, "columns": columns, "rows": None}
    delta_plan["changes"] = [{**moved, "inserts": True, "deletes": False}]
    terms = dbt("_delta_terms", spec, job, told["reads"], delta_plan)
    old, new = ("shop.facts version as of 3", "shop.facts version as of 5")
    assert [term["bound"] for term in terms] == [True, True]
    for term, kept in zip(terms, (old, new), strict=True):
        assert "table_changes(" in term["sql"] and "with c" not in term["sql"]
        assert term["sql"].count("version as of") == 1 and kept in term["sql"]


def test_another_plan_is_refused_as_before() -> None:
    """With the reason of the query as it is written, and why its CTE stays."""
    _, _, _, told = judged(
        SQL, {SQL: WRITTEN, INLINED: SAME.replace("(k#1 = k#71)", "(k#1 > k#71)")}
    )
    assert told["plan"]["reason"] == {
        "code": "OPERATOR_NOT_INCREMENTAL",
        "detail": "a CTE that is read 2 times; its CTEs stay: without them Spark has another plan",
        "also": ["cte_is_kept"],
    }
    assert told["reads"]["occurrences"] == [FACTS]


def test_what_is_followed_as_it_is_written_is_left_alone() -> None:
    """Nothing more is asked for."""
    plan = f"{HEAD}      +- Project [k#1]\n         +- {TABLE.format('')}\n"
    sql = "with d as (select 1) select k from shop.facts"
    _, _, _, told = judged(sql, {sql: plan})
    assert told["plan"]["reason"] is None and told["plan"]["text"] is None
