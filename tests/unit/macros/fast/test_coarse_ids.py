"""Attributes of which two values may be equal and not the same."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, chain, node, tables, tree


def coarse(plan: str, amt: str = "double", s: str = "string") -> set[str]:
    dbt = Dbt()
    return set(dbt("_coarse_ids", tree(dbt, plan), {"columns": tables(FACTS, amt=amt, s=s)}))


@pytest.mark.parametrize(
    ("amt", "s", "ids"),
    [
        ("double", "string", {"3", "11"}),
        ("array<float>", "string", {"3", "11"}),
        ("bigint", "string collate UTF8_LCASE", {"4"}),
        ("bigint", "string", set()),
    ],
)
def test_by_the_types_of_columns(amt: str, s: str, ids: set[str]) -> None:
    assert coarse(chain(GROUPED, FACTS), amt, s) == ids


def test_nothing_is_asked_without_a_group() -> None:
    dbt = Dbt()
    reads = {"columns": tables(FACTS, amt="double")}
    assert dbt("_coarse_ids", tree(dbt, node("Project [amt#3]", FACTS)), reads) == []
    assert not dbt.engine.log


def test_names_in_any_case_and_nothing_but_names() -> None:
    plan = chain("Project [AMT#23, flamt#24, amt#25L]", GROUPED, FACTS)
    assert coarse(plan) >= {"3", "23", "25"} and "24" not in coarse(plan)


def test_what_is_made_of_them() -> None:
    items = "Project [amt#3 AS a#20, (k#2 + 1) AS b#21, (a#20 * 2) AS c#22, k#2]"
    assert coarse(chain(items, GROUPED, FACTS)) == {"3", "11", "20", "22"}


def test_a_cast_to_another_type() -> None:
    items = (
        "Project [cast(amt#3 as int) AS a#20, cast((amt#3 + 1) as decimal(10,2)) AS b#21,"
        " cast(k#2 as float) AS c#22, (cast(amt#3 as int) + cast(k#2 as int)) AS d#23,"
        " cast(amt#3 as array<double>) AS e#24]"
    )
    assert coarse(chain(items, GROUPED, FACTS)) == {"3", "11", "22", "23", "24"}
    assert coarse(chain(items, GROUPED, FACTS), "bigint") == {"22"}


def test_what_is_coarse_by_itself() -> None:
    items = "Project [collate(s#4, UTF8_LCASE) AS a#20, CASE WHEN x THEN 0.0 ELSE -0.0 END AS b#21]"
    assert coarse(chain(items, GROUPED, FACTS), "bigint") == {"20", "21"}
    values = node("Join Inner", "LocalRelation [x#30, y#31]", node(GROUPED, FACTS))
    assert coarse(values, "bigint") == {"30", "31"}


def test_exploded() -> None:
    plan = chain(GROUPED, "Generate explode(amt#3), false, [x#30]", FACTS)
    assert coarse(plan, "array<double>") == {"3", "11", "30"}


def test_through_ctes_and_unions() -> None:
    define = node("CTERelationDef 0, false", node("Project [k#2, amt#3 AS a#20]", FACTS))
    ref = "CTERelationRef 0, true, [k#40, a#41], false, false"
    assert coarse(node("WithCTE", define, node("Distinct", ref))) == {"3", "20", "41"}
    unknown = ref.replace("a#41", "a#41, z#42")
    assert coarse(node("WithCTE", define, node("Distinct", unknown))) >= {"40", "41", "42"}
    pair = "Project [k#5, name#6]", "Project [k#2, amt#3]"
    union = node("Union false, false", node(pair[0], DIMS), node(pair[1], FACTS))
    assert coarse(node("Distinct", union)) == {"3", "6"}
    other = union.replace("[k#2, amt#3]", "[amt#3]")
    assert coarse(node("Distinct", other)) == {"3", "5", "6"}, "which is which is not known"


def test_what_a_plan_leaves_out_may_be_anything() -> None:
    plan = chain("Project [p#40, k#2]", GROUPED, "Project [k#2, ... 9 more fields]", FACTS)
    assert coarse(plan, "bigint") == {"40"}
