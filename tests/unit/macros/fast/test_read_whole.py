"""Plans are read to their last character, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, GROUPED, RANKED, node, question, tables, tree

DBT = Dbt()
JOINED = node("Join Inner, (k#2 = k#5)", FACTS, DIMS)


def whole(plan: str, **reads: Any) -> Any:
    return DBT("_is_read_whole", tree(DBT, plan), {"columns": tables(JOINED), **reads})


@pytest.mark.parametrize(
    "plan",
    [
        question("k#2, n#10L", GROUPED, JOINED),
        question("k#2", RANKED, "Filter (s#4 = x)", FACTS),
        question("note#9, k#2", "Project [ AS note#9, k#2, ... 3 more fields]", FACTS),
        question("k#2", "Project [cast(k#2 as int) AS CAST(k AS INT)#8, k#2]", FACTS),
        question("k#2", FACTS.replace("amt#3,s#4", "... 2 more fields")),
        "OneRowRelation",
    ],
)
def test_whole(plan: str) -> None:
    assert whole(plan) is True


@pytest.mark.parametrize(
    "plan",
    [
        question("k#2", "Project [k#2, a) AS b#9]", FACTS),
        question("k#2", "Filter (s#4 = [)", FACTS),
        question("k#2", "Filter (s#4 = (])", FACTS),
        question("k#2", "Project [k#2, unknown]", FACTS),
        question("k#2", "Project [k#2 AS x#9 AS y#10]", FACTS),
        question("k#2", GROUPED.replace("total#11", "total"), FACTS),
        question("k#2", RANKED.replace("rn#12", "rn"), FACTS),
        question("k#2", FACTS.replace(",s#4", "")),
        question("k#2", FACTS.replace("s#4", "s#4,t#5")),
        question("k#2", FACTS.replace("s#4", "s#x#4")),
        question("k#2", FACTS.replace("s#4", "S#4")),
        question("k#2", FACTS.replace("k#2,amt#3", "amt#2,k#3")),
    ],
)
def test_not_whole(plan: str) -> None:
    assert whole(plan) is False


def test_columns_by_other_names() -> None:
    made = {"made": {"s": "mview_name0_"}}
    assert whole(question("k#2", FACTS.replace("s#4", "mview_name0_#4")), **made) is True
    assert whole(question("k#2", FACTS), **made) is False
