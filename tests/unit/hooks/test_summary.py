"""What a run says of its views at its end."""

from __future__ import annotations

from typing import Any

import pytest

from ..kit.harness import Dbt, Model
from ..kit.scenes import SOURCE, VIEW, again, built, change_source, changed, group, lock, new

FIRST = "dbt_mview: first to change: "


def told(dbt: Dbt) -> list[str]:
    """What `dbt run` says of its views."""
    dbt.logged.clear()
    dbt.run()
    return [line for line in dbt.logged if "view" in line or line.startswith(FIRST)]


def took(dbt: Dbt, *last: list[Any]) -> None:
    """What the last refreshes took, newest first."""
    dbt.engine.states[VIEW]["spec"]["took"] = {"last": list(last)}


def test_fast_and_what_it_saved() -> None:
    dbt = changed()
    took(dbt, ["complete", 0, 90.4])
    (line,) = told(dbt)
    assert line == "dbt_mview: 1 view: 1 FAST; 0.0 s of work, ~90 s saved against COMPLETE"


def test_what_was_slower_saved_nothing() -> None:
    dbt = changed()
    took(dbt, ["complete", 0, 0.0])
    assert told(dbt) == ["dbt_mview: 1 view: 1 FAST; 0.0 s of work"]


def test_a_skip_is_no_work_and_saves_all_of_it() -> None:
    dbt = built()
    took(dbt, ["first", 0, 5.26])
    assert told(dbt) == ["dbt_mview: 1 view: 1 SKIP; ~5.3 s saved against COMPLETE"]


def test_complete_and_what_to_change_first() -> None:
    """The statements are those of a run without a summary: it asks nothing."""
    dbt = built()
    change_source(dbt)
    before = len(dbt.engine.log)
    first, second = told(dbt)
    assert first == "dbt_mview: 1 view: 1 COMPLETE; 0.0 s of work"
    assert second.startswith(f"{FIRST}totals (CHANGE_DATA_UNAVAILABLE: no change data feed (alter")
    assert ": shop.orders): Switch" in second
    sent = len(dbt.engine.log) - before
    other = built()
    change_source(other)
    other._macros["_summary"] = lambda *_: ""
    other.run()
    assert len(other.engine.log) == sent


def test_of_a_first_build_nothing_is_to_be_changed() -> None:
    assert told(new()) == ["dbt_mview: 1 view: 1 COMPLETE; 0.0 s of work"]


def test_several_and_the_slowest() -> None:
    dbt = Dbt(built().engine, Model(), Model("other"))
    (line,) = told(dbt)
    assert line == "dbt_mview: 2 views: 1 SKIP, 1 COMPLETE; 0.0 s of work"
    ran = [
        {"name": "a", "word": "fast", "seconds": 2.0, "saved": 8.5, "way_out": None},
        {"name": "b", "word": "complete", "seconds": 12.34, "saved": None, "way_out": None},
        {"name": "c", "word": "failed", "seconds": 1.0, "saved": None, "way_out": None},
    ]
    assert "slowest" not in dbt("_summary_text", [ran[2], dict(ran[2], seconds=0.9)][1:] * 2)
    assert dbt("_summary_text", ran) == (
        "3 views: 1 FAST, 1 COMPLETE, 1 failed; 15 s of work, ~8.5 s saved against COMPLETE;"
        " slowest: b 12 s"
    )


def test_first_is_what_spares_most() -> None:
    def one(name: str, seconds: float, way: str | None) -> dict[str, Any]:
        return {"name": name, "seconds": seconds, "reason": f"why {name}", "way_out": way}

    ran = [
        one("a", 9.0, "Do one."),
        *(one(name, 4.0, "Do another.") for name in "bcde"),
        one("h", 99.0, None),
    ]
    assert Dbt()("_first_to_change", ran) == "b, c, d and 1 more (why b): Do another."
    assert Dbt()("_first_to_change", ran[-1:]) is None


@pytest.mark.parametrize(
    "code", ["FAST_IS_SLOWER", "FAST_FAILED", "DATE_CHANGED", "SMALL_SOURCE", "first_build"]
)
def test_what_helps_itself_is_nothing_to_change(code: str) -> None:
    dbt = Dbt()
    reason = dbt("_reason", code)
    assert dbt("_what_to_change", [reason]) is None
    assert dbt("_way_out", [reason, None]).startswith(("Nothing to do", "The next refresh"))


def test_failures_are_counted() -> None:
    dbt = changed()

    def refuse(sql: str) -> None:
        raise RuntimeError("no more")

    dbt.engine.on["stage"] = refuse
    (line,) = told(dbt)
    assert line.startswith("dbt_mview: 1 view: 1 failed; ")
    held = built()
    lock(held)
    change_source(held)
    (line,) = told(again(held))
    assert line.startswith("dbt_mview: 1 view: 1 failed; "), "that another run refreshes it"


def test_a_group() -> None:
    (line, *_) = told(group())
    assert line.startswith("dbt_mview: 2 views: ")


def test_a_run_without_views_is_told_nothing() -> None:
    dbt = Dbt(built().engine, Model("orders", materialized="table"))
    assert told(dbt) == [] and SOURCE
