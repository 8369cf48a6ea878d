"""COMPLETE that publishes the difference: where, as what, and what is told and remembered of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Engine
from ..kit.harness import Dbt, Model
from ..kit.records import as_delta_plan
from ..kit.scenes import FOLLOWER, VIEW, again, built, change_source, changed, transcript

COMPLETE = {"refresh": "complete"}


def followed(config: dict[str, Any] | None = None, *others: Model, **options: Any) -> Dbt:
    """A view of this config that is built, and whose source changed; a view over it, or others."""
    model = Model(config=COMPLETE if config is None else config)
    dbt = again(built(model), model, *(others or [FOLLOWER]), **options)
    change_source(dbt)
    return dbt


def columns(**types: str) -> list[dict[str, str]]:
    return [
        {"name": name, "type": type_, "expression": f"`{name}`"} for name, type_ in types.items()
    ]


def steps(dbt: Dbt) -> list[str]:
    return [one.step for one in dbt.engine.writes if one.step != "grants"]


def test_the_difference_is_published(golden: Golden) -> None:
    dbt = followed()
    (result,) = dbt.run()
    assert result.message == "COMPLETE v1, 6 rows differ: shop.orders v2 -> v3"
    assert steps(dbt) == ["acquire", "stage", "publish", "sweep", "record", "record"]
    golden("refresh_difference", transcript(dbt, "COMPLETE of a view that others read: a MERGE"))
    assert dbt.engine.states[VIEW]["last_refresh_type"] == "complete"
    assert dbt.engine.states[VIEW]["spec"]["took"]["last"][0][:2] == ["difference", 6]


def test_nothing_differs() -> None:
    """The sources are news for state, the view keeps its version."""
    dbt = followed()
    dbt.engine.staged = [0, 0]
    (result,) = dbt.run()
    assert result.message == "COMPLETE v0, 0 rows differ: shop.orders v2 -> v3"
    assert steps(dbt) == ["acquire", "stage", "sweep", "record", "record"]
    state = dbt.engine.states[VIEW]
    assert (state["target_version"], state["sources"][0]["version"]) == (0, 3)


def test_what_it_takes_counts_as_complete() -> None:
    took = {"last": [["difference", 6, 3.0], ["first", 0, 50.0]]}
    assert Dbt()("_expected_cost", took, 10)["complete"] == 3.0


LOG = Model("totals_log", parents=["model.shop.totals"], materialized="materialized_view_log")
STAGING = Model("stg", parents=["model.shop.totals"], materialized="view")
OVER_STAGING = Model("over", parents=["model.shop.stg"], materialized="materialized_view")


@pytest.mark.parametrize("others", [(FOLLOWER,), (LOG,), (STAGING, OVER_STAGING)])
def test_who_follows(others: tuple[Model, ...]) -> None:
    assert again(built(), Model(), *others)("_is_followed", VIEW) is True


@pytest.mark.parametrize(
    "others", [(), (STAGING,), (Model("other", parents=["model.shop.orders"]),)]
)
def test_who_does_not(others: tuple[Model, ...]) -> None:
    assert again(built(), Model(), *others)("_is_followed", VIEW) is False


def kind(dbt: Dbt) -> str:
    (result,) = dbt.run()
    assert result.status == "success", result.message
    return "difference" if "rows differ" in result.message else result.message.split(" ")[0]


@pytest.mark.parametrize(
    "config",
    [
        {**COMPLETE, "audit": ["total > 0"]},
        # A text of which Delta keeps '' as NULL.
        {**COMPLETE, "partition_by": ["customer"]},
    ],
)
def test_what_is_overwritten(config: dict[str, Any]) -> None:
    dbt = followed(config)
    dbt.engine.audit = [0, 0]
    assert kind(dbt) == "COMPLETE"


@pytest.mark.parametrize("config", [COMPLETE, {}, {**COMPLETE, "unique_key": "customer"}])
def test_what_is_compared(config: dict[str, Any]) -> None:
    """Also where AUTO cannot follow: here the source has no feed."""
    assert kind(followed(config)) == "difference"


def test_a_part_is_overwritten() -> None:
    assert kind(followed(empty=True)) == "COMPLETE"


def test_after_a_failure_it_is_built_anew() -> None:
    """The view's own files may be what failed."""
    dbt = followed()
    dbt.engine.state(VIEW, last_refresh_result="failed")
    assert kind(dbt) == "COMPLETE"


def test_other_configs_and_columns() -> None:
    dbt = again(built(), Model(config={"unique_key": "customer"}), FOLLOWER)
    assert kind(dbt) == "COMPLETE"
    dbt = again(built(), Model(config={"tblproperties": {"a": "1"}, **COMPLETE}), FOLLOWER)
    assert kind(dbt) == "difference"
    assert dbt.engine.sql("alter")


def test_a_large_part_of_the_source_is_no_small_difference() -> None:
    dbt = changed()
    dbt = again(dbt, *dbt.models, FOLLOWER)
    dbt.engine.tables["spark_catalog.shop.orders"].commits[-1].rows = 999
    assert kind(dbt) == "COMPLETE"


@pytest.mark.parametrize(("rows", "found"), [(100, "difference"), (101, "COMPLETE")])
def test_what_differed_much_is_overwritten(rows: int, found: str) -> None:
    """A tenth of the view's rows, which are a thousand."""
    dbt = followed()
    dbt.engine.tables[VIEW].size = 1000
    dbt.engine.states[VIEW]["spec"]["took"] = {
        "last": [["complete", 0, 1.0], ["difference", rows, 1.0], ["difference", 1, 1.0]]
    }
    assert kind(dbt) == found


@pytest.mark.parametrize(
    "type_", ["map<string,int>", "variant", "array<double>", "struct<a:float>", "string collate X"]
)
def test_rows_that_cannot_be_told_apart(type_: str) -> None:
    job = {"reason": {"code": "sources_changed", "also": []}, "columns": columns(a=type_)}
    spec: dict[str, Any] = {"layout": {"partition_by": []}, "stored": {}}
    assert Dbt(Engine())("_differ_by_rows", spec, job) is False


def test_floats_are_compared_as_texts() -> None:
    """0.0 and -0.0 differ, NaN is one value."""
    delta_plan = as_delta_plan({
        "strategy": "row delta", "keys": ["a", "x"], "as_text": ["x"],
        "terms": [{"sign": 1, "sql": "select 1"}, {"sign": -1, "sql": "select 2"}],
    })  # fmt: skip
    dbt = Dbt(Engine())
    job = {"fast": delta_plan, "columns": columns(a="int", x="double"), "id": "j", "bounds": []}
    job = {**job, "invariants": False, "target": {"history": [{"version": 3}]}}
    staged = dbt("_stage_changes_sql", {"name": "`s`.`v`"}, job)
    assert "group by `a`, cast(`x` as string)" in staged
    assert "`a`, min(`x`) as `x`," in staged
    text = "cast(s.`x` as string) <=> cast(v.`x` as string)"
    assert text in dbt("_copies_sql", {"name": "`s`.`v`"}, job)
