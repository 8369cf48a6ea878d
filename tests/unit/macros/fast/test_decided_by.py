"""Whether it depends on some values which rows there are."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import FACTS, GROUPED, chain, find, tree

DBT = Dbt()


def decided(plan: str, *ids: str) -> bool:
    nodes = tree(DBT, plan)
    found: bool = DBT("_is_decided_by", nodes, find(nodes, "Aggregate"), list(ids))
    return found


@pytest.mark.parametrize(
    ("above", "decides"),
    [
        ("SubqueryAlias x", False),
        ("Filter (n#10L > 1)", True),
        ("Filter (k#2 > 1)", False),
        ("Project [n#10L, ... 30 more fields]", True),
        ("Generate explode(array(n#10L)), false, [x#30]", True),
        ("GlobalLimit 5", True),
    ],
)
def test_operators(above: str, decides: bool) -> None:
    """What is not known decides."""
    assert decided(chain("Project [k#2]", above, GROUPED, FACTS), "10") is decides
