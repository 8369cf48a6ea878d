"""Views that are published together, after one decision."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.deaths import Killed, restart, stop_at
from ..kit.harness import Dbt, DbtError, Model
from ..kit.lexer import has_variable
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.records import as_delta_plan, as_job
from ..kit.scenes import (
    GROUPED,
    MEMBER_IDS,
    MEMBERS,
    OTHER,
    SOURCE,
    VIEW,
    again,
    change_source,
    group,
    new,
    of_rows,
    refreshes,
    transcript,
    with_feed,
)

# The config refresh_group, and what it does not go with.


SPEC = {"mview_id": "c.shop.totals"}


def error(*models: Model, without: str = "") -> str:
    """What the first of these models is refused for."""
    dbt = Dbt(None, *models)
    dbt.use(models[0])
    dbt.context["selected_resources"] = [
        model.unique_id for model in models if model.name != without
    ]
    with pytest.raises(DbtError) as raised:
        dbt("_refresh_group", SPEC)
    return str(raised.value)


def test_the_name() -> None:
    dbt = Dbt(None, *MEMBERS, Model("alone"))
    dbt.use(MEMBERS[0])
    assert dbt("_refresh_group", SPEC) == "sales"
    dbt.use(dbt.models[2])
    assert dbt("_refresh_group", SPEC) is None


@pytest.mark.parametrize("name", ["", " ", 7, ["a"], {"a": 1}, "a b", "a,b", "a'b"])
def test_what_is_no_name(name: Any) -> None:
    assert f"refresh_group is '{name}'" in error(Model(config={"refresh_group": name}))


def test_members_that_the_run_leaves_out() -> None:
    text = error(*MEMBERS, without="sums")
    assert text.startswith(
        "dbt_mview: c.shop.totals: it belongs to refresh_group 'sales', but this"
    )
    assert "this run leaves out model.shop.sums. Run all of it" in text
    assert "--select config.refresh_group:sales" in text


def test_members_that_read_each_other() -> None:
    middle = Model("middle", materialized="table", parents=["model.shop.sums", "source.x"])
    last = Model(config=GROUPED, parents=["model.shop.middle"])
    assert "it reads another member, model.shop.sums." in error(last, middle, MEMBERS[1])


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"read_consistency": "latest"}, "its read_consistency is 'latest'. Members read one"),
        ({"on_configuration_change": "continue"}, "is 'continue', which leaves it behind. Set it"),
        ({"post_hook": ["select 1"]}, "it has a post_hook, which would run before the group"),
    ],
)
def test_configs_that_do_not_go_with_it(config: dict[str, Any], text: str) -> None:
    assert text in error(Model(config={**GROUPED, **config}))


def test_another_name_of_the_materialization() -> None:
    text = error(Model(config={**GROUPED, "materialized": "materialized_view"}))
    assert "its materialization is 'materialized_view'. Members of a group say" in text


def test_ancestors() -> None:
    models = [
        Model("a", parents=["model.shop.b"]),
        Model("b", parents=["source.s", "model.shop.c"]),
    ]
    dbt = Dbt(None, *models, Model("c"))
    assert dbt("_ancestors", "model.shop.a") == ["model.shop.b", "source.s", "model.shop.c"]
    assert dbt("_ancestors", "model.shop.c") == []


# What an invocation knows of a group.


def test_members_are_the_models_of_the_name() -> None:
    others = (
        Model("alone"),
        Model("other", config={"refresh_group": "stock"}),
        Model("folder", config=GROUPED, materialized="table"),
    )
    group = Dbt(None, *MEMBERS, *others)("_group", "sales")
    assert group["members"] == sorted(one.unique_id for one in MEMBERS)
    assert (group["arrived"], group["published"]) == ([], False)


def test_it_is_one_for_all() -> None:
    dbt = Dbt(None, *MEMBERS)
    dbt("_group", "sales")["arrived"].append("x")
    assert dbt("_group", "sales")["arrived"] == ["x"]


@pytest.mark.parametrize(
    ("configs", "selector"),
    [
        ([GROUPED, GROUPED], "config.refresh_group:sales"),
        ([{"meta": GROUPED}], "config.meta.refresh_group:sales"),
        (
            [GROUPED, {"meta": GROUPED}],
            "config.refresh_group:sales config.meta.refresh_group:sales",
        ),
    ],
)
def test_what_selects_it(configs: list[dict[str, Any]], selector: str) -> None:
    models = [Model(f"m{number}", config=config) for number, config in enumerate(configs)]
    assert Dbt(None, *models)("_group_selector", "sales") == selector


@pytest.mark.parametrize("published", [False, True])
def test_the_first_reader_decides_for_all(published: bool) -> None:
    dbt = Dbt(None, Model(config=GROUPED))
    assert dbt("_group_is_read_as_of_start", None) is False
    dbt("_group", "sales")["published"] = published
    assert dbt("_group_is_read_as_of_start", "sales") is not published
    dbt("_group", "sales")["published"] = True
    assert dbt("_group_is_read_as_of_start", "sales") is not published


# The last member to arrive publishes all, after one decision; a run that dies is made good.


STEPS = [
    "acquire", "stage", "grants", "acquire", "stage", "grants",
    "decide", "publish", "sweep", "publish", "sweep", "record", "record",
]  # fmt: skip
WRITES = [step for step in STEPS if step != "grants"]
DECIDED = WRITES.index("decide")


def test_the_last_one_publishes_all(golden: Golden) -> None:
    dbt = group()
    first, second = dbt.run()
    reason = "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE: no change data feed"
    assert first.message.startswith(f"STAGED COMPLETE for refresh_group sales: {reason}")
    assert second.message.startswith(f"COMPLETE v1, 3 rows: {reason}")
    golden("group_published", transcript(dbt, "A refresh group: staged, decided, published"))
    assert [one.step for one in dbt.engine.writes] == STEPS
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["target_version"], state["last_refresh_result"]) == (1, "success")
        assert state["lock_owner"] is None and state["intent"] is None
    assert dbt("_memory")["groups"]["sales"]["published"]


def test_first_builds_do_not_wait() -> None:
    dbt = new(MEMBERS[0])
    dbt = Dbt(dbt.engine, *MEMBERS)
    assert [result.message.split(" v")[0] for result in dbt.run()] == ["COMPLETE", "COMPLETE"]
    assert "decide" not in dbt.engine.steps and "stage" not in dbt.engine.steps


def test_one_that_changed_alone_needs_no_decision() -> None:
    other = "customer, max(amount) as total from shop.refunds group by customer"
    dbt = group()
    dbt.run()
    dbt = again(dbt, MEMBERS[0], Model("sums", sql=f"select {other}", config=GROUPED))
    first, second = dbt.run()
    assert first.message.startswith("SKIP")
    assert second.message.startswith("COMPLETE v2"), second.message
    assert "decide" not in dbt.engine.steps and "stage" in dbt.engine.steps


def test_one_that_changed_alone_fails_by_its_own_error() -> None:
    """Though the node that fails is that of the last to arrive, which had nothing to do."""
    other = "customer, max(amount) as total from shop.refunds group by customer"
    dbt = group()
    dbt.run()
    changed = Model(MEMBERS[0].name, sql=f"select {other}", config=GROUPED)
    dbt = again(dbt, changed, MEMBERS[1], invocation_id=OTHER)

    def refuse(sql: str) -> None:
        raise RuntimeError("disk full")

    dbt.engine.on["publish"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    staged, skipped = (dbt.engine.states[mview_id] for mview_id in MEMBER_IDS)
    assert staged["last_refresh_failed_reason"] == "disk full"
    assert (staged["last_refresh_result"], staged["lock_owner"]) == ("failed", None)
    assert (skipped["last_refresh_result"], skipped["failures"]) == ("success", None)
    assert skipped["last_refresh_failed_reason"] is None


def test_nothing_is_published_where_a_member_fails() -> None:
    dbt = group()

    def refuse(sql: str) -> None:
        if "sums" in sql or len([one for one in dbt.engine.steps if one == "stage"]) > 1:
            raise RuntimeError("disk full")

    dbt.engine.on["stage"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]
    told = "refresh_group 'sales' was not published, because not all of its members got that far"
    assert dbt.engine.states[MEMBER_IDS[0]]["last_refresh_failed_reason"] == told
    assert dbt.engine.states[MEMBER_IDS[1]]["last_refresh_failed_reason"] == "disk full"
    for mview_id in MEMBER_IDS:
        assert dbt.engine.states[mview_id]["lock_owner"] is None
    assert not [name for name in dbt.engine.tables if "stage" in name]
    assert {result.status for result in again(dbt, invocation_id=OTHER).run()} == {"success"}
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]


def test_a_publish_that_fails_after_the_decision_is_done_at_the_end() -> None:
    dbt = group()
    seen = []

    def refuse(sql: str) -> None:
        seen.append(sql)
        if len(seen) == 2:
            raise RuntimeError("disk full")

    dbt.engine.on["publish"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "disk full")
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)


@pytest.mark.parametrize("alone", [False, True])
def test_a_sweep_that_fails_is_done_at_the_end(alone: bool) -> None:
    """The node that fails is the last one to arrive; what it swept for was published."""
    dbt = group()
    if alone:
        dbt.run()
        other = "customer, max(amount) as total from shop.refunds group by customer"
        dbt = again(dbt, Model("totals", sql=f"select {other}", config=GROUPED), MEMBERS[1])

    def refuse(sql: str) -> None:
        if dbt.engine.steps.count("sweep") == 1:
            raise RuntimeError("no connection")

    dbt.engine.on["sweep"] = refuse
    first, second = dbt.run()
    assert (first.status, second.status, second.message) == ("success", "error", "no connection")
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)
    assert dbt.engine.steps.count("publish") == 2 - alone
    assert not [name for name in dbt.engine.tables if "stage" in name]


def test_constraints_are_checked_on_whole_results_before_the_decision() -> None:
    """What is decided must not fail any more: FAST would meet them in its publish."""
    few = {"type": "check", "name": "few", "expression": "total < 5", "columns": []}
    members = [
        Model(
            one.name,
            config={**GROUPED, "contract": {"enforced": True}},
            constraints=[{**few, "warn_unenforced": False}],
            columns={"customer": {}, "total": {}},
        )
        for one in MEMBERS
    ]
    dbt = with_feed(group(*members))
    dbt.run()
    jobs = list(dbt("_memory")["jobs"].values())
    assert [job["method"] for job in jobs] == ["complete"] * 2
    assert all(job["not_fast"]["code"] == "CONSTRAINTS_OF_A_GROUP" for job in jobs)
    # Where no row came or went, there is nothing to check.
    dbt = again(dbt)
    dbt.engine.tables[SOURCE].commit(60, "OPTIMIZE")
    told = [result.message for result in dbt.run()]
    assert told[1].startswith("FAST") and told[1].endswith("(no changed rows)"), told
    assert "publish" not in dbt.engine.steps


def test_a_recovery_publishes_what_the_one_that_took_over_had_decided() -> None:
    first = group()
    stop_at(first, WRITES.index("stage"), True, Killed())
    with pytest.raises(Killed):
        first.run()
    second = restart(first, minutes=120)

    def killed(_: str) -> None:
        raise Killed

    second.engine.on["publish"] = killed
    with pytest.raises(Killed):
        second.run()
    assert "decide" in second.engine.steps
    second.engine.on.clear()
    second.engine.minute += 120
    third = again(second, invocation_id="third")
    third.operation("mview_recover")
    assert [refreshes(third, one) for one in MEMBER_IDS] == [2, 2]
    assert [third.engine.states[one]["lock_owner"] for one in MEMBER_IDS] == [None, None]


def test_a_lock_that_was_lost_keeps_all_old() -> None:
    dbt = group()

    def take(sql: str) -> None:
        dbt.engine.states[MEMBER_IDS[0]].update(lock_token=9, refresh_job_id="other")

    dbt.engine.on["decide"] = take
    _, second = dbt.run()
    assert second.status == "error" and "lock lost" in second.message
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1, 1]


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("number", range(len(WRITES)), ids=lambda n: f"{n}-{WRITES[n]}")
@pytest.mark.parametrize("by", ["run", "recover"])
def test_a_run_that_dies(number: int, done: bool, by: str) -> None:
    """All old before the decision and all new after it, whoever repairs."""
    dead = group()
    stop_at(dead, number, done, Killed())
    with pytest.raises(Killed):
        dead.run()
    dbt = restart(dead, minutes=120)
    decided = number > DECIDED or (number == DECIDED and done)
    if by == "recover":
        dbt.operation("mview_recover")
        assert [refreshes(dbt, one) for one in MEMBER_IDS] == [1 + decided] * 2
        dbt = again(dbt, *MEMBERS, invocation_id="after")
    results = dbt.run()
    assert {result.status for result in results} == {"success"}, results
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]
    for mview_id in MEMBER_IDS:
        state = dbt.engine.states[mview_id]
        assert (state["last_refresh_result"], state["lock_owner"]) == ("success", None)
        assert state["sources"][0]["version"] == 3
    assert not [name for name in dbt.engine.tables if "stage" in name]


def test_full_refresh_gives_up_what_was_decided() -> None:
    dead = group()
    stop_at(dead, DECIDED, True, Killed())
    with pytest.raises(Killed):
        dead.run()
    for name in [name for name in dead.engine.tables if "stage" in name]:
        del dead.engine.tables[name]
    del dead.engine.execute
    dead.engine.minute += 120
    dead.engine.forget()
    dbt = Dbt(dead.engine, *MEMBERS, invocation_id=OTHER, full_refresh=True)
    assert {result.status for result in dbt.run()} == {"success"}
    assert [refreshes(dbt, one) for one in MEMBER_IDS] == [2, 2]


def test_what_reads_a_member_sees_the_start_until_all_is_published() -> None:
    reader = Model("report", sql="select customer, total from shop.totals")
    dbt: Any = group(*MEMBERS)
    dbt = Dbt(dbt.engine, MEMBERS[0], reader, MEMBERS[1], invocation_id=OTHER)
    dbt.engine.reads(MEMBER_IDS[0])
    change_source(dbt, 50)
    assert not dbt("_group_is_read_as_of_start", None)
    assert dbt("_run_start", MEMBER_IDS[0]) is not None
    dbt("_group", "sales")["published"] = True
    assert dbt("_run_start", MEMBER_IDS[1]) is not None
    fresh = Dbt(dbt.engine, *MEMBERS, invocation_id="later")
    fresh("_group", "sales")["published"] = True
    assert fresh("_run_start", MEMBER_IDS[0]) is None


def test_of_two_that_arrive_at_one_moment_one_publishes() -> None:
    dbt = group()
    dbt("_group", "sales")["leader"] = "another"
    dbt.run()
    assert "stage" in dbt.engine.steps
    assert "decide" not in dbt.engine.steps and "publish" not in dbt.engine.steps


def test_rows_that_only_come_are_staged_as_well() -> None:
    """Nothing may fail any more once the group is decided."""
    dbt = of_rows(with_feed(group()))
    dbt.run()
    jobs = [
        (job["method"], job["publish"], job["staged"]) for job in dbt("_memory")["jobs"].values()
    ]
    assert jobs == [("fast", "merge", True)] * 2


# Step decide, and what a later run publishes from it.


def job(**values: Any) -> dict[str, Any]:
    """A job with all that its redo may need."""
    target = {"history": [{"version": 4}, {"version": 3}]}
    return as_job({"id": "j", "target": target, **values})


def test_redo_is_a_part_of_the_job() -> None:
    dbt = group()
    redo = dbt("_redo", job(columns=[{"name": "a"}], token=7, state={"big": 1}))
    assert redo["id"] == "j" and redo["columns"] == [{"name": "a"}]
    assert redo["target"] == {"history": [{"version": 4}]}
    assert not {"state", "spec"} & set(redo)


def test_redo_of_fast_leaves_out_what_only_staging_needs() -> None:
    said = {"strategy": "affected keys", "keys": ["a"], "lacks": "grouping_id()"}
    plan = as_delta_plan({**said, "terms": ["much"], "changes": ["more"], "derived": ["most"]})
    redo = group()("_redo", job(fast=plan))
    kept = {"reason": None, **said, "values": {}, "one_row": False}
    assert redo["fast"] == kept and list(redo["fast"]) == [key for key in plan if key in kept]
    assert plan["terms"] and plan["changes"]


def test_a_decision_of_an_older_release_is_read_in_the_words_of_this_one() -> None:
    dbt = group()
    values = {"n": "count_all", "m": "average", "w": "overflowable_sum", "o": "holistic"}
    averages = {"m": {"sum": "n", "count": None, "rows": None}}
    said = {"strategy": "aggregate delta", "keys": ["k"], "values": values, "averages": averages}
    now = dbt("_redo", job(fast=as_delta_plan(said), undecided=3))
    old = {**now, "fast": dict(now["fast"])}
    old["fast"]["values"] = {"n": "count_all", "m": "mean", "w": "wide_sum", "o": "other"}
    old["fast"]["means"] = old["fast"].pop("averages")
    old["doubts"] = old.pop("undecided")
    stored = copy.deepcopy(old)
    assert dbt("_decision_of_older", old) == now and old == stored
    assert dbt("_decision_of_older", now) == now
    assert set(values.values()) - {"holistic"} <= set(dbt("_aggregates"))
    assert dbt("_decision_of_older", {"fast": None, "doubts": 2}) == {"fast": None, "undecided": 2}
    assert dbt("_decision_of_older", None) is None and dbt("_decision_of_older", {}) is None


DELTA = {"kind": "delta", "history": []}


def test_nothing_decided_nothing_published() -> None:
    dbt = group()
    spec = {"full_refresh": False}
    for intent in (None, {}, {"redo": {"publish": "nothing"}}):
        holder = {"job_id": "x", "intent": intent}
        assert dbt("_publish_decided", spec, {"target": DELTA}, holder) is False
    for target, full in ((DELTA, True), ({"kind": "missing", "history": []}, False)):
        holder = {"job_id": "x", "intent": {"redo": {"publish": "merge"}}}
        assert dbt("_publish_decided", {"full_refresh": full}, {"target": target}, holder) is False
    assert dbt.engine.log == []


def test_the_new_holder_publishes_under_its_own_lock_and_the_old_id() -> None:
    dead = with_feed(group())
    decided: list[str] = []

    def die(sql: str) -> None:
        decided.append(sql)
        raise KeyboardInterrupt

    dead.engine.on["publish"] = die
    try:
        dead.run()
    except KeyboardInterrupt:
        pass
    dead.engine.minute += 120
    dbt = again(dead, invocation_id=OTHER)
    dbt.operation("mview_recover", view="totals")
    sql = dbt.engine.sql("publish")
    (old,) = decided
    assert sql.startswith(old.split("*/")[0]), "the same step, the same id"
    assert "and lock_token = 2\n" in old and "and lock_token = 3\n" in sql
    noted = b'"lock_token": 2,'.hex()
    assert noted in old and noted in sql, "the new holder publishes under its own token yet"
    state = dbt.engine.states[VIEW]
    assert f"and refresh_job_id = '{state['refresh_job_id']}'" in sql
    assert state["last_refresh_type"] == "fast"
    assert "mview_stage_" in sql and sql.count("mview_stage_") == old.count("mview_stage_")
    assert dbt.engine.states[MEMBER_IDS[1]]["lock_owner"] is not None, "that one is recovered alone"
    assert [line for line in dbt.logged if "published and recorded the refresh that run" in line]


def test_properties_are_set_before_what_was_decided_is_published() -> None:
    config = {**GROUPED, "tblproperties": {"a": "1"}}
    members = [Model(one.name, config=config) for one in MEMBERS]
    dead = Dbt(group().engine, *members, invocation_id="x")

    def die(_: str) -> None:
        raise Killed

    dead.engine.on["alter"] = die
    with pytest.raises(Killed):
        dead.run()
    assert "decide" in dead.engine.steps
    dead.engine.minute += 120
    dbt = again(dead, *members, invocation_id=OTHER)
    dbt.operation("mview_recover", view="totals")
    writes = [one.step for one in dbt.engine.writes if one.step in ("alter", "publish")]
    assert writes == ["alter", "publish"]


# The decision on a group.


def decided_job(name: str) -> dict[str, Any]:
    """A staged member."""
    spec = {"mview_id": name, "definition": "select 1", "stored": {"a": name}}
    target = {"kind": "delta", "history": [{"version": 1}]}
    return as_job({"spec": spec, "id": "j" + name, "token": 3, "target": target})


def test_one_row_for_each() -> None:
    sql = Dbt()("_decide_sql", [decided_job("a"), decided_job("b")])
    assert parse(sql)
    assert "('a', 3, 'ja', '{" in sql and "('b', 3, 'jb', '{" in sql
    assert "t.mview_id in ('a', 'b')" in sql


@pytest.mark.parametrize("text", NASTY)
def test_names(text: str) -> None:
    dbt = Dbt()
    sql = dbt("_decide_sql", [decided_job(text)])
    assert sql.count(dbt("_literal", text)) == 2 and not has_variable(sql)
