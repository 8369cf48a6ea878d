"""State is created where it is missing, and refused where it is not ours."""

from __future__ import annotations

import pytest

from ...kit.engine import Engine
from ...kit.harness import Dbt, DbtError
from ...kit.log_engine import LogEngine
from ...kit.scenes import VIEW


def created(dbt: Dbt) -> list[str]:
    return [one.sql.split("\n")[1] for one in dbt.engine.log if "create schema" in one.sql]


def test_created_once() -> None:
    dbt = Dbt()
    dbt("_ensure_state")
    made = ["ensure_state", "read_extensions", "read_place", "ensure_state", "ensure_state"]
    assert dbt.engine.steps == ["read_schemas", *made]
    dbt("_ensure_state")
    assert len(dbt.engine.log) == 6
    assert set(dbt.engine.state_tables) == {"mview_refresh_info", "mview_refresh_hist"}


def test_in_a_schema_that_is_there() -> None:
    dbt = Dbt()
    dbt.engine.schemas.add("shop_mview")
    dbt("_ensure_state")
    made = ["read_extensions", "read_place", "ensure_state", "ensure_state"]
    assert dbt.engine.steps == ["read_schemas", "read_tables", *made]


def test_a_stage_schema_of_its_own_is_created_too() -> None:
    dbt = Dbt(variables={"dbt_mview:stage_schema": "stages"})
    dbt("_ensure_state")
    assert created(dbt) == [
        "create schema if not exists `shop_mview`",
        "create schema if not exists `stages`",
    ]


def test_where_all_is_there_nothing_is_written() -> None:
    engine = Engine()
    engine.built_state()
    Dbt(engine)("_ensure_state")
    assert engine.steps == ["read_schemas", "read_tables", "read_layout", "read_layout"]


def test_what_is_refused_is_not_used() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    dbt.engine.state_tables["mview_refresh_hist"] = {}
    with pytest.raises(DbtError, match="is not a state table of dbt_mview"):
        dbt("_ensure_state")
    assert "ensured" not in dbt("_memory")


LOG_TABLES = {"mlog_purge_info", "mlog_purge_hist"}


def test_tables_of_logs_come_with_the_first_log() -> None:
    """Also where the state of views was ensured before, in the same run."""
    dbt = Dbt()
    dbt("_ensure_state")
    assert not LOG_TABLES & set(dbt.engine.state_tables)
    dbt("_ensure_state", logs=True)
    assert set(dbt.engine.state_tables) >= LOG_TABLES
    assert dbt.engine.steps.count("ensure_state") == 5
    count = len(dbt.engine.log)
    dbt("_ensure_state", logs=True)
    assert len(dbt.engine.log) == count


def test_where_the_tables_of_logs_are_there_they_are_checked() -> None:
    engine = LogEngine()
    engine.built_state()
    Dbt(engine)("_ensure_state", logs=True)
    assert engine.steps == [
        "read_schemas", *["read_tables", "read_layout", "read_layout"] * 2
    ]  # fmt: skip
    engine.state_tables["mlog_purge_hist"] = {"dbt_mview.layout": "99"}
    dbt = Dbt(engine)
    with pytest.raises(DbtError, match="state has layout 99"):
        dbt("_ensure_state", logs=True)
    assert "ensured_logs" not in dbt("_memory")
    dbt("_ensure_state")


def test_a_dry_run_of_logs_creates_nothing() -> None:
    dbt = Dbt()
    dbt("_ensure_state", True, logs=True)
    assert dbt.engine.writes == []
    assert [line.split("exists ")[1].split(" ")[0] for line in dbt.printed] == [
        "`shop_mview`;", *(f"`shop_mview`.`{name}`" for name in dbt("_state_layout")["tables"])
    ]  # fmt: skip


OPERATIONS = ["info", "history", "verify", "recover", "drop_orphans", "maintain"]


@pytest.mark.parametrize("stages", [None, "stages"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_dry_run_creates_nothing(operation: str, stages: str | None) -> None:
    """It prints the statements and goes on as if state were there, and empty."""
    dbt = Dbt(variables={"dbt_mview:stage_schema": stages})
    printed = dbt.operation(f"mview_{operation}", dry_run=True)
    assert dbt.engine.writes == []
    steps = [line.split("step=")[1].split()[0] for line in printed if "step=" in line]
    assert steps.count("ensure_state") == (3 if stages is None else 4)
    assert {one.step for one in dbt.engine.log} == {"read_schemas"}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("refresh", "state has no definition of it. Build the view once with `dbt run"),
        ("recover", "state has no row of it, and no table of it to restore one from"),
        ("drop", "state does not know it as a materialized view"),
    ],
)
def test_a_dry_run_for_a_view_without_state_says_so(operation: str, message: str) -> None:
    dbt = Dbt()
    with pytest.raises(DbtError, match=f"{VIEW}: {message}"):
        dbt.operation(f"mview_{operation}", view="totals", dry_run=True)
    assert dbt.engine.writes == []


def test_a_dry_run_reads_what_is_there() -> None:
    """Only the table of rows is needed to go on."""
    dbt = Dbt()
    dbt.engine.built_state()
    del dbt.engine.state_tables["mview_refresh_hist"]
    dbt.engine.state("spark_catalog.old.gone", target_version=1)
    printed = dbt.operation("mview_drop", view="gone", dry_run=True)
    assert [line.split("step=")[1].split()[0] for line in printed] == [
        "ensure_state", "acquire", "forget"
    ]  # fmt: skip
