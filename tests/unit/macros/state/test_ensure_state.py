"""State is created where it is missing, and refused where it is not ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ..engine import Engine
from ..harness import Dbt, DbtError
from ..parsing import parse


def test_created_once() -> None:
    dbt = Dbt()
    dbt("_ensure_state")
    assert dbt.engine.steps == ["ensure_state", "read_tables", "ensure_state", "ensure_state"]
    dbt("_ensure_state")
    assert len(dbt.engine.log) == 4
    assert set(dbt.engine.state_tables) == {"mview_refresh_info", "mview_refresh_hist"}


def test_create_state(golden: Callable[[str, str], None]) -> None:
    columns = Dbt()("_state_layout")["tables"]["mview_refresh_hist"]
    sql = Dbt()("_create_state_sql", "mview_refresh_hist", columns, 1).strip()
    golden("create_state", sql)
    assert "partitioned by (mview_id)" in sql, "so that different views never conflict"
    assert parse(sql)


def test_a_stage_schema_of_its_own_is_created_too() -> None:
    dbt = Dbt(variables={"dbt_mview:stage_schema": "stages"})
    dbt("_ensure_state")
    created = [one.sql.split("\n")[1] for one in dbt.engine.log if "create schema" in one.sql]
    assert created == [
        "create schema if not exists `shop_mview`",
        "create schema if not exists `stages`",
    ]


def test_present() -> None:
    engine = Engine()
    engine.built_state()
    Dbt(engine)("_ensure_state")
    assert engine.steps == ["ensure_state", "read_tables", "read_layout", "read_layout"]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"`mview_refresh_info`: a table of this name exists and is not a state table of"),
        ({"owner": "x"}, r"Rename it, or set the var dbt_mview:state_schema to another schema\."),
        (
            {"dbt_mview.layout": "2"},
            r"state has layout 2, this release of dbt_mview knows up to 1\. Upgrade the package",
        ),
    ],
)
def test_refused(properties: dict[str, str], message: str) -> None:
    engine = Engine()
    engine.built_state()
    engine.state_tables["mview_refresh_info"] = properties
    with pytest.raises(DbtError, match=message):
        Dbt(engine)("_ensure_state")


@pytest.mark.xfail(reason="schemas and state tables are created in a dry run as well")
def test_a_dry_run_creates_nothing() -> None:
    dbt = Dbt()
    dbt.operation("mview_info", dry_run=True)
    assert dbt.engine.writes == []


def test_tables_like() -> None:
    engine = Engine()
    engine.state_tables = {"Mview_Stage_a": {}, "other": {}}
    assert Dbt(engine)("_tables_like", "s", "M*") == ["mview_stage_a"]
    assert engine.sql("read_tables").endswith("show tables in `s` like 'M*'")
