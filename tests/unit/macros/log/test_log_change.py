"""What somebody else did to a log's rows."""

from __future__ import annotations

import json

import pytest

from ...kit.engine import Delta
from ...kit.harness import Dbt
from ...kit.log_engine import Change, LogEngine
from ...kit.log_scenes import LOG
from ...kit.scenes import SOURCE

OURS = json.dumps({"dbt_mview": {"mlog_id": LOG}})


def log() -> tuple[LogEngine, Delta]:
    """A log that began with its first commit."""
    engine = LogEngine()
    table = Delta([], properties={"dbt_mview.mlog": json.dumps({"base": SOURCE})})
    table.commit(0, "CREATE TABLE AS SELECT", None, OURS)
    engine.tables[LOG] = table
    return engine, table


def purge(engine: LogEngine, upto: int) -> None:
    """A batch that finds something to delete."""
    engine.held[LOG] = {0: (Change("t", upto, "insert", 0, 3),)}
    engine.purge(LOG, {"version": upto, "commit_time": upto}, upto)
    assert engine.tables[LOG].commits[-1].operation == "DELETE"


def changed(engine: LogEngine) -> object:
    dbt = Dbt(engine)
    return dbt("_log_change", dbt("_delta_history", "`shop`.`orders_log`", None))


@pytest.mark.parametrize("operation", ["WRITE", "UPDATE", "DELETE", "RESTORE", "MERGE", "TRUNCATE"])
def test_told(operation: str) -> None:
    engine, table = log()
    table.commit(1, operation, 1)
    table.commit(2, "WRITE", 1, OURS)
    assert changed(engine) == f"{operation} by somebody else in version 1"
    for upto in range(25):
        purge(engine, upto)
    assert changed(engine) == f"{operation} by somebody else in version 1"


def test_what_is_no_change() -> None:
    """New columns, a batch of a purge, what Delta does by itself, and all that was before."""
    engine, table = log()
    table.commit(1, "DELETE", 1)
    table.commit(2, "CREATE OR REPLACE TABLE AS SELECT", None, OURS)
    table.commit(3, "ADD COLUMNS")
    table.commit(4, "OPTIMIZE", 1)
    purge(engine, 4)
    assert changed(engine) is None
