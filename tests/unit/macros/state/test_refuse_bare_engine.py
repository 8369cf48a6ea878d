"""A Spark without Delta's extension, on the first run."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine
from ...kit.harness import Dbt, DbtError


@pytest.mark.parametrize("value", ["", None])
def test_refused_before_a_table_is_made(value: str | None) -> None:
    engine = Engine()
    engine.extensions = value
    with pytest.raises(DbtError, match=r"this engine: spark\.sql\.extensions is not set"):
        Dbt(engine)("_ensure_state")
    assert engine.state_tables == {}


def test_an_extension_of_any_name_is_one() -> None:
    engine = Engine()
    engine.extensions = "com.shop.Extensions,io.delta.sql.DeltaSparkSessionExtension"
    Dbt(engine)("_ensure_state")
    assert "mview_refresh_info" in engine.state_tables


def test_databricks_is_not_asked() -> None:
    engine = Engine()
    engine.extensions = None
    Dbt(engine, catalog="main")("_ensure_state")
    assert "read_extensions" not in engine.steps and engine.state_tables
