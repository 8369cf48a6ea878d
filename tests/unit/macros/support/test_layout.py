"""What the table is made of, and what Delta cannot be made of."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError, Model

SPEC = {"mview_id": "spark_catalog.shop.totals", "identifier": "totals"}


def layout(**config: Any) -> Any:
    return Dbt(None, Model(config=config))("_layout_from_model", SPEC)


def test_without_configs() -> None:
    assert layout() == {
        "partition_by": [],
        "liquid_clustered_by": [],
        "location": None,
        "tblproperties": {},
        "constraints": {},
    }


def test_with_configs() -> None:
    found = layout(
        partition_by="day",
        location_root="/data/",
        tblproperties={"delta.appendOnly": False, "n": 1},
        file_format="delta",
    )
    assert found["partition_by"] == ["day"]
    assert found["location"] == "/data/totals"
    assert found["tblproperties"] == {"delta.appendOnly": "false", "n": "1"}
    assert layout(liquid_clustered_by=["a", "b"])["liquid_clustered_by"] == ["a", "b"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"clustered_by": "a"}, "Delta tables have no buckets"),
        ({"buckets": 4}, "Delta tables have no buckets"),
        ({"file_format": "parquet"}, "file_format is 'parquet'"),
        ({"partition_by": "a", "liquid_clustered_by": "b"}, "exclude each other"),
    ],
)
def test_refused(config: Any, message: str) -> None:
    with pytest.raises(DbtError, match=message):
        layout(**config)
