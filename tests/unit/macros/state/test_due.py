"""What state says of plans."""

from __future__ import annotations

import json

from ...kit.harness import Dbt, DbtError
from ...kit.log_engine import LogEngine
from ...kit.parsing import parse


def test_rows() -> None:
    dbt = Dbt()
    dbt.engine.built_state()
    source = {"relation": "a.b.c", "version": 1}
    values = ["view", "v", json.dumps({"every": 60}), "5", None, "2", json.dumps([source])]
    dbt.engine.due = [[*values, "success", "true", "true"]]
    assert dbt("_due_rows") == [
        {
            "what": "view", "id": "v", "schedule": {"every": 60}, "next_time": 5,
            "retry_time": None, "failures": 2, "sources": [source],
            "result": "success", "is_built": True, "lease_over": True,
        }
    ]  # fmt: skip


def test_logs_are_asked_where_there_are_any() -> None:
    for engine, tables in ((None, 1), (LogEngine(), 2)):
        dbt = Dbt(engine)
        dbt.engine.built_state()
        assert dbt("_due_rows") == []
        sql = dbt.engine.sql("read_due")
        assert parse(sql) and sql.count("_info`") == tables


def test_files_of_later_plans_can_be_left_out() -> None:
    """Each condition is one column beside one value, as Delta's statistics need it."""
    sql = " ".join(Dbt()("_may_be_due_sql").split())
    assert sql == (
        "schedule is not null and paused_time is null and (failures is null or failures < 16)"
        " and ( next_time is null or next_time <= current_timestamp()"
        " or retry_time <= current_timestamp() )"
    )


def test_a_dry_run_writes_nothing() -> None:
    engine = LogEngine()
    engine.built_state()
    engine.state_tables["mlog_purge_info"]["dbt_mview.layout"] = "1"
    dbt = Dbt(engine)
    try:
        dbt("_due_rows", True)
    except DbtError as error:
        assert "state has the layout of an older release" in str(error)
    assert engine.writes == []
