"""Views whose query says versions of its tables, and runs as of a time."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import FEED, Foreign, micros
from ..kit.harness import Dbt, Model
from ..kit.scenes import SOURCE, VIEW, again, built, change_source, new, outcomes, with_feed

SUMS = "select customer, sum(amount) as total from shop.orders%s group by customer"


def at(version: int | str, **config: Any) -> Model:
    return Model(sql=SUMS % f" version as of {version}", config=config)


def moved(was: Model, now: Model, commits: int = 1) -> Dbt:
    """The view over one version, then over another one; its source has a feed."""
    dbt = built(was, now)
    with_feed(dbt)
    for minute in range(commits):
        change_source(dbt, 40 + minute)
    return dbt


def said(dbt: Dbt) -> str:
    (result,) = dbt.run()
    assert result.status == "success", result.message
    return result.message


def test_the_version_that_the_query_says_is_read_and_noted() -> None:
    dbt = new(at(1))
    assert said(dbt) == "COMPLETE v0, 3 rows: first build"
    assert "shop.orders version as of 1 group" in dbt.engine.sql("publish")
    (source,) = outcomes(dbt)[VIEW]["sources"]
    assert (source["version"], source["commit_time"]) == (1, micros(20))


def test_the_same_version_is_skipped_whatever_came_since() -> None:
    dbt = moved(at(1), at(1))
    assert said(dbt) == "SKIP nothing changed since shop.orders v1"


def test_another_version_is_a_change_of_the_source_and_fast() -> None:
    dbt = moved(at(1), at(3))
    assert said(dbt).startswith("FAST v1, ")
    assert "shop.orders v1 -> v3 (aggregate delta, " in dbt.messages[Model().unique_id]
    assert any(
        "table_changes('`spark_catalog`.`shop`.`orders`', 2, 3)" in one.sql
        for one in dbt.engine.log
    )
    assert dbt.engine.states[VIEW]["sources"][0]["version"] == 3


def test_an_earlier_version_is_meant_and_built_anew() -> None:
    dbt = moved(at(2), at(1))
    message = said(dbt)
    assert message.startswith("COMPLETE v1, ") and "SOURCE_REPLACED: shop.orders v1" in message
    assert "shop.orders version as of 1 group" in dbt.engine.sql("publish")


def test_a_run_that_began_earlier_takes_nothing_back() -> None:
    """'-1 day' leads further in the run that began later and has refreshed the view."""
    dbt = moved(at(2), at(1))
    dbt.engine.state(VIEW, last_successful_refresh_read_time=micros(721))
    assert said(dbt) == "SKIP another run has read further meanwhile: shop.orders v2, not v1"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (SUMS % " version as of 1", SUMS % " version  as /* of */ of 2", True),
        (SUMS % " version as of 1", SUMS % "", False),
        (SUMS % " version as of 1", (SUMS % " version as of 1").replace("total", "t"), False),
        ("select 'version as of 1' from shop.orders version as of 1",
         "select 'version as of 2' from shop.orders version as of 1", False),
        ("select 1 as version from a join shop.orders version as of 1",
         "select 2 as version from a join shop.orders version as of 1", False),
    ],
)  # fmt: skip
def test_what_a_query_is_leaves_out_which_version_it_reads(
    one: str, other: str, same: bool
) -> None:
    dbt = Dbt()

    def hashed(sql: str) -> str:
        reads = {"tables": [SOURCE], "views": [], "occurrences": [SOURCE], "other": []}
        bound = dbt("_bindings", sql, reads, "spark_catalog.default")
        found: str = dbt("_definition_hash", bound)
        return found

    assert (hashed(one) == hashed(other)) is same


TWICE = "select a.customer, b.total from shop.orders version as of %s a join shop.orders%s b"


def twice(first: int, second: str, **config: Any) -> Model:
    return Model(sql=TWICE % (first, second), config=config)


@pytest.mark.parametrize(
    ("second", "version"), [("", 2), (" version as of 2", None)], ids=["now", "then"]
)
def test_one_table_at_two_times_is_complete_with_its_reason(second: str, version: Any) -> None:
    dbt = new(twice(1, second))
    dbt.engine.reads(SOURCE, SOURCE)
    assert said(dbt) == "COMPLETE v0, 3 rows: first build"
    bound = "from shop.orders version as of 1 a join shop.orders version as of 2 b"
    assert bound in dbt.engine.sql("publish")
    (source,) = outcomes(dbt)[VIEW]["sources"]
    assert source["version"] == version
    dbt = again(dbt)
    assert said(dbt).endswith("rows: SOURCE_AT_TWO_TIMES: shop.orders")
    assert bound in dbt.engine.sql("publish")


def test_two_places_of_one_version_are_one_time() -> None:
    dbt = new(twice(1, " version as of 1"))
    dbt.engine.reads(SOURCE, SOURCE)
    said(dbt)
    assert said(again(dbt)) == "SKIP nothing changed since shop.orders v1"


def test_fast_is_refused_with_the_reason_and_explained_with_a_way_out() -> None:
    dbt = new(twice(1, "", refresh="fast"))
    dbt.engine.reads(SOURCE, SOURCE)
    (result,) = dbt.run()
    assert (
        "this refresh cannot be: SOURCE_AT_TWO_TIMES: spark_catalog.shop.orders" in result.message
    )
    job = {"spec": {"refresh": "auto"}, "reason": {"code": "SOURCE_AT_TWO_TIMES", "also": []}}
    assert Dbt()("_remedy", {**job, "not_fast": None}) == (
        "Read the earlier time into a view of its own, and that one here."
    )


def test_verify_compares_each_place_at_its_own_time() -> None:
    dbt = new(twice(1, ""))
    dbt.engine.reads(SOURCE, SOURCE)
    said(dbt)
    dbt = again(dbt)
    change_source(dbt)
    dbt.operation("mview_verify", view="totals")
    bound = "from shop.orders version as of 1 a join shop.orders version as of 2 b"
    assert bound in dbt.engine.sql("read_verify")


def test_a_version_that_is_gone_is_an_error() -> None:
    dbt = built(at(1), at(2))
    dbt.engine.tables[SOURCE].commits = dbt.engine.tables[SOURCE].commits[:2]
    (result,) = dbt.run()
    assert result.message == (
        f"dbt_mview: {SOURCE}: it has no v2: its newest version is v1. Give one that there is."
    )


# A whole run as of a time.


def as_of(moment: str, **more: Any) -> dict[str, Any]:
    given = {"dbt_mview:flashback_enable": True, "dbt_mview:as_of": f"2024-03-01 {moment}"}
    return {"variables": {**given, **more}}


@pytest.mark.parametrize("consistency", ["run", "latest"])
def test_all_is_pinned_by_that_time(consistency: str) -> None:
    dbt = new(Model(config={"read_consistency": consistency}), **as_of("00:20"))
    assert said(dbt) == "COMPLETE v0, 3 rows: first build"
    assert "shop.orders version as of 1" in dbt.engine.sql("publish")
    assert outcomes(dbt)[VIEW]["read_time"] == micros(20)


def test_a_later_run_goes_on_from_there_and_a_later_time_as_well() -> None:
    dbt = new(**as_of("00:20"))
    dbt.engine.tables[SOURCE].properties.update(FEED)
    said(dbt)
    dbt = again(dbt, **as_of("00:30"))
    assert said(dbt).startswith("FAST v1, ")
    change_source(dbt)
    dbt = again(dbt)
    assert "shop.orders v2 -> v3" in said(dbt)


@pytest.mark.parametrize("minute", [30, 719])
def test_what_the_view_has_read_since_is_an_error(minute: float) -> None:
    """However near it is: it is no other run's meanwhile."""
    dbt = built(model=Model(), **as_of("00:20"))
    dbt.engine.tables[SOURCE].commits[2].minute = minute
    dbt.engine.states[VIEW]["sources"][0]["commit_time"] = micros(minute)
    (result,) = dbt.run()
    assert f"{VIEW}: it has read {SOURCE} at v2 of " in result.message
    assert result.message.endswith(
        ", and this run reads it as of 2024-03-01 00:20:00Z, at v1 of 2024-03-01 00:20:00Z. Build"
        " what is as of an earlier time into another target, or take the view back with"
        " --full-refresh."
    )
    dbt = again(dbt, full_refresh=True, **as_of("00:20"))
    assert said(dbt).startswith("COMPLETE v1")
    assert "shop.orders version as of 1" in dbt.engine.sql("publish")


