"""Replaying a rename chain from any of its points: undo until both renames are done."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import Foreign, View, delta
from ...kit.harness import Dbt

SPEC = {"schema": "shop", "identifier": "v", "database": None}
SWAP = {"identifier": "v", "kind": "parquet", "new": "new", "backup": "backup"}
OLD, NEW = Foreign(), delta(1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"v": OLD}, {"v": OLD}),
        ({"v": OLD, "new": NEW}, {"v": OLD}),
        ({"backup": OLD, "new": NEW}, {"v": OLD}),
        ({"backup": OLD, "v": NEW}, {"v": NEW}),
        ({"v": NEW}, {"v": NEW}),
    ],
)
def test_replay(before: dict[str, Any], after: dict[str, Any]) -> None:
    dbt = Dbt()
    dbt.engine.tables = {f"spark_catalog.shop.{name}": table for name, table in before.items()}
    wanted = {f"spark_catalog.shop.{name}": table for name, table in after.items()}
    for _ in range(2):
        dbt("_replay_swap", SPEC, SWAP, {"id": "j", "dry_run": False})
        assert dbt.engine.tables == wanted


@pytest.mark.parametrize("here", [{}, {"v": View("select 1", [])}])
def test_nothing_to_rename_where_the_backup_is_gone(here: dict[str, Any]) -> None:
    dbt = Dbt()
    dbt.engine.tables = {f"spark_catalog.shop.{name}": table for name, table in here.items()}
    swap = {**SWAP, "kind": "view"}
    dbt("_replay_swap", {**SPEC, "mview_id": "m"}, swap, {"id": "j", "dry_run": False})
    assert [one.step for one in dbt.engine.writes] == ["recover_new"]
