"""FAST or COMPLETE, with a stage or without."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.engine import Engine, delta
from ..kit.harness import Dbt, DbtError
from ..kit.jobs import SPEC, affected_keys_job, aggregate_delta_job, columns, job, row_delta_job
from ..kit.records import as_delta_plan, as_job, as_reason, as_spec
from ..kit.scenes import SOURCE, VIEW, again, built, changed, new, of_rows, small, with_feed

# FAST or COMPLETE, and how it is published.


def chosen(dbt: Dbt) -> tuple[Any, ...]:
    """(method, publish, staged) of a run of the view."""
    (result,) = dbt.run()
    assert result.status == "success", result.message
    job = dbt("_memory")["jobs"][dbt.models[0].unique_id]
    return job["method"], job["publish"], job["staged"]


def test_groups() -> None:
    assert chosen(changed()) == ("fast", "merge", True)
    assert chosen(changed(refresh="fast")) == ("fast", "merge", True)


def test_groups_of_a_small_view() -> None:
    """The changes are read where they are published."""
    assert chosen(small(changed())) == ("fast", "merge", False)


def test_rows_that_only_come() -> None:
    """Nothing to look at before they are published."""
    assert chosen(of_rows(changed())) == ("fast", "append", False)


def test_rows_that_come_with_a_unique_key() -> None:
    assert chosen(of_rows(changed(unique_key="customer"))) == ("fast", "merge", True)


def test_rows_that_go() -> None:
    dbt = of_rows(changed())
    dbt.engine.tables[SOURCE].commit(41, "DELETE", numDeletedRows=1)
    assert chosen(dbt) == ("fast", "merge", True)


def test_nothing() -> None:
    dbt = with_feed(built())
    dbt.engine.tables[SOURCE].commit(40, "OPTIMIZE")
    assert chosen(dbt) == ("fast", "nothing", False)


def test_not_asked() -> None:
    """No question is sent where the answer does not matter."""
    for dbt in (new(), changed(refresh="complete")):
        assert chosen(dbt)[0] == "complete"
        assert "read_functions" not in dbt.engine.steps
    dbt = Dbt(changed().engine, full_refresh=True)
    assert chosen(dbt) == ("complete", "replace", False)


def test_asked_by_an_operation() -> None:
    dbt = changed()
    (line,) = dbt.operation("mview_refresh", view="totals", method="complete")
    assert "COMPLETE v1, 3 rows: complete refresh asked for" in line


def test_a_reason_is_said_once() -> None:
    dbt = built()
    spec = {"mview_id": "c.s.v", "refresh": "auto", "full_refresh": False, "asked": False}
    job = {
        **as_job({}),
        "reason": as_reason("DEFINITION_CHANGED"),
        "waits": False,
        "reads": {"nondeterministic": []},
        "unbound": [],
        "state": {
            "last_successful_refresh_read_time": 1,
            "last_refresh_result": "success",
            "spec": {"layout": {}},
        },
        "target": {"kind": "delta"},
    }
    job["explain_only"] = False
    dbt("_choose_method", spec, job)
    assert dbt("_reason_of_job", job) == "DEFINITION_CHANGED"
    job["unbound"] = ["x"]
    dbt("_choose_method", spec, job)
    assert dbt("_reason_of_job", job) == "DEFINITION_CHANGED; not FAST: SOURCE_NOT_BOUND: x"
    with pytest.raises(DbtError, match="this refresh cannot be: SOURCE_NOT_BOUND: x"):
        dbt("_choose_method", {**spec, "refresh": "fast"}, job)
    dbt("_choose_method", {**spec, "refresh": "fast"}, {**job, "explain_only": True})


def overwritten(compared: tuple[Any, ...], **config: Any) -> Dbt:
    """A view whose source was overwritten; how many rows came and went between its versions."""
    dbt = changed(**config)
    dbt.engine.tables[SOURCE].commit(41, "TRUNCATE")
    dbt.engine.compared = compared
    return dbt


UNREADABLE = "CHANGE_DATA_UNAVAILABLE: shop.orders: its version 2 cannot be read"


@pytest.mark.parametrize(
    ("compared", "auto", "fast"),
    [
        (
            (5, 6),
            "FAST v1, 6 rows: ({}, 11 changed rows)",
            "FAST v1, 6 rows: ({}, 11 changed rows)",
        ),
        ((0, 0), "FAST v0, 0 rows: (no changed rows)", "FAST v0, 0 rows: (no changed rows)"),
        (
            (500, 6),
            "COMPLETE v1, 3 rows: TOO_MANY_CHANGES: 506 of the 1000 rows of shop.orders",
            "FAST v1, 6 rows: ({}, 506 changed rows)",
        ),
        (
            ("failed",),
            f"COMPLETE v1, 3 rows: {UNREADABLE}",
            f"refresh is 'fast' and this refresh cannot be: {UNREADABLE}",
        ),
    ],
)
def test_an_overwritten_source(compared: tuple[Any, ...], auto: str, fast: str) -> None:
    """Its versions are compared; `fast` insists where AUTO would build anew."""
    for refresh, told in [("auto", auto), ("fast", fast)]:
        dbt = overwritten(compared, refresh=refresh)
        (result,) = dbt.run()
        message = result.message.replace("shop.orders v2 -> v4 ", "")
        message = message.replace("shop.orders v2 -> v4; not FAST: ", "")
        assert told.format("aggregate delta, compared versions") in message
        assert dbt.engine.steps.count("read_compared") == 1


def test_versions_are_not_compared_in_vain_again() -> None:
    dbt = overwritten((500, 6))
    assert dbt.run()[0].message.startswith("COMPLETE")
    took = dbt.engine.states[VIEW]["spec"]["took"]["last"]
    assert took[0][:2] == ["complete", 506]
    dbt = again(dbt)
    dbt.engine.tables[SOURCE].commit(42, "TRUNCATE")
    (result,) = dbt.run()
    assert result.message.endswith("not FAST: TOO_MANY_CHANGES: shop.orders was overwritten")
    assert "read_compared" not in dbt.engine.steps


def test_what_comparing_took_is_no_time_of_fast() -> None:
    dbt = overwritten((5, 6))
    dbt.run()
    took = dbt.engine.states[VIEW]["spec"]["took"]
    assert took["last"][0][:2] == ["compared", 11]
    assert dbt("_expected_cost", took, 11)["fast"] is None
    assert dbt("_expected_cost", took, 11, "compared")["fast"] is not None


@pytest.mark.parametrize(("seconds", "pays"), [(0.001, False), (10, True)])
def test_what_is_quickly_built_anew_is_not_compared(seconds: float, pays: bool) -> None:
    """Two versions of a million rows each."""
    dbt = Dbt(Engine())
    dbt.engine.tables[SOURCE] = delta(1, 2)
    dbt.engine.tables[SOURCE].size = 1_000_000
    took = {"last": [["complete", 0, seconds]]}
    spec = {"refresh": "auto", "stored": {"took": took}}
    found = dbt("_why_not_compared", spec, {"relation": SOURCE, "start": 0, "end": 1})
    assert (found is None) is pays
    assert dbt("_why_not_compared", {**spec, "refresh": "fast"}, {}) is None


@pytest.mark.parametrize(
    ("refresh", "type_", "failures", "method"),
    [
        ("auto", "fast", 2, "complete"),
        ("auto", "fast", 1, "fast"),
        ("auto", "complete", 2, "fast"),
        ("auto", None, 2, "complete"),
        ("auto", None, 1, "fast"),
        ("fast", "fast", 2, "fast"),
    ],
)
def test_what_failed_twice(refresh: str, type_: Any, failures: int, method: str) -> None:
    dbt = changed(refresh=refresh)
    failed = {"last_refresh_result": "failed", "last_refresh_type": type_, "failures": failures}
    why = None if type_ else "the run did not finish; its lock was taken over by x"
    dbt.engine.state(VIEW, **failed, last_refresh_failed_reason=why)
    assert chosen(dbt)[0] == method
    assert ("FAST_FAILED" in dbt.engine.sql("publish")) == (method == "complete")


def test_what_failed_before_there_was_a_plan_was_not_fast() -> None:
    dbt = changed()
    failed = {"last_refresh_result": "failed", "last_refresh_type": None, "failures": 5}
    dbt.engine.state(VIEW, **failed, last_refresh_failed_reason="a hook failed")
    assert chosen(dbt)[0] == "fast"


def test_who_waited_in_vain_has_not_failed() -> None:
    dbt = changed(refresh="auto")
    reason = dbt("_failed_reason", "group_not_published", "sales")
    failed = {"last_refresh_result": "failed", "last_refresh_type": "fast", "failures": 5}
    dbt.engine.state(VIEW, **failed, last_refresh_failed_reason=reason)
    assert chosen(dbt)[0] == "fast"


def test_what_failed_is_told_with_its_method() -> None:
    dbt = changed()
    dbt.engine.on["publish"] = lambda _: 1 / 0
    assert dbt.run()[0].status == "error"
    assert dbt.engine.states[VIEW]["last_refresh_type"] == "fast"


def test_a_definition_that_changed_is_refused_where_there_is_a_result() -> None:
    dbt = changed(refresh="fast")
    dbt.engine.state(VIEW, definition_hash="another")
    (result,) = dbt.run()
    assert "this refresh cannot be: DEFINITION_CHANGED" in result.message


@pytest.mark.parametrize("argument", ["empty", "sample"])
def test_a_run_that_is_cut_short_is_complete(argument: str) -> None:
    """dbt puts a LIMIT or a filter of its own around what the model reads."""
    dbt = changed(refresh="fast")
    dbt.context["flags"].EMPTY = argument == "empty"
    dbt.context["invocation_args_dict"][argument] = "3 days"
    dbt.engine.state(VIEW, definition_hash="whole")
    assert chosen(dbt)[0] == "complete"
    assert dbt.engine.states[VIEW]["spec"]["cut_short"] is True


# Where there is no result that FAST could go on from.


@pytest.mark.parametrize("what", ["dropped", "restored", "cut short before"])
def test_fast_is_a_first_build(what: str) -> None:
    """As a first build, which is COMPLETE under refresh: fast as well."""
    dbt = changed(refresh="fast")
    state = dbt.engine.states[VIEW]
    if what == "dropped":
        del dbt.engine.tables[VIEW]
    elif what == "restored":
        dbt.engine.state(VIEW, spec=None, definition=None)
    else:
        dbt.engine.state(VIEW, spec={**state["spec"], "cut_short": True}, definition_hash="cut")
    method, publish, _ = chosen(dbt)
    assert (method, publish) == (
        "complete",
        {"dropped": "create", "restored": "replace"}.get(what, "insert"),
    )
    assert "cut_short" not in dbt.engine.states[VIEW]["spec"]


def test_where_there_is_a_result() -> None:
    for dbt, anew in ((new(), True), (built(), False)):
        job = {"state": dbt("_read_state", VIEW), "target": {"kind": "delta"}}
        assert dbt("_has_no_baseline", job) is anew


# When FAST publishes without a stage.


SPEC_AT_ONCE = as_spec({"name": "`shop`.`totals`", "layout": {"partition_by": []}})
SMALL = 64 * 1024 * 1024


def at_once(
    values: list[str],
    size: int = SMALL,
    *,
    strategy: str = "aggregate delta",
    lost: bool = True,
    told: int | None = None,
    **other: Any,
) -> Any:
    """The answer, and whether the view was described for it."""
    dbt = Dbt()
    view = dbt.engine.tables[VIEW] = delta(1)
    view.bytes = size
    plan = delta_plan(strategy, *values, lost=lost, keys=["k"], one_row=True)
    target: dict[str, Any] = {"history": []}
    if told is not None:
        commit = {"operation": "WRITE", "metrics": {"numOutputBytes": told}}
        commit |= {"version": 9, "parameters": {}}
        target["history"].append({**commit, "meta": {"method": "complete"}})
    columns = [{"name": "k", "type": "string"}]
    job = {"waits": other.pop("waits", False), "target": target, "columns": columns}
    found = dbt("_merges_without_stage", {**SPEC_AT_ONCE, **other}, job, plan)
    return found, bool(dbt.engine.steps)


@pytest.mark.parametrize(
    "values", [[], ["count_all"], ["sum", "count", "count_all"], ["overflowable_sum"]]
)
def test_what_is_added_up(values: list[str]) -> None:
    assert at_once(values) == (True, True)


def test_a_big_view_is_read_between_bounds() -> None:
    assert at_once(["sum"], SMALL + 1) == (False, True)


def test_a_view_whose_commits_tell_its_size_is_not_described() -> None:
    assert at_once(["sum"], SMALL + 1, told=SMALL) == (True, False)
    assert at_once(["sum"], 0, told=SMALL + 1) == (False, False)


@pytest.mark.parametrize("kind", ["min", "max"])
def test_what_may_be_undecided(kind: str) -> None:
    """An extreme that went; where rows only came there is none."""
    assert at_once(["sum", kind]) == (False, False)
    assert at_once(["sum", kind], lost=False) == (True, True)
    assert at_once([kind, "holistic"], lost=False) == (False, False)


@pytest.mark.parametrize("strategy", ["affected keys", "row delta"])
def test_other_strategies(strategy: str) -> None:
    assert at_once([], strategy=strategy) == (False, False)


@pytest.mark.parametrize(
    "other", [{"unique_key": ["n"]}, {"waits": True}, {"layout": {"partition_by": ["K"]}}]
)
def test_what_looks_at_the_stage(other: Any) -> None:
    assert at_once(["sum"], **other) == (False, False)


@pytest.mark.parametrize(("unique", "proven"), [(["K"], True), (["n", "k"], True), (["n"], False)])
def test_a_unique_key_that_the_plan_proves_is_not_looked_at(unique: Any, proven: bool) -> None:
    assert at_once(["sum"], unique_key=unique) == (proven, proven)


@pytest.mark.parametrize(
    ("unique", "keys", "one_row", "proven"),
    [
        (["K", "s"], ["k", "S"], True, True),
        (["k", "n"], ["k"], True, True),
        (["k"], ["k", "s"], True, False),
        (["k"], ["k"], False, False),
        (["k"], [], True, False),
    ],
)
def test_what_the_plan_proves(unique: Any, keys: Any, one_row: bool, proven: bool) -> None:
    found = as_delta_plan({"keys": keys, "one_row": one_row})
    assert Dbt()("_is_unique_by_plan", {"unique_key": unique}, found) is proven


# What changes decide by themselves.


def delta_plan(
    strategy: str = "aggregate delta", *values: str, lost: bool = False, **other: Any
) -> Any:
    changes = [{"deletes": False}, {"deletes": lost}]
    found = {"strategy": strategy, "values": dict(enumerate(values)), "changes": changes}
    return as_delta_plan({**found, **other})


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize(
    "value", ["count_all", "count", "sum", "overflowable_sum", "min", "max", "holistic"]
)
def test_values(value: str, lost: bool) -> None:
    """An extreme only where no row went: it may have been the extreme."""
    decided = value != "holistic" and not (lost and value in ["min", "max"])
    assert (
        Dbt()("_is_merge_decided", delta_plan("aggregate delta", "count_all", value, lost=lost))
        is decided
    )
    assert (
        Dbt()("_is_merge_decided", delta_plan("aggregate delta", value, "sum", lost=lost))
        is decided
    )


@pytest.mark.parametrize("strategy", ["affected keys", "row delta", "nothing"])
def test_other_strategies_add_nothing_up(strategy: str) -> None:
    assert Dbt()("_is_merge_decided", delta_plan(strategy)) is False


@pytest.mark.parametrize(
    ("found", "alone"),
    [
        (delta_plan("row delta"), True),
        (delta_plan("row delta", lost=True), False),
        (delta_plan("aggregate delta", "sum"), True),
        (delta_plan("aggregate delta", "min"), True),
        (delta_plan("aggregate delta", "sum", lost=True), False),
        (delta_plan("aggregate delta", "holistic"), False),
        (delta_plan("affected keys"), False),
        (delta_plan("aggregate delta", "sum", zero_delta={"a": ["b"], "b": ["a"]}), True),
        (delta_plan("aggregate delta", "sum", zero_delta={"a": [], "b": []}), True),
    ],
)
def test_new_rows_alone(found: Any, alone: bool) -> None:
    """In two joined tables as well: new orders come with their lines."""
    assert Dbt()("_takes_in_new_rows", found) is alone


# What the staged changes amount to.


def look(staged: list[Any], bounds: list[Any], given: dict[str, Any]) -> tuple[Dbt, Any]:
    dbt = Dbt()
    dbt.engine.staged, dbt.engine.bounds = staged, bounds
    given.update(publish="merge")
    dbt("_inspect_stage", SPEC, given)
    return dbt, given


def test_undecided_and_bounds() -> None:
    _, found = look([3, 2], ["1", "9", 0, "a", "z", 1], aggregate_delta_job())
    assert (found["undecided"], found["publish"]) == (2, "merge")
    assert found["bounds"] == [
        {"column": "k", "low": "cast('1' as int)", "high": "cast('9' as int)", "nulls": False},
        {"column": "s", "low": "'a'", "high": "'z'", "nulls": True},
    ]


def test_keys_without_a_value() -> None:
    _, found = look([3, 0], [None, None, 3], aggregate_delta_job())
    assert found["bounds"][0] == {"column": "k", "low": None, "high": None, "nulls": True}


def test_changes_that_cancel_out() -> None:
    assert look([0, 0], [None, None, 0], aggregate_delta_job())[1]["publish"] == "nothing"


def test_answers_as_text() -> None:
    """Over thrift a number may be a Decimal or a text."""
    _, found = look(["0", "2"], ["1", "9", "1"], aggregate_delta_job())
    assert (found["publish"], found["undecided"]) == ("nothing", 2)
    assert found["bounds"][0]["nulls"]


@pytest.mark.parametrize(
    ("type_", "asked"),
    [
        ("int", True),
        ("decimal(10,2)", True),
        ("date", True),
        ("string", True),
        ("double", False),
        ("timestamp", False),
        ("boolean", False),
        ("array<int>", False),
        ("string collate UNICODE", False),
    ],
)
def test_types_with_exact_bounds(type_: str, asked: bool) -> None:
    given = job("affected keys", ["k"], {"x": "holistic"})
    given["columns"] = [{"name": "k", "type": type_, "expression": "`k`"}, *columns("x")]
    dbt, found = look([1, 0], ["1", "9", 0], given)
    assert bool(found["bounds"]) is asked
    assert dbt.engine.sql("read_staged_changes").count("cast(min(") == int(asked)


def test_a_dry_run_does_not_know() -> None:
    dbt, found = look([1, 1], ["1", "9", 0], aggregate_delta_job(dry_run=True))
    assert (found["undecided"], found["bounds"], dbt.engine.log) == (0, [], [])


@pytest.mark.parametrize("bounds", [["\ufffd(", "b", 0], ["a", "b\ufffd", 0]])
def test_bytes_that_are_no_text_are_no_bound(bounds: list[Any]) -> None:
    """The client has another text for them, and rows would lie outside."""
    _, found = look([3, 0], bounds, aggregate_delta_job())
    assert found["bounds"] == []


# A unique_key that is only a part of the groups' key.


def clash(given: Any, *unique: str, count: int = 1) -> tuple[Any, list[str]]:
    dbt = Dbt()
    dbt.engine.audit = [count]
    found = dbt("_keys_may_clash", {**SPEC, "unique_key": list(unique)}, given)
    return found, dbt.engine.steps


@pytest.mark.parametrize("count", [0, 1, 5])
def test_asked(count: int) -> None:
    assert clash(aggregate_delta_job(), "K", count=count) == (count > 0, ["read_audit"])


@pytest.mark.parametrize(
    ("given", "unique"),
    [
        (aggregate_delta_job(), []),
        (aggregate_delta_job(), ["k", "S"]),
        (aggregate_delta_job(), ["k", "s", "n"]),
        (affected_keys_job(), ["k"]),
        (row_delta_job(), ["k"]),
        (aggregate_delta_job(dry_run=True), ["k"]),
    ],
)
def test_keys_may_clash_not_asked(given: Any, unique: list[str]) -> None:
    assert clash(given, *unique) == (False, [])


# What FAST cannot do after all.


def turn(unique: list[str], refresh: str = "auto") -> tuple[Dbt, dict[str, Any]]:
    dbt, job = Dbt(), aggregate_delta_job(publish="merge")
    spec = {**SPEC, "unique_key": unique, "refresh": refresh}
    dbt("_fall_back_to_complete", spec, job, as_reason("CHANGE_DATA_UNAVAILABLE"))
    return dbt, job


def test_complete() -> None:
    dbt, job = turn([])
    assert (job["method"], job["publish"], job["fast"], job["staged"]) == (
        "complete", "insert", None, False
    )  # fmt: skip
    said = "shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE"
    assert dbt("_reason_of_job", job) == said
    assert dbt.engine.log == []


def test_a_unique_key_is_checked_on_a_stage() -> None:
    dbt, job = turn(["k"])
    assert job["staged"] and dbt.engine.steps == ["stage"]
    assert "select * from orders version as of 3" in dbt.engine.sql("stage")


def test_an_error_where_the_model_insists() -> None:
    with pytest.raises(DbtError, match="this refresh cannot be: CHANGE_DATA_UNAVAILABLE"):
        turn([], "fast")
