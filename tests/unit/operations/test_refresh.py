"""mview_refresh: without the model; the lock of an operation."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import micros
from ..kit.harness import Dbt, DbtError
from ..kit.scenes import (
    MEMBER_IDS,
    MEMBERS,
    OTHER,
    SECOND,
    VIEW,
    again,
    built,
    change_source,
    group,
    lock,
    new,
    shown,
    transcript,
    with_feed,
)

# mview_refresh: without the model.


def test_refresh(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    assert dbt.operation("mview_refresh", view="totals") == [
        f"{VIEW}: COMPLETE v1, 3 rows: shop.orders v2 -> v3; not FAST: CHANGE_DATA_UNAVAILABLE:"
        " no change data feed (alter table shop.orders set tblproperties"
        " ('delta.enableChangeDataFeed' = 'true')): shop.orders"
    ]
    golden("operation_refresh", transcript(dbt, "mview_refresh: from the stored definition"))
    state = dbt.engine.states[VIEW]
    assert (state["target_version"], state["lock_owner"]) == (1, None)


def test_skip_is_recorded_at_once() -> None:
    dbt = built()
    dbt.engine.rest()
    assert dbt.operation("mview_refresh", view="shop.totals") == [
        f"{VIEW}: SKIP nothing changed since shop.orders v2"
    ]
    assert dbt.engine.states[VIEW]["last_refresh_type"] == "skip"


@pytest.mark.parametrize("method", ["complete", "FULL"])
def test_complete_also_when_nothing_changed(method: str) -> None:
    dbt = built()
    (line,) = dbt.operation("mview_refresh", view="totals", method=method)
    assert line == f"{VIEW}: COMPLETE v1, 3 rows: complete refresh asked for"


def test_dry_run(golden: Golden) -> None:
    dbt = built()
    change_source(dbt)
    printed = dbt.operation("mview_refresh", view="totals", dry_run=True)
    golden("operation_refresh_dry", shown(dbt, "What mview_refresh would send", printed))
    assert dbt.engine.writes == []
    assert dbt.engine.states[VIEW]["target_version"] == 0


def test_dry_run_of_a_skip_records_nothing() -> None:
    dbt = built()
    before = dict(dbt.engine.states[VIEW])
    dbt.operation("mview_refresh", view="totals", dry_run=True)
    assert dbt.engine.states[VIEW] == before


def test_a_method_that_is_none() -> None:
    with pytest.raises(DbtError, match="Use one of"):
        built().operation("mview_refresh", view="totals", method="x")


@pytest.mark.parametrize("method", ["fast", "Incremental"])
def test_fast_or_an_error(method: str) -> None:
    dbt = built()
    change_source(dbt)
    with pytest.raises(DbtError, match=r"refresh is 'fast' .*: CHANGE_DATA_UNAVAILABLE"):
        dbt.operation("mview_refresh", view="totals", method=method)
    assert "publish" not in dbt.engine.steps
    row = dbt.engine.states[VIEW]
    assert (row["lock_owner"], row["last_refresh_result"]) == (None, "success")
    assert dbt.engine.writes == [], "it is refused before anything is written"
    dbt = with_feed(built())
    change_source(dbt)
    assert dbt.operation("mview_refresh", view="totals", method=method) == [
        f"{VIEW}: FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows)"
    ]


def test_never_built() -> None:
    with pytest.raises(DbtError, match=r"state has no definition of it\. Build the view once"):
        new().operation("mview_refresh", view="totals")


def test_busy() -> None:
    dbt = built()
    lock(dbt)
    with pytest.raises(DbtError, match="is refreshing"):
        dbt.operation("mview_refresh", view="totals")


def test_a_group() -> None:
    dbt = group()
    lines = dbt.operation("mview_refresh", group="sales")
    assert [line.split(":")[0] for line in lines] == sorted(MEMBER_IDS)
    assert all(": COMPLETE v1, 3 rows" in line for line in lines)
    assert [one.step for one in dbt.engine.writes] == [
        "acquire", "stage", "acquire", "stage", "decide", "publish", "sweep", "publish", "sweep",
        "record", "record",
    ]  # fmt: skip
    for mview_id in MEMBER_IDS:
        assert dbt.engine.states[mview_id]["lock_owner"] is None
    dbt = again(dbt, invocation_id=OTHER)
    assert all(": SKIP" in line for line in dbt.operation("mview_refresh", group="sales"))


def test_a_group_of_others_that_has_the_same_name() -> None:
    """The own one is meant; another one only if it is the only one."""
    dbt = group()
    states = {name: dbt.engine.states[name] for name in MEMBER_IDS}
    for owner in ("bob", "ann"):
        for name, state in states.items():
            other = name.replace(".shop.", f".{owner}.")
            spec = {**state["spec"], "target_schema": owner, "schema": owner}
            dbt.engine.states[other] = {**state, "mview_id": other, "spec": spec}
    assert [id_ for id_, _ in members(dbt)] == sorted(MEMBER_IDS)
    for name in MEMBER_IDS:
        del dbt.engine.states[name]
    with pytest.raises(DbtError, match=r"state knows several, of shop\..*\.ann, .*\.bob\."):
        members(dbt)
    for name in list(dbt.engine.states):
        if ".ann." in name:
            del dbt.engine.states[name]
    assert {id_.split(".")[1] for id_, _ in members(dbt)} == {"bob"}


def members(dbt: Dbt) -> list[tuple[str, Any]]:
    found = dbt("_stored_members", "sales")
    return [(dbt("_mview_id", relation), state) for relation, state in found]


def test_dry_run_of_a_group() -> None:
    dbt = group()
    printed = "\n".join(dbt.operation("mview_refresh", group="sales", dry_run=True))
    steps = re.findall(r"step=(\w+) job", printed)
    assert steps == [
        "acquire", "stage", "acquire", "stage", "decide", "publish", "sweep", "publish", "sweep",
        "record", "record",
    ]  # fmt: skip
    assert dbt.engine.writes == []


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({}, "it takes a view or a group"),
        ({"view": "totals", "group": "sales"}, "it takes a view or a group"),
        ({"group": "none"}, "refresh_group 'none': state knows no view of it"),
    ],
)
def test_what_it_refuses(args: dict[str, str], text: str) -> None:
    with pytest.raises(DbtError, match=text):
        group().operation("mview_refresh", **args)


# One refresh without its model.


def test_alone_it_is_recorded_at_once() -> None:
    dbt = built()
    change_source(dbt)
    dbt.operation("mview_refresh", view="totals")
    assert dbt.engine.steps[-2:] == ["record", "record"]
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def test_a_member_is_not_refreshed_alone() -> None:
    dbt = group()
    with pytest.raises(DbtError, match=r"belongs to refresh_group 'sales'.*mview_refresh --args"):
        dbt.operation("mview_refresh", view=MEMBERS[0].name)
    assert dbt.engine.writes == []


# The lock of a view for an operation that refreshes nothing.


def take(dbt: Dbt, **changes: Any) -> Any:
    dbt("_ensure_state")
    spec = dbt("_spec_from_model")
    job = dbt("_operation_job", spec, dbt("_read_state", VIEW), False)
    job.update(changes)
    dbt("_take_lock", spec, job)
    return job


def test_a_free_lock() -> None:
    dbt = built()
    assert (take(dbt)["token"], dbt.engine.states[VIEW]["lock_owner"]) == (2, SECOND)
    assert dbt.engine.states[VIEW]["intent"] == {"definition": None, "spec": None}


def test_a_lock_that_is_held() -> None:
    dbt = built()
    lock(dbt)
    with pytest.raises(DbtError, match="is refreshing"):
        take(dbt)
    assert (take(dbt, force=True)["token"], dbt.engine.states[VIEW]["lock_owner"]) == (6, SECOND)


def test_a_lock_whose_lease_is_over() -> None:
    dbt = built()
    lock(dbt, lease_until=micros(1))
    job = take(dbt)
    assert (job["token"], job["holder"]["owner"]) == (6, OTHER)
    assert dbt.engine.states[VIEW]["intent"]["holder"]["job_id"] == "job-of-the-other"


def test_a_row_that_changed_since_it_was_read() -> None:
    dbt = built()
    dbt.engine.acquire = ["conflict"]
    with pytest.raises(DbtError, match="its lock changed hands at this moment"):
        take(dbt)
