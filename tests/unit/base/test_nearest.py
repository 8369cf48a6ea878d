"""What a user who mistyped a word may have meant."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts.resources.v1.model import ModelConfig

from ..kit.harness import Dbt, DbtError, Model
from ..kit.scenes import VIEW, new


@pytest.mark.parametrize(
    ("left", "right", "apart"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "abc", 0),
        ("refesh", "refresh", 1),
        ("refrehs", "refresh", 1),
        ("uniq_key", "unique_key", 2),
        ("partitioned_by", "partition_by", 2),
        ("kitten", "sitting", 3),
        ("ab", "ba", 1),
    ],
)
def test_edit_distance(left: str, right: str, apart: int) -> None:
    assert Dbt()("_edit_distance", left, right) == apart
    assert Dbt()("_edit_distance", right, left) == apart


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("total", "totals"),
        ("TOTLAS", "totals"),
        ("ttl", None),
        ("orders_dayly", "orders_daily"),
        ("orders_dai", "orders_daily"),
        ("order_da", None),
        ("", None),
        ("to", None),
        (None, None),
    ],
)
def test_nearest(word: Any, nearest: str | None) -> None:
    assert Dbt()("_nearest", word, ["orders_daily", "totals"]) == nearest


def test_of_two_the_nearest() -> None:
    assert Dbt()("_nearest", "orders_v2x", ["orders_v1", "orders_v2"]) == "orders_v2"


# Configs that are none of the package's, but meant for it.


def check(**config: Any) -> None:
    Dbt(None, Model(config=config))("_check_config_names", VIEW)


@pytest.mark.parametrize(
    ("config", "meant"),
    [
        ("uniq_key", "unique_key"),
        ("refesh", "refresh"),
        ("Refresh", "refresh"),
        ("partitioned_by", "partition_by"),
        ("cluster_by", "liquid_clustered_by"),
        ("liquid_cluster_by", "liquid_clustered_by"),
        ("refresh_mode", "refresh"),
        ("table_properties", "tblproperties"),
        ("audits", "audit"),
        ("read_consistancy", "read_consistency"),
    ],
)
@pytest.mark.parametrize("in_meta", [False, True])
def test_a_mistyped_config(config: str, meant: str, in_meta: bool) -> None:
    with pytest.raises(DbtError) as error:
        check(**({"meta": {config: "x"}} if in_meta else {config: "x"}))
    assert str(error.value) == f"dbt_mview: {VIEW}: unknown config {config}; did you mean {meant}?"


def test_before_any_lock_and_before_the_engine_is_asked() -> None:
    dbt = new(Model(config={"refesh": "fast"}))
    (result,) = dbt.run()
    assert result.status == "error" and "did you mean refresh?" in result.message
    assert not [one for one in dbt.engine.log if "step=acquire" in one.sql]


def test_keys_of_dbt_and_of_others_pass() -> None:
    of_dbt = [
        field.name for kind in (ModelConfig, SparkConfig) for field in dataclasses.fields(kind)
    ]
    of_databricks = "databricks_tags zorder compression query_tags auto_liquid_cluster".split()
    own = [
        "owner",
        "scheduler",
        "built",
        "scheduled",
        "team",
        "edit",
        "refreshed_by",
        "pii",
        "rebuild",
    ]
    names = [*of_dbt, "pre-hook", "post-hook", *of_databricks, *own]
    given: dict[str, Any] = {name: {} for name in names}
    check(**{**given, "meta": dict.fromkeys(own)})
    check(meta={1: "x", "dbt_mview": {"priority": 1}})
