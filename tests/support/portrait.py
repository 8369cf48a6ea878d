"""What `mview_report` prints of a project that is not there: for the page of `dbt-mview report`."""

from __future__ import annotations

import json
from typing import Any

SECOND = 1_000_000
NOW = 1_795_800_000 * SECOND
HOUR = 3600 * SECOND


def view(name: str, fast: str = "yes", **changes: Any) -> dict[str, Any]:
    """A view of groups that was refreshed an hour ago."""
    found = {
        "id": f"spark_catalog.{name}",
        "name": name,
        "model": f"model.shop.{name.rpartition('.')[2]}",
        "refresh": "auto",
        "built": True,
        "fast": fast,
        "strategy": "aggregate delta" if fast in ("yes", "some") else None,
        "keys": ["day"] if fast in ("yes", "some") else [],
        "only_while": None,
        "follows": [],
        "reads": ["shop.orders"],
        "code": None,
        "reason": None,
        "way_out": None,
        "complete": 12.3,
        "last_fast": 3.2 if fast == "yes" else None,
        "saves": 9.1 if fast == "yes" else None,
        "result": "success",
        "type": "fast" if fast == "yes" else "complete",
        "refreshed": NOW - HOUR,
        "as_of": NOW - HOUR,
        "next": None,
        "version": 7,
        "failed": None,
        "failures": None,
        "paused": False,
        "owner": None,
    }
    assert not changes.keys() - found.keys(), changes.keys() - found.keys()
    return {**found, **changes}


def refresh(
    name: str, hours: float, method: str = "fast", took: float = 3.2, **changes: Any
) -> Any:
    """A refresh so many hours ago."""
    at = round(NOW - hours * HOUR)
    row = {
        "id": f"spark_catalog.{name}",
        "started": at - round(took * SECOND),
        "ended": at,
        "method": method,
        "status": "success",
        "rows": 365,
        "reason": "shop.orders v12 -> v13 (aggregate delta, 60 changed rows)",
        "failed": None,
    }
    return {**row, **changes}


def printed(*views: Any, history: Any = (), project: str = "jaffle_shop") -> list[str]:
    """The lines of the operation."""
    found = {
        "clock": NOW,
        "project": project,
        "target": "prod",
        "limit": 40,
        "views": list(views),
        "history": list(history),
    }
    return ["a macro of the project says hello", f"report: {json.dumps(found)}"]


def a_project() -> list[str]:
    """One as an analytics engineer has it."""
    window = "WINDOW_WITHOUT_PARTITION_BY: rank()"
    limit = "OPERATOR_NOT_INCREMENTAL: GlobalLimit"
    feed = "CHANGE_DATA_UNAVAILABLE: no change data feed: raw.customers"
    alter = (
        "Switch the source's change data feed on: ALTER TABLE ... SET TBLPROPERTIES "
        "('delta.enableChangeDataFeed' = 'true')."
    )
    views = [
        view("shop.orders", reads=["raw.orders", "raw.payments"], complete=41.0, last_fast=4.4),
        view("shop.order_items", reads=["raw.items", "raw.orders"], complete=88.0, last_fast=6.1),
        view("shop.customers", "some", reads=["raw.customers", "shop.orders"], complete=22.5,
             follows=["shop.orders"], strategy="affected keys", keys=["customer_id"],
             code="CHANGE_DATA_UNAVAILABLE", reason=feed, way_out=alter),
        view("shop.products", "no", reads=["raw.products"], complete=6.2,
             reason=feed.replace("customers", "products"), way_out=alter),
        view("shop.revenue_daily", reads=["shop.orders"]),
        view("shop.revenue_by_region_monthly", reads=["shop.revenue_daily", "shop.customers"]),
        view("shop.top_customers", "no", reads=["shop.customers"], complete=31.0, reason=window,
             way_out="Give the window a PARTITION BY that the result shows."),
        view("shop.newest_orders", "no", reads=["shop.orders"], complete=9.7, reason=limit,
             way_out="Keep the operator out of the view, or in a view over it."),
        view("shop.baskets", reads=["shop.order_items", "shop.products"], result="failed",
             failed="audit failed: amount >= 0 (not met 3 times). Nothing was published."),
        view("shop.returns", "unknown", reads=[], complete=None, result=None, type=None,
             refreshed=None, reason="not known yet: raw.returns is not there"),
    ]  # fmt: skip
    history = []
    for index, one in enumerate(views[:-1]):
        fast = one["fast"] == "yes"
        for number in range(4 + index * 5 % 29):
            is_whole = not fast or number % 9 == 8
            took = (one["complete"] if is_whole else 3.2) * (1 + (number * 7 % 5) / 10)
            row = refresh(one["name"], number * 6 + 1, "complete" if is_whole else "fast", took)
            if is_whole and one["reason"]:
                row["reason"] = f"shop.orders v12 -> v13; not FAST: {one['reason']}"
            history.append(row)
    bad = refresh(
        "shop.baskets", 1, "fast", 2.0, status="failed", rows=None, failed=views[8]["failed"]
    )
    history.append(bad)
    history.sort(key=lambda row: -row["ended"])
    return printed(*views, history=history)
