"""Whether a query without its CTEs is the same, by the engine's plans of both."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, Table
from ..kit.harness import Dbt
from ..kit.plans import question

DBT = Dbt()
SQL = "with c as (select k from shop.t) select a.k from c a join c b on a.k = b.k"
INLINED = "select a.k from (select k from shop.t) a join (select k from shop.t) b on a.k = b.k"
WRITTEN = """\
Project [k#1]
+- Filter false
   +- SubqueryAlias __auto_generated_subquery_name
      +- WithCTE
         :- CTERelationDef 0, false
         :  +- SubqueryAlias c
         :     +- Project [k#1]
         :        +- Relation spark_catalog.shop.t[k#1,n#2] delta
         +- Project [k#1]
            +- Join Inner, (k#1 = k#3)
               :- SubqueryAlias a
               :  +- SubqueryAlias c
               :     +- CTERelationRef 0, true, [k#1], false, false
               +- SubqueryAlias b
                  +- SubqueryAlias c
                     +- CTERelationRef 0, true, [k#3], false, false
"""
SAME = """\
Project [k#1]
+- Filter false
   +- SubqueryAlias __auto_generated_subquery_name
      +- Project [k#1]
         +- Join Inner, (k#1 = k#5)
            :- SubqueryAlias a
            :  +- Project [k#1]
            :     +- SubqueryAlias spark_catalog.shop.t
            :        +- Relation spark_catalog.shop.t[k#1,n#2] delta
            +- SubqueryAlias b
               +- Project [k#5]
                  +- Relation spark_catalog.shop.t[k#5,n#6] delta
"""
ASKED = """\
Project [k#1]
+- Filter false
   +- Filter exists#9 [k#1]
      :  +- Project [1 AS 1#8]
      :     +- {}
      +- Relation spark_catalog.shop.t[k#1,n#2] delta
"""


class Answers(Engine):
    """Tells the plan of each query, and notes which were asked for."""

    def __init__(self, plans: dict[str, str]) -> None:
        super().__init__()
        self.plans = plans

    def _read_explain(self, sql: str) -> Table:
        plan = next(plan for text, plan in self.plans.items() if f"(\n{text}\n)" in sql)
        heading = "== Parsed Logical Plan ==\n\n\n== Analyzed Logical Plan ==\nk: int\n"
        told = f"{heading}{plan}\n\n== Optimized Logical Plan ==\n" if plan[0] == "P" else plan
        return Table([[told]], ("plan",))


def asked(
    sql: str, plans: dict[str, str], *, views: dict[str, str] | None = None, written: str = WRITTEN
) -> tuple[Any, int]:
    """What is told of a query, and how many plans were asked for."""
    dbt = Dbt(Answers(plans))
    bindings = {
        name: {"kind": "view", "text": text, "columns": [], "namespace": "spark_catalog.shop"}
        for name, text in (views or {}).items()
    }
    job = {"reads": {"plan": written, "views": list(bindings)}, "bindings": bindings}
    found = {"reason": None, "reads": {"bound_text": sql, "columns": {}}}
    return dbt("_inlined_query", {}, job, found), len(dbt.engine.log)


def test_the_engine_says_that_it_is_the_same() -> None:
    told, asks = asked(SQL, {INLINED: SAME})
    assert told["text"] == INLINED
    assert told["reads"]["occurrences"] == ["spark_catalog.shop.t"] * 2
    assert (told["reason"], asks) == (None, 1)


def test_texts_of_views_are_asked_for_as_they_stand_in_the_query() -> None:
    told, asks = asked(SQL, {SQL: WRITTEN, INLINED: SAME}, views={"a.b.v": "select 1"}, written="")
    assert (told["text"], asks) == (INLINED, 2)


@pytest.mark.parametrize(
    "other",
    [
        SAME.replace("shop.t[k#5", "shop.u[k#5"),
        SAME.replace("(k#1 = k#5)", "(k#1 = n#6)"),
        SAME.replace("Join Inner", "Join LeftOuter"),
        SAME.replace("[k#5]\n", "[n#6 AS k#5]\n"),
        "[TABLE_OR_VIEW_NOT_FOUND] there is no c",
    ],
    ids=["table", "condition", "join", "column", "error"],
)
def test_another_plan_keeps_the_ctes(other: str) -> None:
    told, _ = asked(SQL, {INLINED: other})
    assert told["text"] is None
    assert told["reason"] == "its CTEs stay: without them Spark has another plan"


@pytest.mark.parametrize(
    "sql",
    [
        "select k from shop.t",
        "with c as (select k from shop.t) select k from c",
        "select k from (with c as (select k from shop.t) select k from c)",
    ],
)
def test_what_a_plan_shows_anyhow_is_not_asked_for(sql: str) -> None:
    assert asked(sql, {}) == ({"text": None, "reads": None, "reason": None}, 0)


def test_the_reason_names_cte_and_view() -> None:
    sql = SQL + " join (table c)"
    assert asked(sql, {})[0]["reason"] == "the CTE c stays: it is read by TABLE"
    views = {"spark_catalog.shop.v": "select 1", "spark_catalog.shop.w": sql}
    told, asks = asked(f"select * from ({sql})", {}, views=views)
    assert told["reason"] == "the CTE c of the view shop.w stays: it is read by TABLE"
    assert asks == 0


def test_a_query_that_is_not_understood_is_left_alone() -> None:
    job = {"reads": {"views": []}, "bindings": {}}
    found = {"reason": {"code": "X"}, "reads": {"bound_text": SQL}}
    assert DBT("_inlined_query", {}, job, found)["text"] is None


def alike(one: str, other: str) -> bool:
    found: bool = DBT("_reads_alike", {"plan": one}, {"plan": other})
    return found


def test_plans_of_subqueries_are_compared() -> None:
    one = ASKED.format("Relation spark_catalog.shop.u[k#7] delta")
    assert alike(one, one.replace("#7", "#17"))
    assert not alike(one, one.replace("shop.u", "shop.v"))
    assert not alike(one, question("k#1", "Relation spark_catalog.shop.t[k#1,n#2] delta"))


def test_literals_that_others_stand_in_for_are_numbered_anew() -> None:
    one = question(
        "k#1", "Filter (s#2 = mview_text0_)", "Relation spark_catalog.shop.t[k#1,s#2] delta"
    )
    assert alike(one, one.replace("text0", "text1"))
    assert not alike(one, one.replace("s#2 =", "s#2 >"))
