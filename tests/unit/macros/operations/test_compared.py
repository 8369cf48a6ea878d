"""The query that compares a view with its definition."""

from __future__ import annotations

import copy

import pytest

from ...kit.engine import View
from ...kit.harness import Dbt, Model
from ...kit.parsing import parse
from ...kit.scenes import FITTED, SOURCE, VIEW, again, built, change_source


def verify_sql(sql: str = "select customer, total from shop.orders") -> str:
    dbt = built(Model(sql=sql))
    dbt.operation("mview_verify", view="totals")
    return dbt.engine.sql("read_verify")


@pytest.mark.parametrize(
    "sql",
    [
        "select 1 as a from shop.orders",
        "with c as (select * from shop.orders) select * from c",
        "select 1 as a from shop.orders -- end",
    ],
)
def test_any_query_fits(sql: str) -> None:
    text = verify_sql(sql).split("*/", 1)[1]
    assert parse(text)
    compared = {"query": sql, "view": "`shop`.`totals` version as of 0"}
    assert parse(Dbt()("_versions_sql", compared)), "asked first whether they are there"
    assert "`shop`.`totals` version as of 0" in text


def test_views_are_bound_as_in_the_refresh() -> None:
    dbt = built(Model(sql="select * from shop.stg"))
    dbt.engine.tables["spark_catalog.shop.stg"] = View("select 1 from shop.orders", [("a", "int")])
    dbt.engine.reads(SOURCE, views=("spark_catalog.shop.stg",))
    dbt.engine.states[VIEW]["sources"][0]["version"] = 2
    dbt.engine.states[VIEW]["definition_hash"] = None
    dbt.operation("mview_verify", view="totals")
    assert "`shop`.`orders` version as of 2" in dbt.engine.sql("read_verify")


def test_columns_that_the_query_no_longer_has() -> None:
    """append_new_columns keeps a vanished column, as NULL."""
    before = Model(config={"on_schema_change": "append_new_columns"})
    after = Model(sql="select customer from shop.orders", config=before.config)
    dbt = built(before, after)
    dbt.engine.columns = [("customer", "string")]
    dbt.run()
    dbt.operation("mview_verify", view="totals")
    wanted, present = dbt.engine.sql("read_verify").split("present as")
    assert "select `customer`, cast(null as bigint) as `total`\n" in wanted
    assert "select `customer`, `total`\n" in present


def test_columns_as_they_were_published() -> None:
    """ignore leaves new columns out and casts to the view's types."""
    dbt = built(Model(config={"on_schema_change": "ignore"}))
    dbt.engine.columns = [("new", "int"), ("total", "int"), ("customer", "string")]
    dbt.operation("mview_verify", view="totals")
    wanted = dbt.engine.sql("read_verify").split("present as")[0]
    assert f"select `customer`, {FITTED.format('total', 'bigint')} as `total`\n" in wanted


def test_the_view_and_the_query_as_of_that_time() -> None:
    dbt = built()
    dbt.operation("mview_verify", view="totals")
    view, query = (one.sql for one in dbt.engine.log if one.step == "read_describe_query")
    assert view.endswith("from `shop`.`totals` version as of 0")
    assert "shop.orders version as of 2 group by" in query


@pytest.mark.parametrize(
    ("later", "refreshed", "version"),
    [
        (["SET TBLPROPERTIES", "VACUUM START", "VACUUM END"], False, 3),
        (["OPTIMIZE", "DELETE"], False, 2),
        (["OPTIMIZE"], True, 1),
    ],
)
def test_the_newest_version_before_the_next_refresh(
    later: list[str], refreshed: bool, version: int
) -> None:
    """What somebody else wrote is compared as well. Delta refuses an old version once there is a
    newer one, be it of a comment."""
    dbt = built()
    for operation in later:
        dbt.engine.tables[VIEW].commit(60, operation)
    if refreshed:  # and not recorded yet
        change_source(dbt)
        before = copy.deepcopy(dbt.engine.states)
        assert dbt.run()[0].message.startswith("COMPLETE v2")
        dbt.engine.states.update(before)
        dbt = again(dbt, invocation_id="later")
    dbt.operation("mview_verify", view="totals")
    assert f"`shop`.`totals` version as of {version}\n" in dbt.engine.sql("read_verify")
