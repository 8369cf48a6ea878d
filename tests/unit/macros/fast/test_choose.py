"""FAST or COMPLETE, and how it is published."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.harness import Dbt, DbtError
from ...kit.scenes import SOURCE, VIEW, built, changed, new, of_rows, small, with_feed


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
        "reason": "DEFINITION_CHANGED",
        "waits": False,
        "reads": {"unstable": []},
        "unbound": [],
        "state": {
            "last_successful_refresh_read_time": 1,
            "last_refresh_result": "success",
            "spec": {"layout": {}},
        },
        "target": {"kind": "delta"},
    }
    job["explained"] = False
    dbt("_choose_method", {**spec, "audit": []}, job)
    assert job["reason"] == "DEFINITION_CHANGED"
    dbt("_choose_method", {**spec, "audit": ["x > 1"]}, job)
    assert job["reason"] == "DEFINITION_CHANGED; not FAST: AUDIT_OVER_ALL_ROWS"
    with pytest.raises(DbtError, match="this refresh cannot be: AUDIT_OVER_ALL_ROWS"):
        dbt("_choose_method", {**spec, "refresh": "fast", "audit": ["x > 1"]}, job)
    dbt("_choose_method", {**spec, "refresh": "fast", "audit": ["y"]}, {**job, "explained": True})


def test_an_unknown_number_of_rows() -> None:
    """`fast` insists where AUTO would build anew."""
    for refresh, method in [("auto", "complete"), ("fast", "fast")]:
        dbt = changed(refresh=refresh)
        dbt.engine.tables[SOURCE].commit(41, "TRUNCATE")
        assert chosen(dbt)[0] == method
    (message,) = dbt.messages.values()
    assert "(aggregate, all changed rows)" in message


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
    reason = f"refresh_group 'sales' {dbt('_waited_in_vain')}"
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