def test_nothing_is_read_as_it_is_now() -> None:
    dbt = new(**as_of("00:05"))
    assert dbt.run()[0].message == (
        f"dbt_mview: {SOURCE}: it did not exist at 2024-03-01 00:05:00Z: its history begins at v0"
        " of 2024-03-01 00:10:00Z. Give a later time."
    )
    dbt = new(**as_of("00:20"))
    dbt.engine.tables[SOURCE] = Foreign()
    assert "orders: it is no Delta table, and has no versions." in dbt.run()[0].message
    dbt = new(Model(sql=SUMS % " timestamp as of '2024-03-01'"), **as_of("00:20"))
    assert dbt.run()[0].message == (
        f"dbt_mview: {VIEW}: it reads {SOURCE}, which cannot be pinned in the query, and this run"
        " is as of 2024-03-01 00:20:00Z. Leave the view out of this run, or write the query more"
        " plainly."
    )


def test_what_the_run_builds_is_read_as_built() -> None:
    source = Model("orders", materialized="table")
    dbt = Dbt(new().engine, source, Model(), **as_of("00:20"))
    change_source(dbt, minute=721)
    dbt.run()
    assert "version as of 3" in dbt.engine.sql("publish")


def test_an_operation_is_as_of_that_time_as_well() -> None:
    dbt = built(**as_of("00:05"))
    with pytest.raises(Exception, match="it did not exist at 2024-03-01 00:05:00Z"):
        dbt.operation("mview_refresh", view="totals")
    off = built(variables={"dbt_mview:as_of": "2024-03-01 00:20"})
    with pytest.raises(Exception, match="the var dbt_mview:as_of: flashback is disabled"):
        off.operation("mview_refresh", view="totals")


def test_a_run_without_flashback_asks_nothing_more() -> None:
    """Golden transcripts hold each statement. Where it is on, its state is made and no more."""
    off, on = built(), built(variables={"dbt_mview:flashback_enable": True})
    for dbt in (off, on):
        change_source(dbt)
        dbt.run()
    made = {"mview_trackpoints", "mview_flashback_info", "mview_flashback_readers"}
    assert not made & set(off.engine.state_tables) and made <= set(on.engine.state_tables)
    assert "read_version" not in off.engine.steps + on.engine.steps
    published = [[one.sql for one in dbt.engine.log if one.step == "publish"] for dbt in (off, on)]
    assert published[0] == published[1] != []
