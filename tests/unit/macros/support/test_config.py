"""Configs with few values: understood, or refused with all that is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model

SPEC = {"mview_id": "spark_catalog.shop.totals"}


def dbt_with(**config: Any) -> Dbt:
    return Dbt(None, Model(config=config))


def test_configs_may_stand_in_meta() -> None:
    """Where dbt v2 and dbt-databricks want those that they do not know; what stands beside wins."""
    dbt = dbt_with(build="deferred", meta={"refresh": "fast", "build": "immediate", "audit": False})
    assert dbt("_refresh_method", SPEC) == "fast"
    assert [dbt("_config", name, "d") for name in ("build", "audit", "purge")] == [
        "deferred",
        False,
        "d",
    ]
    assert dbt("_config", "purge", configs={"meta": {"purge": "x"}}) == "x"
    assert dbt("_config", "purge", configs={}) is None


@pytest.mark.parametrize(
    ("given", "method"),
    [
        (None, "auto"),
        ("auto", "auto"),
        ("AUTO", "auto"),
        ("force", "auto"),
        ("complete", "complete"),
        ("Full", "complete"),
        ("fast", "fast"),
        ("Incremental", "fast"),
    ],
)
def test_refresh_method(given: str | None, method: str) -> None:
    config = {} if given is None else {"refresh": given}
    assert dbt_with(**config)("_refresh_method", SPEC) == method


def test_the_method_of_a_run_operation_goes_before_the_config() -> None:
    assert dbt_with(refresh="auto")("_refresh_method", SPEC, "complete") == "complete"


@pytest.mark.parametrize("given", ["sometimes", "", 3])
def test_an_unknown_word_is_refused(given: Any) -> None:
    message = f"totals: refresh is '{given}'. Use one of: auto, complete, fast.".lower()
    if given == "":
        assert dbt_with(refresh=given)("_one_of", SPEC, "x", "a", ["a"]) == "a"
        return
    with pytest.raises(DbtError) as error:
        dbt_with(refresh=given)("_refresh_method", SPEC)
    assert message in str(error.value).lower()


def test_one_of() -> None:
    dbt = Dbt()
    assert dbt("_one_of", SPEC, "build", "Deferred", ["immediate", "deferred"]) == "deferred"
    with pytest.raises(
        DbtError, match=r"totals: build is 'late'\. Use one of: immediate, deferred\."
    ):
        dbt("_one_of", SPEC, "build", "late", ["immediate", "deferred"])


@pytest.mark.parametrize(
    ("config", "mode"),
    [
        ({}, "sync_all_columns"),
        ({"on_schema_change": "ignore"}, "ignore"),
        ({"on_schema_change": "Append_New_Columns"}, "append_new_columns"),
    ],
)
def test_on_schema_change_counts_only_where_the_user_wrote_it(config: Any, mode: str) -> None:
    assert dbt_with(**config)("_on_schema_change", SPEC) == mode


def test_on_schema_change_unknown() -> None:
    with pytest.raises(DbtError, match="on_schema_change is 'drop'"):
        dbt_with(on_schema_change="drop")("_on_schema_change", SPEC)
