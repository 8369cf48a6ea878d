"""Step sweep."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import View
from ...kit.harness import Dbt, Model
from ...kit.scenes import SECOND, SOURCE, VIEW, again, built, change_source

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


@pytest.mark.parametrize("left", ["stage", "backup"])
def test_what_stays_is_swept_by_the_next_run(left: str) -> None:
    """A run-operation has no hook at its end: the view is published, so nobody has to wait."""
    dbt = built(Model(config={"audit": "total > 0"} if left == "stage" else {}))
    change_source(dbt)
    if left == "stage":
        dbt.engine.audit = [0]
    else:
        dbt.engine.tables[VIEW] = View("select 1", [])
    dbt.engine.on["sweep"] = fail
    with pytest.raises(RuntimeError, match="no storage"):
        dbt.operation("mview_refresh", view="totals")
    assert [name for name in dbt.engine.tables if f"_{left}_" in name]
    assert dbt.engine.states[VIEW]["lock_owner"] == SECOND
    dbt = again(dbt, invocation_id="third")
    (result,) = dbt.run()
    assert result.message.startswith("SKIP nothing changed")
    assert sorted(dbt.engine.tables) == [SOURCE, VIEW]
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def fail(sql: str) -> None:
    raise RuntimeError("no storage")
