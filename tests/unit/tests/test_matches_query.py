"""The generic test mview_matches_query."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import View
from ..kit.harness import Dbt, DbtError, Model, Relation
from ..kit.parsing import parse
from ..kit.scenes import SOURCE, VIEW, built, change_source, new

VIEW_RELATION = Relation(None, "shop", "totals")


def compared(dbt: Dbt) -> str:
    dbt.context["flags"].WHICH = "test"
    sql: str = dbt("test_mview_matches_query", VIEW_RELATION).strip()
    assert parse(sql)
    return sql


def test_at_the_versions_that_were_read(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    sql = compared(dbt)
    golden("differences", sql)
    assert "shop.orders version as of 2" in sql and "`totals` version as of 0" in sql
    assert dbt.engine.writes == []


def test_it_compares_what_mview_verify_compares() -> None:
    dbt = built()
    sides = compared(dbt).split("\nselect 'missing'")[0]
    dbt.operation("mview_verify")
    assert sides in dbt.engine.sql("read_verify")


def test_through_views() -> None:
    dbt = built(Model(sql="select * from shop.stg"))
    dbt.engine.tables["spark_catalog.shop.stg"] = View("select 1 from shop.orders", [("a", "int")])
    dbt.engine.reads(SOURCE, views=("spark_catalog.shop.stg",))
    dbt.engine.states[VIEW]["sources"][0]["version"] = 2
    dbt.engine.states[VIEW]["definition_hash"] = None
    assert "`shop`.`orders` version as of 2" in compared(dbt)


@pytest.mark.parametrize(
    "state",
    [{"sources": [{"relation": SOURCE, "version": None}]}, {"sources": None}],
)
def test_what_cannot_be_read_again(state: dict[str, Any]) -> None:
    dbt = built()
    dbt.engine.state(VIEW, **state)
    with pytest.raises(DbtError, match=f"{VIEW}: a source has no version"):
        compared(dbt)
    dbt.engine.state(VIEW, definition=None)
    with pytest.raises(DbtError, match=f"{VIEW}: state has no definition of it"):
        compared(dbt)


@pytest.mark.parametrize(("execute", "which"), [(False, "test"), (True, "generate")])
def test_while_it_is_only_rendered(execute: bool, which: str) -> None:
    """dbt compile and dbt docs generate render tests, also of views that are not built yet."""
    dbt = new()
    dbt.context["execute"] = execute
    dbt.context["flags"].WHICH = which
    assert parse(dbt("test_mview_matches_query", VIEW_RELATION).strip()) and dbt.engine.log == []


def test_views_that_state_does_not_know() -> None:
    dbt = built()
    dbt.engine.states.clear()
    with pytest.raises(DbtError, match="no refresh of it is known"):
        dbt("_state_of_test", VIEW_RELATION)


def test_a_part_of_a_view() -> None:
    """`where` in the test's config: dbt hands over a subquery."""
    with pytest.raises(DbtError, match="a view is tested as a whole"):
        built()("_state_of_test", "(select * from shop.totals where a = 1) dbt_subquery")


def test_within_the_run_that_refreshed_it() -> None:
    """`dbt build` tests a view before the end of the run, when state is written."""
    dbt = built()
    sources = [{"relation": SOURCE, "version": 3}]
    known = {"sources": sources, "read_time": 7, "target_version": 1}
    outcomes = dbt("_memory")["outcomes"]
    outcomes["m"] = dbt("_outcome", VIEW, "j", "o", 1, "success", "fast", **known)
    outcomes["other"] = dbt("_outcome", "c.s.other", "j", "o", 1, "success", "fast")
    sql = compared(dbt)
    assert "shop.orders version as of 3" in sql and "`totals` version as of 1" in sql
    outcomes["m"] = dbt("_outcome", VIEW, "j", "o", None, "success", "skip")
    assert "shop.orders version as of 2" in compared(dbt)
    dbt.engine.states.clear()
    definition = {"definition": "select a from shop.orders", "spec": {"schema": "shop"}}
    outcomes["m"] = dbt("_outcome", VIEW, "j", "o", 1, "success", "complete", **known, **definition)
    assert dbt("_state_of_test", VIEW_RELATION)["definition"] == "select a from shop.orders"


@pytest.mark.parametrize(
    ("sql", "hash_", "told"),
    [
        (
            "select customer, current_timestamp() as total from shop.orders",
            None,
            "its result changes by itself: current_timestamp. Leave the test out for this view.",
        ),
        (
            "select customer, total from shop.orders",
            "another",
            "a view that it reads has changed since. Refresh it before it is tested.",
        ),
    ],
)
def test_what_cannot_be_compared(sql: str, hash_: str | None, told: str) -> None:
    dbt = built(Model(sql=sql))
    dbt.engine.state(VIEW, **({"definition_hash": hash_} if hash_ else {}))
    with pytest.raises(DbtError) as error:
        compared(dbt)
    assert str(error.value).endswith("it cannot be compared with its query: " + told)
