"""State of an older release gets the columns that are new."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine, delta
from ...kit.harness import Dbt, DbtError


def old_state() -> Engine:
    engine = Engine()
    engine.built_state()
    engine.state_tables["mview_refresh_info"] = {"dbt_mview.layout": "1"}
    older = delta(1, columns="mview_id string, INTENT string")
    engine.tables["spark_catalog.shop_mview.mview_refresh_info"] = older
    return engine


def test_columns_that_are_missing_are_added_once() -> None:
    dbt = Dbt(old_state())
    dbt(
        "_upgrade_layout",
        "mview_refresh_info",
        [["intent", "string"], ["failures", "bigint"]],
        2,
        False,
    )
    added, number = (one.sql for one in dbt.engine.writes)
    assert "alter table `shop_mview`.`mview_refresh_info` add columns (failures bigint)" in added
    assert "handler" in added, "another run may have been quicker"
    assert "set tblproperties ('dbt_mview.layout' = '2',\n" in number
    assert "handler" in number, "of two metadata commits at once Delta fails one"


def test_on_first_use() -> None:
    dbt = Dbt(old_state())
    dbt("_ensure_state")
    assert sum("add columns" in one.sql for one in dbt.engine.writes) == 20


def test_not_in_a_dry_run() -> None:
    dbt = Dbt(old_state())
    with pytest.raises(DbtError, match="state has the layout of an older release"):
        dbt("_ensure_state", dry_run=True)
    assert dbt.engine.writes == []
