"""The rename chain and its replay."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.scenes import VIEW

SPEC = {"mview_id": VIEW, "database": None, "schema": "shop"}
JOB = {"id": "j", "token": 3, "dry_run": False}


@pytest.mark.parametrize(
    ("kind", "word"), [("view", "view"), ("delta", "table"), ("hive", "table")]
)
def test_rename_and_drop(kind: str, word: str) -> None:
    dbt = Dbt()
    dbt.engine.tables["spark_catalog.shop.a`b"] = object()
    dbt("_rename", SPEC, "swap_out", kind, "a`b", "c", JOB)
    dbt("_drop_sibling", SPEC, "sweep", kind, "c", JOB)
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
