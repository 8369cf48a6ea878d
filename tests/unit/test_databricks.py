"""What is sent through dbt-databricks, whose target has a catalog: each statement that names a
table with it, once, for the first of several views. Those of state alone are as in other golden
texts.
"""

from __future__ import annotations

import copy
import re

from tests.support.golden import Golden, Transcript

from .kit.engine import Statement, delta
from .kit.harness import Dbt, Model
from .kit.log_engine import LogEngine
from .kit.log_scenes import COLUMNS
from .kit.scenes import SECOND, transcript

CATALOG = "main"
ORDERS, LOG = "main.shop.orders", "main.shop.orders_log"
BODY = "select customer, amount from main.shop.orders"
# Where the catalog is the target's, names may do without it.
TOTALS = "select customer, sum(amount) as total from shop.orders group by customer"
# What differs from one view to another, and from one refresh to another.
OF_A_VIEW = re.compile(r"\b(?:totals|one|two)\b|[0-9a-f]{32,}")


def project(**config: str) -> list[Model]:
    """A log, a view and a group of two; the views with this config."""
    member = {**config, "refresh_group": "sales"}
    views = {"totals": config, "one": member, "two": member}
    return [
        Model("orders_log", BODY, database=CATALOG, materialized="materialized_view_log"),
        *(Model(name, TOTALS, database=CATALOG, config=own) for name, own in views.items()),
    ]


def first() -> Dbt:
    """The first invocation of all."""
    engine = LogEngine()
    engine.tables[ORDERS] = delta(10, 20, columns="customer string, amount bigint", id="t-1")
    engine.reads(ORDERS)
    engine.described[BODY] = list(COLUMNS)
    return Dbt(engine, *project(), catalog=CATALOG)


def after(dbt: Dbt, minute: float, **config: str) -> Dbt:
    """The next invocation, after a run and two more commits; config: of the views."""
    assert {result.status for result in dbt.run()} == {"success"}
    engine = copy.deepcopy(dbt.engine)
    engine.forget()
    engine.tables[ORDERS].commit(minute, "UPDATE", numUpdatedRows=2)
    engine.tables[ORDERS].commit(minute + 1, "WRITE", 1, parameters={"mode": "Append"})
    invocation = f"{SECOND[:-2]}{round(minute)}"
    return Dbt(engine, *project(**config), catalog=CATALOG, invocation_id=invocation)


def named(dbt: Dbt, title: str) -> Transcript:
    """A transcript of the statements that name a table of the catalog, each of them once."""
    sent: dict[str, Statement] = {}
    for one in dbt.engine.log:
        if f"`{CATALOG}`" in one.sql or f"from {CATALOG}." in one.sql:
            sent.setdefault(OF_A_VIEW.sub("", one.sql), one)
    dbt.engine.log = list(sent.values())
    return transcript(dbt, title)


def told(dbt: Dbt) -> list[str]:
    return [" ".join(result.message.split()) for result in dbt.run()]


def test_first_builds(golden: Golden) -> None:
    dbt = first()
    assert told(dbt) == ["START v2: first capture", *3 * ["COMPLETE v0, 3 rows: first build"]]
    assert set(dbt.engine.states) == {"main.shop.totals", "main.shop.one", "main.shop.two"}
    golden("databricks_first_build", named(dbt, "A log, a view, a group of two: first builds"))


def test_fast_with_a_group_and_a_log(golden: Golden) -> None:
    dbt = after(first(), 40)
    changes = "shop.orders v2 -> v4 (aggregate delta, 5 changed rows)"
    assert told(dbt) == [
        "CAPTURE v4, 5 rows: v2 -> v4",
        f"FAST v1, 6 rows: {changes}",
        f"STAGED FAST for refresh_group sales: {changes}",
        f"FAST v1, 6 rows: {changes}",
    ]
    golden("databricks_fast", named(dbt, "A capture, FAST, a group that is FAST"))


def test_complete(golden: Golden) -> None:
    dbt = after(first(), 40, refresh="complete")
    assert [one.partition(":")[0] for one in told(dbt)] == [
        "CAPTURE v4, 5 rows", "COMPLETE v1, 3 rows",
        "STAGED COMPLETE for refresh_group sales", "COMPLETE v1, 3 rows",
    ]  # fmt: skip
    golden("databricks_complete", named(dbt, "A capture, COMPLETE, a group that is COMPLETE"))


def test_purge(golden: Golden) -> None:
    """The base is named without its catalog."""
    dbt = after(after(first(), 40), 50)
    lines = dbt.operation("mlog_purge", base="shop.orders")
    assert lines[1].split() == ["shop.orders_log", "v4", "v4", "5", "1", "success"], lines
    golden("databricks_purge", named(dbt, "mlog_purge of what all views have read"))
