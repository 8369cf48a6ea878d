"""Refreshes by changes, as the steps before hand them to the texts of statements."""

from __future__ import annotations

from typing import Any

from .records import as_delta_plan, as_job, as_spec

VIEW = "spark_catalog.shop.totals"
SPEC: dict[str, Any] = as_spec(
    {
        "mview_id": VIEW,
        "name": "`shop`.`totals`",
        "unique_key": [],
        "audit": [],
        "layout": {"constraints": {}, "partition_by": []},
    }
)
TYPES = {"k": "int", "s": "string", "n": "bigint", "total": "decimal(20,2)", "lo": "bigint"}
TERMS = [
    {"sign": 1, "sql": "select k, s from came -- new", "bound": True},
    {"sign": -1, "sql": "select k, s from went", "bound": True},
]


def columns(*names: str) -> list[dict[str, str]]:
    return [
        {"name": name, "type": TYPES.get(name, "bigint"), "expression": f"`{name}`"}
        for name in names
    ]


def job(strategy: str, keys: list[str], values: dict[str, str], **changes: Any) -> dict[str, Any]:
    """A refresh whose result has these keys and values."""
    delta_plan = {
        "strategy": strategy,
        "keys": keys,
        "values": values,
        "terms": TERMS,
        "one_row": True,
    }
    fields: dict[str, Any] = {
        "id": "job1",
        "token": 3,
        "owner": "run1",
        "method": "fast",
        "reason": "shop.orders v2 -> v3",
        "started": 1,
        "deferred": False,
        "read_time": 2,
        "sources": [],
        "definition_hash": "h",
        "dry_run": False,
        "staged": True,
        "waits": False,
        "invariants": not changes.get("waits"),
        "fast": as_delta_plan(delta_plan),
        "columns": columns(*keys, *values),
        "query": "select * from orders version as of 3 -- all",
        "target": {"history": [{"version": 7}]},
        "changes": [{"deletes": True}],
        "undecided": 0,
        "bounds": [],
    }
    return as_job({**fields, **changes})


def aggregate_delta_job(**changes: Any) -> dict[str, Any]:
    values = {"n": "count_all", "total": "sum", "lo": "min"}
    return job("aggregate delta", ["k", "s"], values, **changes)


def averages(type_: str = "decimal(14,6)", of: Any = None, **changes: Any) -> dict[str, Any]:
    """Groups with a sum, its mean of this type, and counts. of: what the mean follows, besides."""
    values = {"n": "count_all", "total": "sum", "mean": "average", "c": "count"}
    found = job("aggregate delta", ["k"], values, **changes)
    found["fast"]["averages"] = {
        "mean": {"sum": "total", "count": None, "rows": None, **(of or {})}
    }
    for column in found["columns"]:
        if column["name"] == "mean":
            column["type"] = type_
    return found


def affected_keys_job(**changes: Any) -> dict[str, Any]:
    return job("affected keys", ["k"], {"total": "holistic"}, **changes)


def row_delta_job(**changes: Any) -> dict[str, Any]:
    return job("row delta", ["k", "s"], {}, **changes)


BOUNDS = [
    {"column": "k", "low": "cast('1' as int)", "high": "cast('9' as int)", "nulls": True},
    {"column": "s", "low": "'a'", "high": "'z'", "nulls": False},
]
