"""Step record: the end of a refresh, and how long it took."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import micros
from ..kit.harness import Dbt, Model
from ..kit.records import DBT, as_delta_plan, as_job, as_reason
from ..kit.scenes import VIEW, again, built, change_source, outcomes, with_feed

# Step record.


def test_within_a_run_outcomes_wait_for_its_end() -> None:
    dbt = built()
    change_source(dbt)
    dbt("_on_run_start")
    dbt("materialization_mview_spark")
    assert "record" not in dbt.engine.steps
    outcome = outcomes(dbt)[VIEW]
    assert (outcome["result"], outcome["target_version"], outcome["rows"]) == ("success", 1, 3)


def test_a_run_operation_writes_at_once() -> None:
    dbt = built()
    change_source(dbt)
    dbt.operation("mview_refresh", view="totals")
    assert dbt.engine.steps.count("record") == 2
    assert outcomes(dbt) == {}


def test_skips() -> None:
    dbt = Dbt()
    job = as_job({"id": "j", "owner": "o", "skip": "why", "record_now": False, "unique_id": "m"})
    job.update({"state": None, "scheduled": False})
    dbt(
        "_record_skip",
        {"mview_id": "v", "schedule": None, "stored": None, "refresh_group": None},
        as_job({**job, "dry_run": True}),
    )
    assert outcomes(dbt) == {}
    dbt(
        "_record_skip",
        {"mview_id": "v", "schedule": None, "stored": None, "refresh_group": None},
        as_job({**job, "dry_run": False}),
    )
    outcome = outcomes(dbt)["v"]
    assert (outcome["type"], outcome["token"], outcome["reason"]) == ("skip", None, "why")


@pytest.mark.parametrize(
    ("state", "more", "news"),
    [
        ({}, {}, False),
        ({"last_refresh_time": micros(720 - 59)}, {}, False),
        ({"last_refresh_time": micros(720 - 60)}, {}, True),
        ({"last_refresh_time": None}, {}, True),
        ({"last_refresh_result": "failed"}, {}, True),
        ({"failures": 2}, {}, True),
        ({}, {"spec": {"comment": "new"}}, True),
        ({}, {"plan": {"schedule": None, "next_time": None}}, True),
    ],
)
def test_state_is_told_of_a_skip_that_is_news(
    state: dict[str, Any], more: dict[str, Any], news: bool
) -> None:
    dbt = Dbt()
    was = {"last_refresh_time": micros(719), "last_refresh_result": "success", "failures": None}
    outcome = dbt("_outcome", "v", "j", "o", None, "success", "skip", **more)
    assert dbt("_is_news", outcome, {**was, **state}) is news


@pytest.mark.parametrize(
    "config",
    [
        {"grants": {"select": ["ann"]}},
        {"persist_docs": {"relation": True}},
        {"persist_docs": {"columns": True}},
        {"refresh": "complete"},
    ],
)
def test_a_skip_with_other_settings(config: Any) -> None:
    """What no row depends on is brought up to date without a refresh, and is in state then."""
    columns = {"total": {"description": "Of all orders"}}
    plain = Model(description="About it", columns=columns)
    dbt = again(built(plain), Model(description="About it", columns=columns, config=config))
    (result,) = dbt.run()
    assert result.message.startswith("SKIP nothing changed")
    assert "grants" in dbt.engine.steps and "publish" not in dbt.engine.steps
    assert ("docs" in dbt.engine.steps) == ("persist_docs" in config)
    stored = dbt.engine.states[VIEW]["spec"]
    assert stored == dbt("_memory")["jobs"]["model.shop.totals"]["spec"]["stored"]
    dbt = again(dbt, invocation_id="third")
    dbt.run()
    assert "grants" not in dbt.engine.steps and "docs" not in dbt.engine.steps


def test_skips_of_which_one_has_other_settings() -> None:
    """One statement for all of them, and each keeps its own."""
    dbt = built(Model("a"))
    dbt = Dbt(dbt.engine, Model("a"), Model("b"), invocation_id="second")
    dbt.run()
    dbt = again(dbt, Model("a", config={"refresh": "complete"}), Model("b"), invocation_id="third")
    dbt.run()
    specs = {name[-1]: state["spec"] for name, state in dbt.engine.states.items()}
    assert [specs[name]["refresh"] for name in "ab"] == ["complete", "auto"]
    assert [specs[name]["identifier"] for name in "ab"] == ["a", "b"]


def test_what_rows_have_to_satisfy_stays_with_a_layout_that_is_left_alone() -> None:
    """A skip by `continue` has done nothing of it; state must not say that it has."""
    dbt = built(Model(config={"on_schema_change": "ignore"}))
    before = dict(dbt.engine.states[VIEW]["spec"])
    config = {
        "partition_by": "customer",
        "on_configuration_change": "continue",
        "unique_key": "customer",
        "audit": "total > 0",
        "grants": {"select": ["ann"]},
    }
    dbt = again(dbt, Model(config=config))
    dbt.engine.zone = "Europe/Berlin"
    (result,) = dbt.run()
    assert result.message.startswith("SKIP configuration changed")
    after = dbt.engine.states[VIEW]["spec"]
    changed = {key for key in after if after[key] != before.get(key)}
    assert changed == {"on_configuration_change", "grants"}


def test_a_failure_stands_where_a_refresh_is_left_alone() -> None:
    """`continue`: something is to be done, and is not."""
    dbt = built()
    dbt.engine.state(VIEW, last_refresh_result="failed", last_refresh_failed_reason="disk full")
    dbt.engine.states[VIEW].update(failures=2, retry_time=5)
    before = dict(dbt.engine.states[VIEW])
    config = {"partition_by": "customer", "on_configuration_change": "continue"}
    (result,) = again(dbt, Model(config=config)).run()
    assert result.message.startswith("SKIP configuration changed")
    assert dbt.engine.states[VIEW] == before


# The end of a refresh that was published.


SPEC = {
    "mview_id": "v",
    "definition": "select 1",
    "stored": {"a": 1},
    "schedule": None,
    "refresh_group": None,
}
JOB = as_job({
    "id": "j", "owner": "o", "token": 4, "method": "complete", "reason": "r", "started": 5,
    "ended": 2_500_005, "sources": [1], "read_time": 6, "definition_hash": "h", "deferred": False,
    "state": None, "fast": None, "changes": [], "scheduled": False, "skip": None,
})  # fmt: skip


def outcome(**changes: Any) -> Any:
    commit = {"version": 7, "rows": 8}
    return Dbt()("_published_outcome", SPEC, {**JOB, **changes}, commit, failed_reason="no grants")


def test_all_that_the_refresh_knows() -> None:
    took = {"last": [["complete", 0, 2.5]], "complete": 2.5, "first": None}
    expected = {
        "mview_id": "v", "job_id": "j", "owner": "o", "token": 4, "result": "success",
        "type": "complete", "method": "complete", "reason": "r", "started": 5, "rows": 8,
        "sources": [1], "read_time": 6, "target_version": 7, "definition": "select 1",
        "definition_hash": "h", "spec": {"a": 1, "took": took, "unfinished": True},
        "failed_reason": "no grants", "release": True,
    }  # fmt: skip
    found = outcome()
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("key", ["type", "read_time"])
def test_a_deferred_build_has_read_nothing(key: str) -> None:
    assert outcome(deferred=True)[key] is None


@pytest.mark.parametrize(
    ("record_now", "publish", "unfinished"),
    [
        (True, "create", True),
        (True, "replace", True),
        (True, "swap", True),
        (True, "insert", False),
        (False, "create", False),
    ],
)
def test_an_operation_has_no_grants_for_a_new_table(
    record_now: bool, publish: str, unfinished: bool
) -> None:
    job = as_job({**JOB, "record_now": record_now, "publish": publish})
    found = Dbt()("_published_outcome", SPEC, job, {"version": 7, "rows": 8})
    assert found["spec"].get("unfinished", False) is unfinished


# What is kept of how long refreshes took.


AFFECTED_KEYS = as_delta_plan({"strategy": "affected keys"})
TOOK = {"last": [["fast", 7, 1.5]], "complete": None, "first": 30.0}


def job(**changes: Any) -> dict[str, Any]:
    known = {"method": "fast", "reason": as_reason("r"), "started": 1_000_000, "ended": 3_504_000}
    known.update(deferred=False, fast=AFFECTED_KEYS, changes=[{"rows": 2}, {"rows": 3}], **changes)
    return known


def with_time(took: Any = None, **changes: Any) -> Any:
    spec = {"stored": {"refresh": "auto", "took": took}}
    return Dbt()("_with_durations", spec, job() | changes)


def test_the_newest_comes_first() -> None:
    found = with_time(TOOK)
    assert found == {
        "refresh": "auto",
        "took": {
            "last": [["fast", 5, 2.5], ["fast", 7, 1.5]],
            "complete": None,
            "first": 30.0,
        },
    }
    again = Dbt()("_with_durations", {"stored": found}, job(started=3_404_000))
    assert again["took"]["last"] == [["fast", 5, 0.1], *found["took"]["last"]]


def test_what_complete_took_is_kept_beside() -> None:
    complete: dict[str, Any] = {"method": "complete", "fast": None}
    found = with_time(TOOK, **complete)["took"]
    assert found == {**TOOK, "last": [["complete", 0, 2.5], ["fast", 7, 1.5]], "complete": 2.5}
    first = with_time(None, **complete, reason=DBT("_reason", "first_build_in_place", "view"))[
        "took"
    ]
    assert first == {"last": [["first", 0, 2.5]], "complete": None, "first": 2.5}


def test_twenty_are_kept() -> None:
    many = {**TOOK, "last": [["fast", 1, 1.0]] * 19 + [["complete", 0, 4.0]]}
    found = with_time(many)["took"]
    assert found["last"] == [["fast", 5, 2.5], *[["fast", 1, 1.0]] * 19]
    assert (found["complete"], found["first"]) == (4.0, 30.0)
    assert with_time(found)["took"]["complete"] == 4.0


@pytest.mark.parametrize(
    "changes",
    [
        {"fast": as_delta_plan({"strategy": "nothing"})},
        {"changes": [{"rows": 2}, {"rows": None}]},
        {"fast": None, "method": "complete", "deferred": True},
    ],
    ids=["no changed row", "nobody knows how many", "no build"],
)
def test_what_says_nothing(changes: dict[str, Any]) -> None:
    assert with_time(TOOK, **changes) == {"refresh": "auto", "took": TOOK}


def test_a_refresh_without_a_spec_for_state() -> None:
    assert Dbt()("_with_durations", {"stored": None}, job()) is None


def took(dbt: Dbt) -> Any:
    """What state knows."""
    return dbt.engine.states[VIEW]["spec"]["took"]


def test_state_keeps_it() -> None:
    """Also of FAST that left no commit; a skip changes nothing, another query begins anew."""
    dbt = with_feed(built())
    assert took(dbt) == {"last": [["first", 0, 0.0]], "complete": None, "first": 0.0}
    change_source(dbt)
    dbt.run()
    two = took(dbt)
    assert two["last"] == [["fast", 10, 0.0], ["first", 0, 0.0]]
    dbt.run()
    assert took(dbt) == two
    Dbt(dbt.engine, Model(sql="select customer, 1 as total from shop.orders")).run()
    assert took(dbt)["last"] == [["complete", 0, 0.0]]


# What is known of how long COMPLETE takes.


@pytest.mark.parametrize(
    ("last", "complete", "first"),
    [
        ([], 5.0, 30.0),
        ([["fast", 1, 9.0]], 5.0, 30.0),
        ([["complete", 0, 4.0], ["first", 0, 20.0]], 4.0, 20.0),
        ([["complete", 0, s] for s in (9, 3, 4, 1, 1)], 4, 30.0),
        ([["complete", 0, s] for s in (3, 4)], 4, 30.0),
    ],
)
def test_complete_took(last: list[Any], complete: Any, first: Any) -> None:
    took = {"last": last, "complete": 5.0, "first": 30.0}
    assert Dbt()("_complete_durations", took) == {
        "complete": complete,
        "first": first,
        "likely": complete,
    }
    none = {"complete": None, "first": None, "likely": None}
    assert Dbt()("_complete_durations", None) == none
    assert Dbt()("_complete_durations", {"last": [["first", 0, 7.0]]})["likely"] == 7.0
