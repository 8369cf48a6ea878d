"""What operators make of the values below them."""

from __future__ import annotations

from ...kit.plans import DIMS, FACTS, GROUPED, chain, node
from .test_decided_by import decided


def test_projections() -> None:
    project = "Project [k#2, (n#10L + 1) AS m#20L]"
    assert decided(chain("Filter (m#20L = 2)", project, GROUPED, FACTS), "10")
    assert not decided(chain("Filter (m#20L = 2)", project, GROUPED, FACTS), "11")


def test_through_a_cte() -> None:
    define = node("CTERelationDef 0, false", chain(GROUPED, FACTS))
    ref = "CTERelationRef 0, true, [k#32, n#30L, total#31], false, false"
    for asked, decides in (("n#30L", True), ("total#31", False)):
        plan = node("WithCTE", define, chain(f"Filter ({asked} > 1)", ref))
        assert decided(plan, "10") is decides


def test_through_a_union() -> None:
    """By their places."""
    groups = chain("Project [n#10L, total#11]", GROUPED, FACTS)
    for first, last in ((groups, DIMS), (DIMS, groups)):
        union = node("Union false, false", first, last)
        names = ("n#10L", "total#11") if first == groups else ("k#5", "name#6")
        assert decided(chain(f"Filter ({names[0]} > 1)", union), "10")
        assert not decided(chain(f"Filter ({names[1]} > x)", union), "10")
