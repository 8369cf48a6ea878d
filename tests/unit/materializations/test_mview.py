"""The protocol, statement by statement: one golden transcript per scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Commit, Engine, Foreign, View, delta, micros
from ..kit.harness import Dbt, Model, NodeResult
from ..kit.scenes import (
    OTHER,
    SECOND,
    SOURCE,
    VIEW,
    again,
    built,
    change_source,
    lock,
    new,
    of_rows,
    outcomes,
    transcript,
    with_feed,
)

LOOK = ["read_explain", "read_catalog"]
NO_FEED = (
    "; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed (alter table shop.orders set"
    " tblproperties ('delta.enableChangeDataFeed' = 'true')): shop.orders"
)
RECORD = ["record", "record"]


def run(dbt: Dbt) -> NodeResult:
    """Runs the one view of a project."""
    (result,) = dbt.run()
    return result


def writes(dbt: Dbt) -> list[str]:
    """The names of the statements that are no reads, those for state's own tables aside."""
    return [one.step for one in dbt.engine.writes]


def fails(dbt: Dbt, step: str, message: str) -> None:
    """Lets the engine refuse a step."""

    def refuse(sql: str) -> None:
        raise RuntimeError(message)

    dbt.engine.on[step] = refuse


def refuse_grants(engine: Engine) -> Callable[[str, str], str]:
    """Lets dbt fail where it grants, after the publish."""

    def note(step: str, text: str) -> str:
        raise RuntimeError("killed")

    return note


def test_first_build(golden: Golden) -> None:
    dbt = new()
    dbt.engine.state_tables.clear()
    dbt.engine.schemas.clear()
    result = run(dbt)
    assert (result.status, result.message) == ("success", "COMPLETE v0, 3 rows: first build")
    golden("first_build", transcript(dbt, "First build, in a project without state"))
    assert dbt.engine.steps == [
        "read_schemas", "ensure_state", "read_extensions", "read_place", "ensure_state",
        "ensure_state", "read_clock", "read_state",
        *LOOK, "read_properties", "read_describe_history",
        "acquire", "read_describe_query", "read_describe_detail",
        "publish", "read_describe_history", "grants", *RECORD,
    ]  # fmt: skip


def test_skip(golden: Golden) -> None:
    dbt = built()
    result = run(dbt)
    assert result.message == "SKIP nothing changed since shop.orders v2"
    assert writes(dbt) == []
    dbt.engine.rest()
    dbt = again(dbt, invocation_id="b")
    run(dbt)
    golden("skip", transcript(dbt, "Nothing changed: no lock, no write to the view"))
    assert writes(dbt) == ["record"]
    dbt = again(dbt, invocation_id="c")
    run(dbt)
    assert writes(dbt) == [], "once an hour is enough"


