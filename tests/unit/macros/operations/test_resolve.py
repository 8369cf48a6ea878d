"""The view that a user means."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt, DbtError, Model
from ...kit.nasty import NASTY

MODELS = [
    Model("totals"),
    Model("daily", schema="Mart", config={"alias": "Daily_v2"}),
    Model("twice", schema="a"),
    Model("twice", schema="b", config={"alias": "twice"}),
]


def project() -> Dbt:
    models = [*MODELS[:3]]
    dbt = Dbt(None, *models)
    dbt.context["graph"]["nodes"]["model.other.twice"] = MODELS[3].node()
    dbt.engine.state("spark_catalog.old.gone", spec={"schema": "Old", "identifier": "Gone"})
    dbt.engine.state("cat.old.foreign")
    return dbt


@pytest.mark.parametrize(
    ("view", "name"),
    [
        ("totals", "shop.totals"),
        ("TOTALS", "shop.totals"),
        ("shop.totals", "shop.totals"),
        ("spark_catalog.shop.totals", "shop.totals"),
        ("daily", "Mart.Daily_v2"),
        ("daily_v2", "Mart.Daily_v2"),
        ("mart.daily_v2", "Mart.Daily_v2"),
        ("a.twice", "a.twice"),
        ("gone", "Old.Gone"),
        ("old.gone", "Old.Gone"),
        ("foreign", "cat.old.foreign"),
    ],
)
def test_resolve(view: str, name: str) -> None:
    assert project()("_resolve", view).render() == name


def test_ambiguous() -> None:
    with pytest.raises(DbtError) as error:
        project()("_resolve", "twice")
    assert str(error.value) == (
        "dbt_mview: twice: is ambiguous: spark_catalog.a.twice, spark_catalog.b.twice of this"
        " project or its state. Name it by model or by schema.identifier; mview_info without a"
        " view lists all."
    )


@pytest.mark.parametrize("view", ["tables", "otals", "hop.totals", "%", *NASTY[1:]])
def test_unknown(view: str) -> None:
    with pytest.raises(DbtError, match="is no materialized view of this project or its state"):
        project()("_resolve", view)


@pytest.mark.parametrize(
    "operation", ["mview_refresh", "mview_info", "mview_history", "mview_drop"]
)
@pytest.mark.parametrize("view", NASTY[1:])
def test_no_argument_reaches_the_engine_unless_it_names_a_view(operation: str, view: str) -> None:
    dbt = project()
    dbt.engine.built_state()
    with pytest.raises(DbtError):
        dbt.operation(operation, view=view)
    if view.strip():
        assert all(view not in one.sql for one in dbt.engine.log if len(view) > 2)
    assert dbt.engine.writes == []


def test_versions_as_dbt_names_them() -> None:
    dbt = Dbt(None, Model("dim", config={"alias": "dim_v1"}), Model("other"))
    nodes = dbt.context["graph"]["nodes"]
    nodes["model.shop.dim"]["version"] = 1
    nodes["model.shop.dim.v2"] = {**Model("dim", config={"alias": "dim_v2"}).node(), "version": 2}
    assert dbt("_resolve", "dim.v2").render() == "shop.dim_v2"
    assert dbt("_resolve", "DIM.v1").render() == "shop.dim_v1"
    with pytest.raises(DbtError, match="is ambiguous"):
        dbt("_resolve", "dim")
