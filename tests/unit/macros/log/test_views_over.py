"""The views of a project that read a table."""

from __future__ import annotations

from typing import Any

from ...kit.harness import Dbt, Model

SOURCE = {"unique_id": "source.p.orders", "resource_type": "source", "database": None}
SOURCE |= {"schema": "shop", "name": "orders", "identifier": "orders"}


def project(kinds: dict[str, str], parents: dict[str, list[str]]) -> Dbt:
    models = [Model(name, materialized=kind) for name, kind in kinds.items()]
    dbt = Dbt(None, *models)
    graph: Any = dbt.context["graph"]
    graph["sources"] = {SOURCE["unique_id"]: SOURCE}
    for name, found in parents.items():
        ids = [one if "." in one else f"model.shop.{one}" for one in found]
        graph["nodes"][f"model.shop.{name}"]["depends_on"] = {"nodes": ids}
    return dbt


def over(dbt: Dbt, base: str = "spark_catalog.shop.orders") -> list[str]:
    return sorted(name.split(".")[2] for name in dbt("_views_over", base))


def test_direct_and_through_views() -> None:
    kinds = {"direct": "mview", "staging": "view", "passing": "ephemeral", "far": "mview"}
    kinds |= {"table": "table", "behind": "mview", "log": "materialized_view_log"}
    dbt = project(
        kinds,
        {
            "direct": ["source.p.orders"],
            "staging": ["source.p.orders"],
            "passing": ["staging"],
            "far": ["passing"],
            "table": ["staging"],
            "behind": ["table"],
            "log": ["source.p.orders"],
        },
    )
    assert over(dbt) == ["direct", "far"]
    assert over(dbt, "spark_catalog.shop.table") == ["behind"]
    assert over(dbt, "spark_catalog.shop.nothing") == []


def test_two_ways_to_one_view() -> None:
    dbt = project(
        {"left": "view", "right": "view", "both": "mview"},
        {
            "left": ["source.p.orders", "right"],
            "right": ["source.p.orders"],
            "both": ["left", "right"],
        },
    )
    assert over(dbt) == ["both"]
