"""Step sweep."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt

SPEC = {
    "definition": "x", "stored": {}, "schema": "shop", "identifier": "v",
    "database": None,
}  # fmt: skip
JOB = {
    "id": "j1", "dry_run": False, "staged": False, "publish": "insert", "holder": None,
    "target": {"kind": "view"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "statements"),
    [
        ({}, []),
        ({"staged": True}, ["drop table if exists `shop_mview`.`mview_stage_j1`"]),
        (
            {"publish": "swap"},
            ["drop view if exists `shop`.`dbt_mview_backup_j1`"],
        ),
        (
            {"publish": "swap", "target": {"kind": "parquet"}},
            ["drop table if exists `shop`.`dbt_mview_backup_j1`"],
        ),
    ],
)
def test_sweep(changes: Any, statements: list[str]) -> None:
    dbt = Dbt()
    dbt("_sweep", SPEC, {**JOB, **changes})
    assert [one.sql.split("\n")[1] for one in dbt.engine.log] == statements
    assert set(dbt.engine.steps) <= {"sweep"}
