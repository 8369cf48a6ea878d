"""Fencing a holder that may still be alive."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.engine import delta
from ...kit.harness import Dbt

SPEC = {"name": "`shop`.`v`", "mview_id": "spark_catalog.shop.v"}
JOB = {"id": "j", "dry_run": False, "token": 7, "target": {"kind": "delta"}}


def test_fence(golden: Callable[[str, str], None]) -> None:
    dbt = Dbt()
    dbt.engine.tables["spark_catalog.shop.v"] = delta(1)
    dbt("_fence", SPEC, JOB)
    assert dbt.engine.steps == ["fence"]
    golden("fence", dbt.engine.sql("fence"))


@pytest.mark.parametrize("kind", ["missing", "view", "parquet"])
def test_only_a_delta_table_can_be_fenced(kind: str) -> None:
    dbt = Dbt()
    dbt("_fence", SPEC, {**JOB, "target": {"kind": kind}})
    assert dbt.engine.log == []
