"""mview_recover."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...kit.engine import micros
from ...kit.harness import DbtError
from ...kit.scenes import OTHER, VIEW, again, built, change_source, lock, transcript
from ..test_crash_points import Killed


def test_at_once_whatever_the_lease_says(golden: Callable[[str, str], None]) -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    golden("operation_recover", transcript(dbt, "mview_recover: fenced, undone, free"))
    state = dbt.engine.states[VIEW]
    assert (state["lock_owner"], state["lock_token"]) == (None, 6)
    assert state["last_refresh_failed_reason"].startswith("the run did not finish; its lock was")
    assert state["sources"][0]["version"] == 2, "the last success is not forgotten"


def test_the_next_run_refreshes() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals")
    (result,) = again(dbt, invocation_id="third").run()
    assert result.message == "FAST v0, 0 rows: the last refresh failed (no changed rows)"
    assert again(dbt, invocation_id="fourth").run()[0].message.startswith("SKIP")


def test_all_whose_lease_is_over() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover")
    assert dbt.engine.states[VIEW]["lock_owner"] == OTHER
    lock(dbt, lease_until=micros(1))
    again(dbt).operation("mview_recover")
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def test_the_lock_is_held_until_the_last_of_several_is_recorded() -> None:
    """One died, and the one that took over from it before it had recovered it."""
    dbt = built()
    change_source(dbt)
    lock(dbt, lease_until=micros(1))

    def killed(_: str) -> None:
        raise Killed

    dbt.engine.on["recover"] = killed
    with pytest.raises(Killed):
        dbt.run()
    dbt.engine.on.clear()
    dbt.engine.minute += 120
    third = again(dbt, invocation_id="third")
    held: list[bool] = []
    row = third.engine.states[VIEW]
    third.engine.on["record"] = lambda _: held.append(row["lock_owner"] is not None)
    third.operation("mview_recover")
    assert held == [True] * 4, "history and info of the first, then of the other"
    assert row["lock_owner"] is None


def test_nothing_to_recover() -> None:
    assert built().operation("mview_recover", view="totals") == [
        f"{VIEW}: no lock is held, nothing to recover"
    ]


def test_lock_changes_hands() -> None:
    dbt = built()
    lock(dbt)
    dbt.engine.acquire = ["busy"]
    with pytest.raises(DbtError, match="its lock changed hands at this moment"):
        dbt.operation("mview_recover", view="totals")


def test_restore_the_row(golden: Callable[[str, str], None]) -> None:
    dbt = built()
    change_source(dbt)
    dbt.run()
    dbt.engine.states.clear()
    dbt = again(dbt, invocation_id="third")
    assert dbt.operation("mview_recover", view="totals") == [
        f"{VIEW}: state restored from version 1"
    ]
    golden("operation_restore", transcript(dbt, "mview_recover: a lost row of state"))
    assert dbt.engine.states[VIEW]["lock_token"] == 2
    assert dbt.engine.states[VIEW]["sources"][0]["version"] == 3


def test_dry_run() -> None:
    dbt = built()
    lock(dbt)
    before = dict(dbt.engine.states[VIEW])
    printed = dbt.operation("mview_recover", view="totals", dry_run=True)
    steps = [line.split("step=")[1].split()[0] for line in printed]
    assert steps == ["acquire", "fence", "recover", "recover", "record", "record"]
    assert dbt.engine.states[VIEW] == before
    assert dbt.logged == [], "nothing was recorded and nothing undone"


def test_a_view_or_an_owner() -> None:
    dbt = built()
    with pytest.raises(DbtError, match=r"mview_recover: it takes a view or an owner\. Name one\."):
        dbt.operation("mview_recover", view="all", owner=OTHER)


def test_a_reason_for_one_view() -> None:
    dbt = built()
    lock(dbt)
    dbt.operation("mview_recover", view="totals", reason="killed by hand", charge=False)
    state = dbt.engine.states[VIEW]
    assert state["last_refresh_failed_reason"] == "the run did not finish: killed by hand"
    assert (state["failures"], state["lock_owner"]) == (None, None)
