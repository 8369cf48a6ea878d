"""Which plans are due, and why."""

from __future__ import annotations

from typing import Any

from ...kit.engine import micros
from ...kit.scenes import SOURCE, change_source, new

NOW = micros(0)


def row(id_: str, **values: Any) -> dict[str, Any]:
    plain = {"what": "view", "id": id_, "schedule": {"every": 60}, "next_time": NOW - 60}
    plain |= {"retry_time": None, "failures": None, "sources": None}
    return {**plain, "result": "success", "is_built": True, "lease_over": True, **values}


def due(*rows: dict[str, Any]) -> list[tuple[str, str]]:
    found = new()("_what_is_due", list(rows))
    return [(one["id"], one["why"]) for one in found["due"]]


def test_oldest_first() -> None:
    rows = [row("b"), row("a"), row("c", next_time=NOW - 100), row("d", next_time=10**18)]
    assert due(*rows) == [("c", "schedule"), ("a", "schedule"), ("b", "schedule")]


def test_what_runs_is_not_due() -> None:
    assert due(row("a", lease_over=False)) == []


def test_a_failure_waits_for_its_retry() -> None:
    assert due(row("a", retry_time=10**18, failures=1)) == []
    found = new()("_what_is_due", [row("a", retry_time=NOW - 5, failures=2)])["due"]
    assert [(one["why"], one["since"]) for one in found] == [("retry after failure 2", NOW - 5)]


def test_cron_without_a_time_is_unplanned() -> None:
    cron = {"schedule": {"cron": "* * * * *", "time_zone_value": "UTC"}}
    found = new()("_what_is_due", [row("a", next_time=None, **cron), row("b", next_time=None)])
    assert [one["id"] for one in found["unplanned"]] == ["a"] and found["due"] == []
    assert due(row("a", **cron)) == [("a", "schedule")]


def test_on_update_and_lag_wait_for_a_change() -> None:
    dbt = new()
    source = dbt("_pin_table", SOURCE, None)
    for schedule in ({"on_update": True, "at_most_every": None}, {"target_lag": 60}):
        rows = [row(name, schedule=schedule, sources=[dict(source)]) for name in "ab"]
        dbt.engine.forget()
        assert dbt("_what_is_due", rows)["due"] == []
        assert dbt.engine.steps.count("read_properties") == 1, "one look for both"
        failed = [{**one, "result": "failed"} for one in rows]
        assert {one["why"] for one in dbt("_what_is_due", failed)["due"]} == {
            "the last refresh failed"
        }
    change_source(dbt)
    assert [one["why"] for one in dbt("_what_is_due", rows)["due"]] == ["shop.orders v2 -> v3"] * 2


def test_a_deferred_view_does_not_wait_for_a_change() -> None:
    waits = {"schedule": {"on_update": True, "at_most_every": None}, "sources": []}
    assert due(row("a", is_built=False, **waits), row("b", **waits)) == [
        ("a", "first refresh of a deferred view")
    ]


def test_a_source_that_is_gone_makes_its_views_due_and_no_others_fail() -> None:
    dbt = new()
    waits = {"schedule": {"on_update": True, "at_most_every": None}}
    gone = {"relation": "spark_catalog.shop.gone", "version": 1, "commit_time": 1}
    there = dict(dbt("_pin_table", SOURCE, None))
    rows = [row(name, sources=[gone], **waits) for name in "ab"]
    rows += [row("c", sources=[there], **waits), row("d")]
    dbt.engine.forget()
    found = dbt("_what_is_due", rows)["due"]
    missing = "SOURCE_MISSING: shop.gone is gone"
    assert [(one["id"], one["why"]) for one in found] == [
        ("a", missing), ("b", missing), ("d", "schedule")
    ]  # fmt: skip
    assert dbt.engine.steps.count("read_catalog") == 2, "one look for both"
