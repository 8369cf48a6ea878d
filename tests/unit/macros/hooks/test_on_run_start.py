"""Before a run."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, Model
from ...kit.log_scenes import log_model
from ...kit.scenes import VIEW, built

TABLE = Model("orders", materialized="table")


def test_rows_are_read_once_for_all() -> None:
    dbt = Dbt(built().engine, Model(), Model("other"))
    dbt("_on_run_start")
    assert dbt.engine.steps.count("read_state") == 1
    states = dbt("_memory")["states"]
    assert states[VIEW]["target_version"] == 0
    assert states["spark_catalog.shop.other"] is None, "known not to be there"
    assert dbt("_memory")["clock"]


@pytest.mark.parametrize(
    "dbt",
    [Dbt(None, TABLE), Dbt(None, which="docs"), Dbt(None, which="test")],
    ids=["no view", "docs", "test"],
)
def test_costs_nothing_where_there_is_no_view_to_build(dbt: Dbt) -> None:
    assert dbt("_on_run_start") == ""
    assert dbt.engine.log == []


def test_parsing_runs_nothing() -> None:
    dbt = Dbt()
    dbt.context["execute"] = False
    assert dbt("_on_run_start") == "" and dbt("_on_run_end", []) == ""
    assert dbt.engine.log == []


@pytest.mark.parametrize(
    ("config", "name"), [({}, "shop.totals"), ({"alias": "Renamed"}, "shop.renamed")]
)
def test_selected_views(config: dict[str, Any], name: str) -> None:
    dbt = Dbt(None, Model(config=config), TABLE)
    dbt.context["selected_resources"].append("test.shop.gone")
    assert dbt("_selected", "mview") == [f"spark_catalog.{name}"]


def test_relation_of_a_node_without_alias() -> None:
    node = {"resource_type": "model", "database": None, "schema": "s", "alias": None, "name": "n"}
    assert Dbt()("_relation_of", node).render() == "s.n"


def test_relation_of_a_source_with_a_table_of_another_name() -> None:
    node = {"resource_type": "source", "database": None, "schema": "s", "name": "n"}
    assert Dbt()("_relation_of", node | {"identifier": "table_1"}).render() == "s.table_1"


def test_retry_does_not_tell_what_it_runs_again() -> None:
    """dbt leaves selected_resources empty then: any model may be built in this run, and is read as
    built."""
    dbt = Dbt(None, Model(), TABLE)
    dbt.context["selected_resources"] = []
    assert dbt("_selected", "mview") == ["spark_catalog.shop.totals"]
    assert dbt("_run_start", "spark_catalog.shop.orders") is None
    dbt.context["flags"].WHICH = "run-operation"
    assert dbt("_selected", "mview") == []


def test_a_run_with_a_log_has_the_tables_of_logs() -> None:
    dbt = Dbt(None, log_model())
    dbt("_on_run_start")
    assert "mlog_purge_info" in dbt.engine.state_tables
    assert dbt("_selected", "materialized_view_log") == ["spark_catalog.shop.orders_log"]
    assert dbt("_selected", "mview") == [] and "read_state" not in dbt.engine.steps
    other = Dbt(None, Model())
    other("_on_run_start")
    assert "mlog_purge_info" not in other.engine.state_tables
    docs = Dbt(None, log_model(), which="docs")
    docs("_on_run_start")
    assert docs.engine.log == []
