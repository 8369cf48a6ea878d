"""The rename chain and its replay."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Foreign, View, delta
from ..kit.harness import Dbt, DbtError
from ..kit.records import as_job
from ..kit.scenes import VIEW

# The rename chain and its replay.


SPEC = {"mview_id": VIEW, "database": None, "schema": "shop"}
JOB = as_job({"id": "j", "token": 3, "dry_run": False})


@pytest.mark.parametrize(
    ("kind", "word"), [("view", "view"), ("delta", "table"), ("hive", "table")]
)
def test_rename_and_drop(kind: str, word: str) -> None:
    dbt = Dbt()
    dbt.engine.tables["spark_catalog.shop.a`b"] = object()
    dbt("_rename_relation", SPEC, "swap_out", kind, "a`b", "c", JOB)
    dbt("_drop_chain_relation", SPEC, "sweep", kind, "c", JOB)
    assert [one.sql.split("\n")[1] for one in dbt.engine.log] == [
        f"alter {word} `shop`.`a``b` rename to `shop`.`c`",
        f"drop {word} if exists `shop`.`c`",
    ]
    assert dbt.engine.tables == {}


@pytest.mark.parametrize(
    ("row", "ours"),
    [
        ({"lock_token": 3, "refresh_job_id": "j"}, True),
        ({"lock_token": 4, "refresh_job_id": "j"}, False),
        ({"lock_token": 3, "refresh_job_id": "k"}, False),
        ({"lock_token": 3, "refresh_job_id": "j", "lock_owner": None}, False),
        (None, False),
    ],
)
def test_check_lock_is_ours(row: dict[str, object] | None, ours: bool) -> None:
    dbt = Dbt()
    if row:
        dbt.engine.state(VIEW, **{"lock_owner": "run", **row})
    if ours:
        dbt("_check_lock_is_ours", SPEC, JOB)
    else:
        with pytest.raises(DbtError, match="lock lost: another run took over the refresh"):
            dbt("_check_lock_is_ours", SPEC, JOB)


# Replaying a rename chain from any of its points: undo until both renames are done.


SWAPPED = {"schema": "shop", "identifier": "v", "database": None}
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
        dbt("_replay_rename_chain", SWAPPED, SWAP, as_job({"id": "j", "dry_run": False}))
        assert dbt.engine.tables == wanted


@pytest.mark.parametrize("here", [{}, {"v": View("select 1", [])}])
def test_nothing_to_rename_where_the_backup_is_gone(here: dict[str, Any]) -> None:
    dbt = Dbt()
    dbt.engine.tables = {f"spark_catalog.shop.{name}": table for name, table in here.items()}
    swap = {**SWAP, "kind": "view"}
    dbt(
        "_replay_rename_chain",
        {**SWAPPED, "mview_id": "m"},
        swap,
        as_job({"id": "j", "dry_run": False}),
    )
    assert [one.step for one in dbt.engine.writes] == ["recover_new"]
