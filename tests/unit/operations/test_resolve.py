"""What a user means by a name, and who answers for it."""

from __future__ import annotations

import pytest

from ..kit.harness import Dbt, DbtError, Model
from ..kit.nasty import NASTY
from ..kit.scenes import VIEW, built

# The view that a user means.


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


# Who answers for a view.


def test_owner() -> None:
    dbt = built()
    mine = dbt("_owner_of")
    assert dbt("_owner_of", dbt("_read_state", VIEW)) == mine and None not in mine
    assert Dbt()("_owner_of", {"spec": None}) == [None, None, None] != mine


# What cannot be refreshed or explained without its model.


@pytest.mark.parametrize("state", [None, {"definition": None}])
def test_a_view_without_a_definition(state: object) -> None:
    dbt = built()
    told = rf"{VIEW}: state has no definition of it\. Build the view once with .*--select totals`"
    with pytest.raises(DbtError, match=told):
        dbt("_check_definition", dbt("_resolve", "totals"), state)


def test_a_view_that_was_built() -> None:
    dbt = built()
    dbt("_check_definition", dbt("_resolve", "totals"), dbt("_read_state", VIEW))


# The views that a view reads.


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


# What is said of a name that is none.


def test_no_name() -> None:
    dbt = project()
    dbt.engine.built_state()
    missing = r"the argument view: is missing\. Give it, as in --args '\{view: totals\}'"
    for given in ({"view": None}, {"view": " "}, {}):
        with pytest.raises(DbtError, match=missing):
            dbt.operation("mview_drop", **given)
    with pytest.raises(DbtError, match=r"the argument to: is missing.*\{table: orders_daily, from"):
        dbt.operation("mview_diff", table="totals", **{"from": 1})
    with pytest.raises(DbtError, match=r"the argument run: is missing"):
        dbt.operation("mview_note_failures", failures={})
    with pytest.raises(DbtError, match=r"the argument times: is missing"):
        dbt.operation("mview_plan")
    assert dbt.engine.writes == []


@pytest.mark.parametrize(
    ("view", "meant"),
    [
        ("total", "totals"),
        ("Dailly", "daily"),
        ("old.gonne", "old.gone"),
        ("shop.total", "shop.totals"),
    ],
)
def test_a_typo(view: str, meant: str) -> None:
    with pytest.raises(DbtError) as error:
        project()("_resolve", view)
    assert str(error.value) == (
        f"dbt_mview: {view}: is no materialized view of this project or its state. Did you mean"
        f" {meant}? Name it by model or by schema.identifier; mview_info without a view lists all."
    )


@pytest.mark.parametrize("kind", ["table", "view", "incremental", "ephemeral"])
def test_a_model_that_is_no_view(kind: str) -> None:
    dbt = Dbt(None, Model(), Model("stg_orders", materialized=kind))
    for name in ("stg_orders", "shop.STG_orders"):
        with pytest.raises(DbtError) as error:
            dbt("_resolve", name)
        assert f"is a model with materialized '{kind}', no materialized view of" in str(error.value)


def test_a_log_a_seed_and_a_source() -> None:
    dbt = Dbt(None, Model(), Model("log", materialized="materialized_view_log"))
    assert dbt("_what_is_called", "log") == "a materialized view log, no materialized view"
    assert dbt("_what_is_called", "totals", "log") == (
        "a materialized view, no materialized view log"
    )
    seed = {**Model("rates").node(), "resource_type": "seed"}
    dbt.context["graph"]["nodes"]["seed.shop.rates"] = seed
    source = {**Model("orders").node(), "resource_type": "source", "identifier": "orders"}
    dbt.context["graph"]["sources"] = {"source.shop.raw.orders": source}
    dbt.context["graph"]["nodes"]["seed.shop.rates"]["config"] = {"materialized": "seed"}
    source["config"] = {"enabled": True}
    assert dbt("_what_is_called", "rates") == "a seed, no materialized view"
    assert dbt("_what_is_called", "shop.orders") == "a source, no materialized view"
    assert dbt("_what_is_called", "nothing") is None
