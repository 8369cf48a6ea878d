"""Maps of which the query asks for more than values by their keys."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import chain, node, question

BASE = "Relation spark_catalog.shop.m[id#1L,props#2,n#3] parquet"
VIEW = chain(
    "View (`c`.`s`.`v`, [id#1L, attributes#9])",
    "Project [id#1L, cast(attributes#8 as map<string,int>) AS attributes#9]",
    "Project [id#1L, props#2 AS attributes#8]",
    BASE,
)


def whole(plan: str, type_: str = "map<string,int>", **reads: Any) -> list[str]:
    columns = [{"name": "id", "type": "int"}, {"name": "props", "type": type_}]
    found: list[str] = Dbt()("_whole_maps", {"plan": plan, "cut": False, **reads}, columns)
    return found


@pytest.mark.parametrize(
    ("item", "seen"),
    [
        ("props#2[a] AS x#4", False),
        ("element_at(props#2, a, None, true) AS x#4", False),
        ("(size(props#2, false) + props#2[k]) AS x#4", False),
        ("CASE WHEN isnotnull(props#2) THEN props#2[a] END AS x#4", False),
        ("props#2", False),
        ("props#2 AS p#4", False),
        ("to_json(props#2, Some(UTC)) AS x#4", True),
        ("map_keys(props#2)[0] AS x#4", True),
        ("props#2[to_json(props#2)] AS x#4", True),
        ("cast(props#2 as string) AS x#4", True),
        ("array_size(props#2) AS x#4", True),
        ("count(distinct props#2) AS x#4", True),
    ],
)
def test_what_is_asked_of_it(item: str, seen: bool) -> None:
    assert whole(question("id#1L", f"Project [id#1L, {item}]", BASE)) == ["props"] * seen


def test_under_other_names() -> None:
    for item, seen in {
        "attributes#9[a] AS x#4": False,
        "map_keys(attributes#9) AS x#4": True,
    }.items():
        assert whole(question("id#1L", f"Project [{item}]", VIEW)) == ["props"] * seen
    define = node("CTERelationDef 0, false", node("Project [props#2 AS p#5]", BASE))
    ref = "CTERelationRef 0, true, [p#6], false, false"
    for item, seen in {"p#6[a] AS x#4": False, "map_entries(p#6) AS x#4": True}.items():
        plan = node("WithCTE", define, node(f"Project [{item}]", ref))
        assert whole(question("x#4", plan)) == ["props"] * seen


def test_in_other_operators() -> None:
    for text, seen in {
        "Filter (props#2[a] > 1)": False,
        "Filter (to_json(props#2) = x)": True,
        "Generate explode(props#2), false, x, [k#7, v#8]": False,
        "Generate posexplode(props#2), false, x, [p#6, k#7, v#8]": True,
        "Sort [map_keys(props#2)[0] ASC NULLS FIRST], true": True,
    }.items():
        assert whole(question("id#1L", text, BASE)) == ["props"] * seen, text


def test_what_nobody_can_tell() -> None:
    plan = question("id#1L", "Project [id#1L, props#2[a] AS x#4]", BASE)
    assert whole(plan) == []
    assert whole(plan, cut=True) == ["props"]
    for type_ in ("map<string,map<int,int>>", "struct<p:map<int,int>>"):
        assert whole(plan, type_) == ["props"]
