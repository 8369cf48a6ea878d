"""The views that a view reads."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt, Model
from ...kit.scenes import VIEW

BASE = Model("base")
VIEW_MODEL = Model().unique_id


def read_by(model: Model, *others: Model) -> list[str]:
    dbt = Dbt(None, model, *others)
    found: list[str] = dbt("_views_read_by", dbt.context["graph"]["nodes"][model.unique_id])
    return found


@pytest.mark.parametrize("kind", ["ephemeral", "view"])
def test_through_what_becomes_part_of_its_query(kind: str) -> None:
    between = Model("between", materialized=kind, parents=[BASE.unique_id])
    assert read_by(Model(parents=[between.unique_id]), between, BASE) == ["spark_catalog.shop.base"]


@pytest.mark.parametrize("kind", ["table", "incremental", "seed", "materialized_view_log"])
def test_no_further_than_a_table(kind: str) -> None:
    between = Model("between", materialized=kind, parents=[BASE.unique_id])
    assert read_by(Model(parents=[between.unique_id]), between, BASE) == []


def test_the_next_view_ends_it() -> None:
    middle = Model("middle", parents=[BASE.unique_id])
    top = Model("top", parents=[middle.unique_id, "source.shop.raw.orders"])
    assert read_by(top, middle, BASE) == ["spark_catalog.shop.middle"]


def test_a_view_that_is_reached_twice_is_one() -> None:
    sides = [Model(name, materialized="view", parents=[VIEW_MODEL]) for name in ("b", "a")]
    top = Model("top", parents=[*(side.unique_id for side in sides), BASE.unique_id])
    assert read_by(top, *sides, BASE, Model()) == ["spark_catalog.shop.base", VIEW]


def test_a_graph_of_many_ways() -> None:
    """Thirty plain views on each other, each joined twice: a billion ways, sixty looks."""
    models = [BASE]
    for level in range(30):
        below = [models[-1].unique_id, models[-2].unique_id] if level else [BASE.unique_id]
        models.append(Model(f"v{level}", materialized="view", parents=below))
    assert read_by(Model(parents=[models[-1].unique_id]), *models) == ["spark_catalog.shop.base"]
