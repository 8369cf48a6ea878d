"""Attributes that are another one under a new id."""

from __future__ import annotations

from ..harness import Dbt
from .plans import FACTS, GROUPED, chain, node, tree

DBT = Dbt()


def test_projections() -> None:
    plan = chain(
        "Project [k#2, n#10L AS m#20L, upper(s#4) AS u#21, cast(k#2 as string) AS t#22]", FACTS
    )
    assert DBT("_passed_on", tree(DBT, plan)) == {"20": "10"}


def test_a_view_only_upcasts() -> None:
    view = chain(
        "View (`spark_catalog`.`shop`.`v`, [a#20,b#21,c#22,d#23])",
        "Project [cast(k#2 as bigint) AS a#20, s#4 AS b#21, upper(s#4) AS c#22,"
        " cast(k#2 as string) AS d#23]",
        FACTS,
    )
    assert DBT("_passed_on", tree(DBT, view)) == {"20": "2", "21": "4"}


def test_ctes() -> None:
    define = node("CTERelationDef 0, false", node(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#2, n#30L, total#31], false, false"
    assert DBT("_passed_on", tree(DBT, node("WithCTE", define, ref))) == {"30": "10", "31": "11"}


def test_a_cte_whose_columns_are_not_known() -> None:
    define = node("CTERelationDef 0, false", node("Generate explode(a#9), false, [x#10]", FACTS))
    ref = "CTERelationRef 0, true, [id#30L, k#31, amt#32, s#33, x#34], false, false"
    assert DBT("_passed_on", tree(DBT, node("WithCTE", define, ref))) == {}