def test_refresh_by_insert(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    result = run(dbt)
    assert result.message == "COMPLETE v1, 3 rows: shop.orders v2 -> v3" + NO_FEED
    golden("refresh_insert", transcript(dbt, "The source changed: one INSERT, same table"))
    assert writes(dbt) == ["acquire", "publish", "grants", *RECORD]
    assert "version as of 3" in dbt.engine.sql("publish")


def test_refresh_of_groups(golden: Golden) -> None:
    dbt = with_feed(built())
    change_source(dbt)
    dbt.engine.tables[SOURCE].commit(41, "DELETE", numDeletedRows=2)
    dbt.engine.staged = [3, 1]
    result = run(dbt)
    assert (
        result.message == "FAST v1, 6 rows: shop.orders v2 -> v4 (aggregate delta, 12 changed rows)"
    )
    golden("refresh_groups", transcript(dbt, "The source's changes: staged, looked at, one MERGE"))
    assert writes(dbt) == ["acquire", "stage", "publish", "sweep", "grants", *RECORD]


def test_refresh_of_rows(golden: Golden) -> None:
    dbt = of_rows(with_feed(built(Model(sql="select customer, total from shop.orders"))))
    change_source(dbt)
    result = run(dbt)
    assert result.message == "FAST v1, 3 rows: shop.orders v2 -> v3 (row delta, 10 changed rows)"
    golden("refresh_rows", transcript(dbt, "Rows only came: one INSERT of them"))
    assert writes(dbt) == ["acquire", "publish", "grants", *RECORD]


def test_replace_for_a_new_layout(golden: Golden) -> None:
    dbt = built(model=Model(config={"partition_by": ["customer"]}))
    result = run(dbt)
    assert result.message == "COMPLETE v1, 3 rows: configuration changed: partition_by"
    golden("replace_layout", transcript(dbt, "A new partitioning: CREATE OR REPLACE"))
    assert "partitioned by (`customer`)" in dbt.engine.sql("publish")


def test_alter(golden: Golden) -> None:
    before = Model(config={"tblproperties": {"a": "1", "b": "2"}})
    after = Model(config={"tblproperties": {"b": "3"}})
    dbt = built(before, after)
    assert (
        run(dbt).message
        == "FAST v0, 0 rows: configuration changed: tblproperties (no changed rows)"
    )
    golden("alter", transcript(dbt, "Properties change by ALTER, and no row is published"))
    assert writes(dbt) == ["acquire", "alter", "alter", "grants", *RECORD]


def without_feed(dbt: Dbt) -> Dbt:
    """The view as an older release built it: state knows nothing of a feed."""
    for row in dbt.engine.states.values():
        row["spec"]["layout"].pop("change_feed", None)
    return dbt


def test_the_feed_comes_with_the_next_refresh() -> None:
    dbt = without_feed(built())
    assert run(dbt).message.startswith("SKIP nothing changed")
    dbt = without_feed(again(dbt))
    change_source(dbt)
    assert run(dbt).message == "COMPLETE v1, 3 rows: shop.orders v2 -> v3" + NO_FEED
    assert "set tblproperties ('delta.enableChangeDataFeed' = 'true')" in dbt.engine.sql("alter")
    dbt = again(dbt)
    change_source(dbt)
    run(dbt)
    assert "alter" not in writes(dbt)
    assert run(again(dbt)).message.startswith("SKIP nothing changed")


AUDITED = {"audit": ["total >= 0 -- no debts", "count(*) > 0"], "unique_key": "customer"}


def test_audit_staged(golden: Golden) -> None:
    dbt = new(Model(config=AUDITED))
    dbt.engine.audit = [0, 0, 0]
    assert run(dbt).status == "success"
    golden("audit_staged", transcript(dbt, "Audits: staged, checked, published from the stage"))
    assert writes(dbt) == ["acquire", "stage", "publish", "sweep", "grants", *RECORD]


def test_audit_not_met(golden: Golden) -> None:
    dbt = new(Model(config=AUDITED))
    dbt.engine.audit = [4, 0, 2]
    result = run(dbt)
    assert result.message == (
        "dbt_mview: spark_catalog.shop.totals: audit failed: total >= 0 -- no debts (not met 4"
        " times); unique_key customer (2 keys occur more than once). Nothing was published, the"
        " view keeps its last result."
    )
    golden("audit_failed", transcript(dbt, "An audit fails: nothing is published"))
    assert writes(dbt) == ["acquire", "stage", "sweep", *RECORD]
    assert "publish" not in dbt.engine.steps


def test_takeover_rolls_back(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    lock(dbt, lease_until=micros(710), last_refresh_time=micros(600))
    result = run(dbt)
    assert result.status == "success"
    golden("takeover_roll_back", transcript(dbt, "A dead run's lease is over: fenced, undone"))
    assert writes(dbt) == [
        "acquire", "fence", "recover", "recover", *RECORD, "publish", "grants", *RECORD
    ]  # fmt: skip
    assert dbt.logged[:-2] == [f"dbt_mview: {VIEW}: undid the unfinished refresh of run {OTHER}"]


def test_takeover_rolls_forward(golden: Golden) -> None:
    """The dead run had published: its commit is recorded, and there is nothing left to do."""
    dead = built()
    change_source(dead)
    fails(dead, "record", "killed")
    note = dead.engine.note
    dead.engine.note = refuse_grants(dead.engine)  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="killed"):
        run(dead)
    assert dead.engine.states[VIEW]["lock_owner"] == SECOND
    dead.engine.note = note  # type: ignore[method-assign]
    dbt = again(dead, invocation_id=OTHER)
    assert run(dbt).message == "SKIP nothing changed since shop.orders v3"
    golden("takeover_roll_forward", transcript(dbt, "A dead run had published: recorded"))
    assert writes(dbt) == ["acquire", "recover", *RECORD, "release", "grants", "record"]
    assert dbt.logged[:-1] == [
        f"dbt_mview: {VIEW}: recorded the refresh that run {SECOND} had published"
    ]
    state = dbt.engine.states[VIEW]
    assert (state["target_version"], state["lock_owner"], state["lock_token"]) == (1, None, 3)
    assert state["sources"][0]["version"] == 3


def test_busy(golden: Golden) -> None:
    dbt = built()
    lock(dbt)
    result = run(dbt)
    assert result.message == (
        f"dbt_mview: another run ({OTHER}, since 2024-03-01 11:40:00Z) is refreshing {VIEW}. Its"
        " lease ends 2024-03-01 12:40:00Z; if that run is dead, free the view now with `dbt"
        f" run-operation mview_recover --args '{{view: {VIEW}}}'`."
    )
    golden("busy", transcript(dbt, "Another run holds the lock: NOWAIT, nothing is written"))
    assert writes(dbt) == []


def test_lost_race_for_the_lock() -> None:
    """Somebody took the lock between look and acquire: look again, then NOWAIT."""
    dbt = built()
    change_source(dbt)
    dbt.engine.acquire = ["conflict"]
    dbt.engine.on["acquire"] = lambda sql: lock(dbt) and None
    assert "is refreshing" in run(dbt).message
    assert writes(dbt) == ["acquire"]


def test_lost_race_to_a_run_that_is_done() -> None:
    """Somebody else refreshed the view meanwhile: there is nothing left to do."""
    dbt = built()
    state = dict(dbt.engine.states[VIEW])
    dbt.engine.state(VIEW, last_refresh_result="failed")
    dbt.engine.acquire = ["busy"]
    dbt.engine.on["acquire"] = lambda sql: dbt.engine.states.update({VIEW: state})
    result = run(dbt)
    assert result.message == "SKIP nothing changed since shop.orders v2"
    assert writes(dbt) == ["acquire"]


def test_never_the_lock() -> None:
    dbt = new()
    dbt.engine.acquire = ["conflict"] * 30
    assert "the lock could not be taken in 20 tries" in run(dbt).message
    assert writes(dbt).count("acquire") == 20


def test_row_missing(golden: Golden) -> None:
    dbt = built()
    dbt.engine.states.clear()
    result = run(dbt)
    assert result.message.startswith(
        f"dbt_mview: refresh info row missing for {VIEW}. The view was built, but"
        " `shop_mview`.`mview_refresh_info` has no row of it."
    )
    golden("row_missing", transcript(dbt, "The view's row in state is gone: an error"))
    assert "publish" not in writes(dbt) and "acquire" not in writes(dbt)


def test_row_missing_stays_an_error() -> None:
    dbt = built()
    dbt.engine.states.clear()
    first = run(dbt).message
    assert run(again(dbt)).message == first
    assert (
        again(dbt)
        .operation("mview_recover", view="totals")[-1]
        .endswith("state restored from version 0")
    )


def test_row_missing_and_full_refresh() -> None:
    dbt = built(full_refresh=True)
    dbt.engine.states.clear()
    assert run(dbt).message == "COMPLETE v1, 3 rows: full refresh asked for"


def test_refreshes_after_a_full_refresh_without_row() -> None:
    dbt = built()
    for number in range(3):
        change_source(dbt, 40 + number)
        dbt = again(dbt, invocation_id=f"run-{number}")
        assert run(dbt).status == "success"
    dbt.engine.states.clear()
    assert run(again(dbt, full_refresh=True)).status == "success"
    change_source(dbt, 50)
    assert run(again(dbt, invocation_id="after")).message == (
        "COMPLETE v5, 3 rows: shop.orders v5 -> v6" + NO_FEED
    )


@pytest.mark.parametrize("kind", ["view", "parquet"])
def test_swap(golden: Golden, kind: str) -> None:
    dbt = new()
    other: Any = Foreign() if kind == "parquet" else View("select 1", [("a", "int")])
    dbt.engine.tables[VIEW] = other

    result = run(dbt)
    assert result.message == f"COMPLETE v0, 3 rows: first build in place of a {kind}"
    golden(f"swap_{kind}", transcript(dbt, f"In place of a {kind}: the rename chain"))
    assert writes(dbt) == [
        "acquire", "publish", "swap_out", "swap_in", "sweep", "grants", *RECORD
    ]  # fmt: skip
    assert dbt.engine.tables[VIEW].kind == "delta"


def test_swap_without_the_lock() -> None:
    dbt = new()
    dbt.engine.tables[VIEW] = Foreign()
    dbt.engine.on["read_state"] = lambda sql: "publish" in dbt.engine.steps and lock(dbt) and None
    assert "lock lost: another run took over" in run(dbt).message
    assert "swap_out" not in writes(dbt)
    assert dbt.engine.tables[VIEW].kind == "parquet"


def test_fenced_publish(golden: Golden) -> None:
    """Delta drops a publish with an old token without an error: the lock tells."""
    dbt = built()
    change_source(dbt)
    dbt.engine.publishes = False
    dbt.engine.on["publish"] = lambda sql: lock(dbt) and None
    result = run(dbt)
    assert "lock lost: another run took over the refresh, nothing was published" in result.message
    golden("fenced", transcript(dbt, "The publish was fenced: lock lost"))


def test_a_publish_that_changes_nothing() -> None:
    """Delta records no commit without rows: the lock is still held, what was read is news."""
    dbt = built()
    change_source(dbt)
    dbt.engine.rows = 0
    assert run(dbt).message.startswith("COMPLETE v0, 0 rows: shop.orders v2 -> v3")
    state = dbt.engine.states[VIEW]
    assert (state["target_version"], state["sources"][0]["version"]) == (0, 3)
    assert run(again(dbt, invocation_id="after")).message.startswith("SKIP")


def test_deferred(golden: Golden) -> None:
    dbt = new(Model(config={"build": "deferred", **AUDITED}))
    result = run(dbt)
    assert result.message == "DEFERRED v0, 3 rows: build is deferred"
    golden("deferred", transcript(dbt, "build: deferred: the table, and no rows"))
    assert "\nwhere false\nunion all" in dbt.engine.sql("publish")
    assert outcomes(dbt)[VIEW]["read_time"] is None


def test_hooks_grants_docs(golden: Golden) -> None:
    config = {
        "pre_hook": ["select 'before'"],
        "post_hook": ["select 'after'"],
        "grants": {"select": ["ann"]},
        "persist_docs": {"relation": True, "columns": True},
    }
    columns = {"total": {"description": "It's the sum."}, "gone": {"description": "No column."}}
    before = Model(config=config, description="Old.", columns=columns)
    after = Model(config=config, description="It's new.", columns=columns)
    dbt = built(before, after)
    change_source(dbt)
    assert run(dbt).status == "success"
    golden("hooks_grants_docs", transcript(dbt, "Hooks, grants and comments around a refresh"))
    assert writes(dbt) == [
        "hook", "acquire", "publish", "docs", "docs", "grants", "hook", *RECORD
    ]  # fmt: skip


def test_a_skip_runs_no_hooks() -> None:
    dbt = built(Model(config={"pre_hook": ["select 1"], "post_hook": ["select 2"]}))
    assert run(dbt).message.startswith("SKIP")
    assert "hook" not in dbt.engine.steps and "grants" not in dbt.engine.steps


def test_publish_fails(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    fails(dbt, "publish", "[DELTA_VIOLATE_CONSTRAINT] it's broken; \\ ${x}")
    result = run(dbt)
    assert result.message == "[DELTA_VIOLATE_CONSTRAINT] it's broken; \\ ${x}"
    golden("publish_failed", transcript(dbt, "The publish fails: reason noted, lock freed"))
    assert writes(dbt) == ["acquire", "publish", "fence", *RECORD]


def test_hook_fails_after_publishing() -> None:
    dbt = built()
    change_source(dbt)
    dbt.engine.note = refuse_grants(dbt.engine)  # type: ignore[method-assign]
    assert run(dbt).message == "killed"
    outcome = outcomes(dbt)[VIEW]
    assert (outcome["result"], outcome["target_version"]) == ("success", 1)
    assert outcome["failed_reason"] == "published, but failed afterwards: killed"


def test_what_comes_after_a_publish_is_made_good() -> None:
    """Grants, comments and the hook of a refresh that failed after its publish, once."""
    config = {
        "post_hook": ["select 'after'"],
        "grants": {"select": ["ann"]},
        "persist_docs": {"relation": True},
    }
    dbt = built(Model(config=config, description="It's new."))
    change_source(dbt)
    note = dbt.engine.note
    dbt.engine.note = refuse_grants(dbt.engine)  # type: ignore[method-assign]
    assert run(dbt).status == "error"
    assert dbt.engine.states[VIEW]["spec"]["unfinished"] is True
    assert run(again(dbt, invocation_id="b")).status == "error", "until it succeeds"
    assert dbt.engine.states[VIEW]["last_refresh_result"] == "success"
    dbt.engine.note = note  # type: ignore[method-assign]
    dbt = again(dbt, invocation_id="c")
    assert run(dbt).message.startswith("SKIP nothing changed")
    assert writes(dbt) == ["grants", "docs", "hook", "record"]
    assert "unfinished" not in dbt.engine.states[VIEW]["spec"]
    dbt = again(dbt, invocation_id="d")
    run(dbt)
    assert writes(dbt) == []


def test_grants_of_a_table_that_an_operation_built() -> None:
    dbt = built(Model(config={"grants": {"select": ["ann"]}}))
    del dbt.engine.tables[VIEW]
    dbt = again(dbt, invocation_id="b")
    dbt.operation("mview_refresh", view="totals")
    assert "grants" not in dbt.engine.steps
    dbt = again(dbt, invocation_id="c")
    assert run(dbt).message.startswith("SKIP nothing changed")
    assert writes(dbt) == ["grants", "record"]


def test_dbt_forgets_what_stood_there() -> None:
    """Its cache says view; a drop in this run would be one of a view."""
    dbt = new()
    dbt.engine.tables[VIEW] = View("select 1", [("a", "int")])
    assert run(dbt).status == "success"
    assert dbt.forgotten == ["shop.totals"]
    dbt = again(dbt, invocation_id="b")
    change_source(dbt)
    run(dbt)
    assert dbt.forgotten == []


def test_query_that_does_not_analyze() -> None:
    dbt = built()
    fails(dbt, "read_explain", "[UNRESOLVED_COLUMN] x")
    assert run(dbt).message == "[UNRESOLVED_COLUMN] x"
    assert writes(dbt) == RECORD


def test_a_view_that_reads_itself() -> None:
    dbt = built()
    dbt.engine.reads(SOURCE, VIEW)
    assert "the query reads the view itself. A view cannot feed itself." in run(dbt).message
    assert "acquire" not in writes(dbt)


def test_source_is_a_view(golden: Golden) -> None:
    dbt = new(Model(sql="select customer, total from shop.stg"))
    text = "select customer, amount as total from shop.orders"
    dbt.engine.tables["spark_catalog.shop.stg"] = View(
        text, [("customer", "string"), ("total", "bigint")]
    )
    dbt.engine.reads(SOURCE, views=("spark_catalog.shop.stg",))
    assert run(dbt).status == "success"
    golden("source_is_a_view", transcript(dbt, "A staging view is bound by its text"))
    assert "`shop`.`orders` version as of 2" in dbt.engine.sql("publish")


def test_source_is_not_delta() -> None:
    dbt = new()
    dbt.engine.tables[SOURCE] = Foreign()
    assert run(dbt).status == "success"
    assert "version as of" not in dbt.engine.sql("publish")
    assert outcomes(dbt)[VIEW]["sources"][0]["version"] is None


def test_all_views_of_a_run_read_one_snapshot() -> None:
    """A source that changes while the run goes on is read as of the run's start."""
    models = [Model("totals"), Model("more", sql="select * from shop.orders")]
    engine = new().engine
    dbt = Dbt(engine, *models)
    once: list[str] = []

    def change(sql: str) -> None:
        if not once:
            once.append(sql)
            change_source(dbt, minute=721)

    engine.on["publish"] = change
    assert [result.status for result in dbt.run()] == ["success", "success"]
    assert "version as of 2" in engine.sql("publish", 0)
    assert "version as of 2" in engine.sql("publish", 1)
    assert [o["sources"][0]["version"] for o in outcomes(dbt).values()] == [2, 2]


def test_latest_reads_what_is_there_now() -> None:
    dbt = new(Model(config={"read_consistency": "latest"}))
    change_source(dbt, minute=721)
    assert run(dbt).status == "success"
    assert "version as of 3" in dbt.engine.sql("publish")


def test_a_view_never_goes_back() -> None:
    """Another run has read further than this run's snapshot: all at their latest instead."""
    dbt = built(Model(config={"refresh": "complete"}))
    change_source(dbt, minute=725)
    dbt.engine.states[VIEW]["sources"][0].update(version=3, commit_time=micros(725))
    dbt.engine.state(VIEW, last_refresh_result="failed")
    assert run(dbt).status == "success"
    assert "version as of 3" in dbt.engine.sql("publish")


def test_a_source_built_in_this_run_is_read_as_built() -> None:
    engine: Engine = new().engine
    source = Model("orders", materialized="table")
    dbt = Dbt(engine, source, Model())
    change_source(dbt, minute=721)
    dbt.run()
    assert "version as of 3" in engine.sql("publish")


def test_somebody_wrote_to_the_view() -> None:
    dbt = built()
    dbt.engine.tables[VIEW].commits.append(Commit(1, 700, "DELETE"))
    assert run(dbt).message == (
        "COMPLETE v2, 3 rows: TARGET_CHANGED: DELETE by somebody else in version 1"
    )
    assert dbt.engine.sql("publish").split("\n")[1].startswith("create or replace table")


def test_somebody_recreated_the_view() -> None:
    dbt = built()
    dbt.engine.tables[VIEW] = delta(700)
    assert "TARGET_CHANGED: it was dropped or recreated" in run(dbt).message


@pytest.mark.parametrize("choice", ["continue", "fail"])
def test_on_configuration_change(choice: str) -> None:
    dbt = built(model=Model(config={"partition_by": "customer", "on_configuration_change": choice}))
    result = run(dbt)
    text = (
        f"Configuration changes were identified and `on_configuration_change` was set to `{choice}`"
    )
    if choice == "fail":
        assert result.status == "error" and text in result.message
    else:
        assert result.message == "SKIP configuration changed (partition_by), left alone: continue"
        assert text in dbt.warned[0]
    assert "publish" not in writes(dbt)
