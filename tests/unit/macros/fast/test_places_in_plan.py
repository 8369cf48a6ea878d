"""The tables of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt
from ...kit.plans import DIMS, FACTS, node, tree

DBT = Dbt()


def test_every_place_by_its_turn() -> None:
    plan = node("Join Inner", node("Join Inner", FACTS, DIMS), node("Filter x", FACTS))
    assert DBT("_places_in_plan", tree(DBT, plan)) == {
        2: {"relation": "spark_catalog.shop.facts", "name": "spark_catalog.shop.facts 0"},
        3: {"relation": "spark_catalog.shop.dims", "name": "spark_catalog.shop.dims 0"},
        5: {"relation": "spark_catalog.shop.facts", "name": "spark_catalog.shop.facts 1"},
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FACTS, "spark_catalog.shop.facts"),
        ("Relation spark_catalog.Shop.Facts[] parquet", "spark_catalog.shop.facts"),
        ("RelationV2[a#1, b c#2] ice.db.t ice.db.t", "ice.db.t"),
        ("RelationV2[a#1] ice.db.t VERSION AS OF '3'", "ice.db.t"),
        ("LocalRelation [a#1]", None),
        ("View (`spark_catalog`.`shop`.`v`, [k#2])", None),
    ],
)
def test_relation_name(text: str, name: Any) -> None:
    assert DBT("_relation_name", tree(DBT, text)[0]) == name
