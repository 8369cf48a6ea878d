"""What is made of which attributes."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, chain, node, tree

DBT = Dbt()


def made(plan: str) -> dict[str, set[str]]:
    return {one["id"]: set(one["uses"]) for one in DBT("_made_of", tree(DBT, plan))}


def test_items_of_operators() -> None:
    group = "Aggregate [k#2, (k#2 + id#1L)], [(k#2 + id#1L) AS g#9L, sum(amt#3) AS total#10]"
    window = "Window [max(g#9L) windowspecdefinition(total#10) AS top#11], [total#10]"
    plan = chain("Project [g#9L, upper(name#6) AS u#20]", window, group, FACTS)
    assert made(plan) == {
        "20": {"6"},
        "11": {"9", "10"},
        "9": {"1", "2"},
        "10": {"3"},
    }


def test_places_of_a_union() -> None:
    union = node("Union", node("Project [id#1L, k#2]", FACTS), DIMS)
    ids = [(one["id"], one["uses"]) for one in DBT("_made_of", tree(DBT, union))]
    assert ids == [("1", ["1"]), ("2", ["2"]), ("1", ["5"]), ("2", ["6"])]
