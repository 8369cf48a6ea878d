"""The attributes that are a column under other names."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.plans import FACTS, chain, node, tree

SAME = "[^()#]*#\\d+|cast\\([^()#]*#\\d+ as map<.*>\\)"


def carriers(plan: str) -> list[str]:
    dbt = Dbt()
    return sorted(set(dbt("_carriers", tree(dbt, plan), "s", SAME)), key=int)


def test_carriers() -> None:
    items = "Project [s#4 AS a#20, cast(a#20 as map<int,int>) AS b#21, size(s#4) AS c#22, ks#23]"
    assert carriers(chain(items, FACTS)) == ["4", "20", "21"]
    define = node("CTERelationDef 0, false", node("Project [s#4 AS a#20]", FACTS))
    ref = "CTERelationRef 0, true, [a#30], false, false"
    assert carriers(node("WithCTE", define, ref)) == ["4", "20", "30"]
    union = node("Union", node("Project [k#2]", FACTS), node("Project [s#4]", FACTS))
    assert carriers(union) == ["2", "4"]
