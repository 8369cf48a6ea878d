"""Step decide, and what a later run publishes from it."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.deaths import Killed
from ...kit.harness import Dbt, Model
from ...kit.scenes import GROUPED, MEMBER_IDS, MEMBERS, OTHER, VIEW, again, group, with_feed


def job(**values: Any) -> dict[str, Any]:
    """A job with all that its redo may need."""
    return {
        "id": "j",
        "target": {"history": [{"version": 4}, {"version": 3}]},
        "fast": None,
        **values,
    }


def test_redo_is_a_part_of_the_job() -> None:
    dbt = group()
    redo = dbt("_redo", job(columns=[{"name": "a"}], token=7, state={"big": 1}))
    assert redo["id"] == "j" and redo["columns"] == [{"name": "a"}]
    assert redo["target"] == {"history": [{"version": 4}]}
    assert not {"state", "spec"} & set(redo)


def test_redo_of_fast_leaves_out_what_only_staging_needs() -> None:
    shape = {"strategy": "keyed", "keys": ["a"], "terms": ["much"], "changes": ["more"]}
    redo = group()("_redo", job(fast=shape))
    assert redo["fast"] == {"strategy": "keyed", "keys": ["a"]}
    assert set(shape) == {"strategy", "keys", "terms", "changes"}


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
