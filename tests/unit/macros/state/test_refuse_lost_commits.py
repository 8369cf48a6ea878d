"""State on a store that loses commits of two writers."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Engine
from ...kit.harness import Dbt, DbtError

ONES_OWN = "dbt_mview.ConditionalLogStore"


def begin(place: str, settings: dict[str, str] | None = None, **options: Any) -> Engine:
    """The first run of a project whose schema of state lies there."""
    engine = Engine()
    engine.place, engine.settings = place, settings or {}
    Dbt(engine, **options)("_ensure_state")
    return engine


@pytest.mark.parametrize("scheme", ["s3", "S3A", "s3n"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.delta.logStore.gs.impl": ONES_OWN},
        {"spark.delta.logStore.class": "io.delta.storage.S3SingleDriverLogStore"},
        {"spark.delta.logStore.{}.impl": "io.delta.storage.GCSLogStore"},
    ],
)
def test_refused_before_anything_is_made(scheme: str, settings: dict[str, str]) -> None:
    named = {key.format(scheme.lower()): value for key, value in settings.items()}
    engine = Engine()
    engine.schemas.add("shop_mview")
    engine.place, engine.settings = f"{scheme}://bucket/state", named
    with pytest.raises(DbtError) as error:
        Dbt(engine)("_ensure_state")
    text = str(error.value)
    assert f"shop_mview: state would lie in {scheme}://bucket/state, and Delta's own log" in text
    assert f"spark.delta.logStore.{scheme.lower()}.impl" in text
    assert "contrib/s3-log-store" in text
    assert "dbt_mview:single_writer: true" in text
    assert engine.writes == []


@pytest.mark.parametrize("place", ["file:/x", "/x", "hdfs://n/x", "abfss://c@a/x", "gs://b/x", ""])
def test_other_stores_exclude_by_themselves(place: str) -> None:
    assert "read_log_store" not in begin(place).steps


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.delta.logStore.s3a.impl": "io.delta.storage.S3DynamoDBLogStore"},
        {"spark.delta.logStore.class": ONES_OWN},
    ],
)
def test_a_log_store_that_excludes(settings: dict[str, str]) -> None:
    assert "ensure_state" in begin("s3a://bucket/state", settings).steps


@pytest.mark.parametrize("said", [True, "true", "True"])
def test_one_writer(said: Any) -> None:
    engine = begin("s3a://bucket/state", variables={"dbt_mview:single_writer": said})
    assert "ensure_state" in engine.steps and "read_place" not in engine.steps


def test_what_is_no_answer() -> None:
    with pytest.raises(DbtError, match=r"single_writer: 'yes' is neither true nor false\."):
        begin("s3a://bucket/state", variables={"dbt_mview:single_writer": "yes"})


def test_state_that_is_there_is_not_asked_for() -> None:
    engine = begin("file:/x")
    engine.place = "s3a://bucket/state"
    engine.forget()
    Dbt(engine)("_ensure_state")
    assert "read_place" not in engine.steps
