"""What is linear in which of its children."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, node, tree

DBT = Dbt()
SIDES = {
    "Inner": [True, True],
    "Cross": [True, True],
    "LeftOuter": [True, False],
    "RightOuter": [False, True],
    "FullOuter": [False, False],
    "LeftSemi": [True, False],
    "LeftAnti": [True, False],
    "ExistenceJoin(exists#9)": [False, False],
    "AsOf": [False, False],
}


@pytest.mark.parametrize("kind", SIDES)
@pytest.mark.parametrize("condition", ["", ", (k#2 = k#5)", ", (k#2 = k#5), rightHint=(x)"])
def test_joins_by_side(kind: str, condition: str) -> None:
    join, left, right = tree(DBT, node(f"Join {kind}{condition}", FACTS, DIMS))
    assert [DBT("_is_linear", join, left), DBT("_is_linear", join, right)] == SIDES[kind]
    assert DBT("_operator_name", join) == f"Join {kind}"


@pytest.mark.parametrize(
    ("text", "linear"),
    [
        ("Project [k#2]", True),
        ("Filter (k#2 > 1)", True),
        ("SubqueryAlias a", True),
        ("View (`c`.`s`.`v`, [k#2])", True),
        ("Sort [k#2 ASC NULLS FIRST], true", True),
        ("Union false, false", True),
        ("Generate explode(a#9), false, [x#10]", True),
        ("Repartition 2, true", True),
        ("RepartitionByExpression [k#2]", True),
        ("ResolvedHint (strategy=broadcast)", True),
        ("WithCTE", True),
        ("GlobalLimit 5", False),
        ("LocalLimit 5", False),
        ("Offset 5", False),
        ("Expand [[k#2, 0], [null, 1]], [k#2, g#9L]", False),
        ("Aggregate [k#2], [k#2]", False),
        ("Distinct", False),
        ("Except false", False),
        ("Intersect true", False),
        ("Window [rank() AS r#3]", False),
        ("Pivot x", False),
        ("LateralJoin lateral-subquery#3 [k#2], Inner", False),
        ("UnionLoop 1", False),
        ("SomeNewOperator", False),
    ],
)
def test_operators(text: str, linear: bool) -> None:
    above, below = tree(DBT, node(text, FACTS))
    assert DBT("_is_linear", above, below) is linear


@pytest.mark.parametrize(
    ("text", "name"),
    [("GlobalLimit 5", "Limit"), ("LocalLimit 5", "Limit"), ("Expand [x]", "Expand")],
)
def test_names_as_users_know_them(text: str, name: str) -> None:
    assert DBT("_operator_name", tree(DBT, text)[0]) == name


def test_what_projects_is_linear() -> None:
    operators = DBT("_operators")
    assert set(operators["projecting"]) < set(operators["linear"])
    assert "Filter" not in operators["projecting"]
