"""What on_schema_change makes of other columns."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Model
from ...kit.scenes import FITTED, VIEW, built

NEW = [("customer", "string"), ("total", "bigint"), ("n", "int")]
LESS = [("customer", "string")]
RETYPED = [("customer", "string"), ("total", "int")]
SWAPPED = [("total", "bigint"), ("customer", "string")]
TOTAL = FITTED.format("total", "bigint")


def run(mode: str | None, columns: Any) -> tuple[str, str]:
    """The message, and the first two lines of the result that was published.

    A new table takes texts without the length of their source; what it takes is told here.
    """
    config = {} if mode is None else {"on_schema_change": mode}
    dbt = built(Model(config=config), Model(sql="select 2", config=config))
    dbt.engine.columns = columns
    (result,) = dbt.run()
    sql = dbt.engine.sql("publish") if "publish" in dbt.engine.steps else ""
    statement = sql.split("\n")[1].split(" `")[0] if sql else ""
    select = next((line for line in sql.split("\n") if line.startswith("select ")), "")
    select = select.replace("cast(`customer` as string) as `customer`", "`customer`")
    return result.message if result.status == "error" else statement, select


@pytest.mark.parametrize(
    ("mode", "columns", "statement", "select"),
    [
        ("fail", SWAPPED, "insert into", "select `customer`, `total`"),
        (None, NEW, "create or replace table", "select `customer`, `total`, `n`"),
        (None, SWAPPED, "create or replace table", "select `total`, `customer`"),
        ("sync_all_columns", SWAPPED, "create or replace table", "select `total`, `customer`"),
        ("append_new_columns", SWAPPED, "insert into", "select `customer`, `total`"),
        ("sync_all_columns", LESS, "create or replace table", "select `customer`"),
        ("sync_all_columns", RETYPED, "create or replace table", "select `customer`, `total`"),
        ("ignore", NEW, "insert into", "select `customer`, `total`"),
        ("ignore", RETYPED, "insert into", f"select `customer`, {TOTAL} as `total`"),
        (
            "append_new_columns",
            NEW,
            "create or replace table",
            "select `customer`, `total`, `n`",
        ),
        (
            "append_new_columns",
            LESS,
            "insert into",
            "select `customer`, cast(null as bigint) as `total`",
        ),
    ],
)
def test_published(mode: str | None, columns: Any, statement: str, select: str) -> None:
    assert run(mode, columns) == (statement, select)


@pytest.mark.parametrize(
    ("mode", "columns", "text"),
    [
        ("fail", NEW, "new: n int"),
        ("fail", RETYPED, "total: bigint -> int"),
        ("fail", LESS, "gone: total"),
        ("ignore", LESS, "gone: total"),
    ],
)
def test_refused(mode: str, columns: Any, text: str) -> None:
    message, select = run(mode, columns)
    assert message == (
        f"dbt_mview: {VIEW}: the columns of the query changed ({text}) and on_schema_change is"
        f" '{mode}'. Set it to 'sync_all_columns' or 'append_new_columns', or use --full-refresh."
    )
    assert select == ""


def test_an_operation_knows_no_other_order_than_that_of_the_query() -> None:
    """An enforced contract may have given the view its own, which state does not keep."""
    dbt = built()
    dbt.engine.columns = SWAPPED
    dbt.operation("mview_refresh", view="totals", method="complete")
    assert "select `customer`, `total`\n" in dbt.engine.sql("publish")
