"""The scenes of materialized view logs: one base table, one log of it, perhaps a view."""

from __future__ import annotations

import copy
from typing import Any

from .engine import FEED, Delta, delta, micros
from .harness import Dbt, Model, NodeResult
from .log_engine import Change, LogEngine, fed
from .records import as_purge
from .scenes import SECOND, SOURCE

LOG = "spark_catalog.shop.orders_log"
BODY = "select customer, amount from shop.orders"
COLUMNS = [("customer", "string"), ("amount", "bigint")]


def log_model(sql: str = BODY, **config: Any) -> Model:
    return Model("orders_log", sql, config=config, materialized="materialized_view_log")


def log_world(feed: bool = True) -> LogEngine:
    """State, a base with three versions and its feed, and no log yet."""
    engine = LogEngine()
    engine.built_state()
    engine.tables[SOURCE] = delta(10, 20, 30, columns="customer string, amount bigint", id="t-1")
    engine.tables[SOURCE].properties.update(FEED if feed else {})
    engine.reads(SOURCE)
    engine.described[BODY] = list(COLUMNS)
    return engine


def unlogged(*models: Model, feed: bool = True, **options: Any) -> Dbt:
    """A project whose log was never run."""
    return Dbt(log_world(feed), *(models or (log_model(),)), **options)


def started(*models: Model, **options: Any) -> Dbt:
    """The next invocation after the first capture, which began at v2 of the base."""
    dbt = unlogged()
    run_log(dbt)
    engine = copy.deepcopy(dbt.engine)
    engine.forget()
    return Dbt(engine, *(models or (log_model(),)), **{"invocation_id": SECOND, **options})


def later(dbt: Dbt, *models: Model, **options: Any) -> Dbt:
    """One more invocation on the same engine, after this one."""
    dbt.engine.forget()
    dbt.engine.on.clear()
    return beside(dbt, *models, **options)


def beside(dbt: Dbt, *models: Model, **options: Any) -> Dbt:
    """Another invocation on the same engine, while this one goes on."""
    invocation = f"{dbt.invocation_id[:-1]}{int(dbt.invocation_id[-1], 16) + 1:x}"
    return Dbt(dbt.engine, *(models or dbt.models), **{"invocation_id": invocation, **options})


def base(dbt: Dbt) -> Delta:
    table: Delta = dbt.engine.tables[SOURCE]
    return table


def change(dbt: Dbt, minute: float = 40) -> None:
    """Six rows of change in three commits."""
    base(dbt).commit(minute, "UPDATE", numUpdatedRows=2)
    base(dbt).commit(minute + 1, "DELETE", numDeletedRows=1)
    base(dbt).commit(minute + 2, "WRITE", 1, parameters={"mode": "Append"})


def vacuum(table: Delta, minute: float, kept: float = 0) -> None:
    """All change files before that minute are gone. kept: minutes that it leaves."""
    parameters = {"specifiedRetentionMillis": str(round(kept * 60_000))}
    table.commit(minute, "VACUUM START", parameters=parameters)


def run_log(dbt: Dbt) -> NodeResult:
    """Runs a project of one log, which must succeed."""
    (result,) = dbt.run()
    assert result.status == "success", result
    return result


def told(dbt: Dbt) -> str:
    return run_log(dbt).message


def writes(dbt: Dbt) -> list[str]:
    return [one.step for one in dbt.engine.writes]


def held(dbt: Dbt) -> list[Change]:
    """The rows of the log."""
    engine = dbt.engine
    assert isinstance(engine, LogEngine)
    return engine.rows_of(LOG)


def truth(dbt: Dbt, after: int, end: int) -> list[Change]:
    return fed(base(dbt), after, end)


def pin(dbt: Dbt, version: int) -> dict[str, Any]:
    """A version of the base, as state and runs have it."""
    (commit,) = [one for one in base(dbt).commits if one.version == version]
    return {"relation": SOURCE, "version": version, "commit_time": micros(commit.minute)}


def logged(rounds: int = 2, *models: Model, **options: Any) -> Dbt:
    """The next invocation after some rounds of change, three versions of the base each, came to
    the log."""
    dbt = started()
    for turn in range(rounds):
        change(dbt, 40 + 10 * turn)
        run_log(dbt)
        dbt = later(dbt)
    return later(dbt, *(models or (log_model(),)), **options)


def reads(dbt: Dbt, name: str, version: int | None, **values: Any) -> None:
    """A view that has read the base up to a version; None: it was never built."""
    time = None if version is None else micros(45)
    pins = [{"relation": SOURCE, "version": version, "commit_time": time}]
    dbt.engine.state(f"spark_catalog.shop.{name}", sources=pins, **values)


def log_engine(dbt: Dbt) -> LogEngine:
    assert isinstance(dbt.engine, LogEngine)
    return dbt.engine


def a_log(dbt: Dbt) -> dict[str, Any]:
    """The log as a purge has it."""
    coverage = dbt("_coverage", "`spark_catalog`.`shop`.`orders_log`")
    return {"mlog_id": LOG, "name": "`shop`.`orders_log`", "coverage": coverage}


def a_purge(**values: Any) -> dict[str, Any]:
    """A purge on its way."""
    job = as_purge(
        {"id": "j" * 32, "owner": "me", "dry_run": False, "method": "manual", "token": 3}
    )
    job |= {"rows": 6, "batches": 1, "upto": -1, "batch_size": 10, "plan": None}
    job |= {"stopped": False, "ended": False}
    return {**job, "took_over": False, "safe": {"version": 4, "commit_time": 7}, **values}
