"""Audits of single rows: asserted by the publish of FAST on the rows that it writes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.harness import Dbt, Model
from ..kit.jobs import SPEC, TERMS, affected_keys_job, aggregate_delta_job, row_delta_job
from ..kit.nasty import NASTY
from ..kit.parsing import parse, statements
from ..kit.scenes import (
    VIEW,
    built,
    change_source,
    changed,
    new,
    of_rows,
    refreshes,
    small,
    with_feed,
)

DBT = Dbt()
AUDITS = ["n > 0 -- some", "k <> 'a'"]
TOLD = (
    "dbt_mview: spark_catalog.shop.totals: audit failed: {}. Nothing was published, the view keeps"
    " its last result."
)


def asserted(job: dict[str, Any]) -> dict[str, Any]:
    return {**job, "asserted": AUDITS, "staged": job["fast"]["strategy"] != "row delta"}


def test_merge(golden: Golden) -> None:
    sql = DBT("_merge_changes_sql", SPEC, asserted(affected_keys_job()))
    golden("merge_asserted", sql)
    assert parse(sql)


def test_append(golden: Golden) -> None:
    job = asserted(row_delta_job(publish="append"))
    job["fast"] = {**job["fast"], "terms": TERMS[:1]}
    sql = DBT("_insert_delta_sql", SPEC, job)
    golden("append_asserted", sql)
    (insert,) = statements(sql)
    assert parse(insert)


@pytest.mark.parametrize("publish", ["append", "merge"])
def test_how_many_rows_are_not_met(publish: str, golden: Golden) -> None:
    job = (
        row_delta_job(publish=publish)
        if publish == "append"
        else aggregate_delta_job(publish=publish)
    )
    sql = DBT("_unmet_rows_sql", {**SPEC, "audit": AUDITS}, job)
    golden(f"unmet_{publish}", sql)
    assert parse(sql)


@pytest.mark.parametrize("text", NASTY)
def test_any_text(text: str) -> None:
    job = {**affected_keys_job(), "asserted": [f"s <> {DBT('_literal', text)}"]}
    assert parse(DBT("_merge_changes_sql", SPEC, job))


def steps(dbt: Dbt) -> list[str]:
    """Those that write to the view or a stage, or count what an audit finds."""
    kinds = ("stage", "publish", "sweep", "read_audit")
    return [step for step in dbt.engine.steps if step in kinds]


@pytest.mark.parametrize(
    ("scene", "sent"),
    [
        (lambda dbt: dbt, ["stage", "publish", "read_audit", "sweep"]),
        (small, ["publish", "stage", "publish", "read_audit", "sweep"]),
        (of_rows, ["publish", "read_audit"]),
    ],
    ids=["staged", "at once", "append"],
)
def test_not_met(scene: Any, sent: list[str]) -> None:
    """The publish fails, and the rows are counted; the view is as it was."""
    dbt = scene(changed(audit="total > 0"))
    dbt.engine.unmet, dbt.engine.audit = True, [4]
    (result,) = dbt.run()
    assert result.message == TOLD.format("total > 0 (not met 4 times)")
    assert steps(dbt) == sent and refreshes(dbt, VIEW) == 1
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["last_refresh_type"]) == ("failed", "fast")


@pytest.mark.parametrize(
    ("scene", "sent"),
    [
        (lambda dbt: dbt, ["stage", "publish", "sweep"]),
        (small, ["publish"]),
        (of_rows, ["publish"]),
    ],
    ids=["staged", "at once", "append"],
)
def test_met(scene: Any, sent: list[str]) -> None:
    """Nothing is asked but by the publish itself."""
    dbt = scene(changed(audit="total > 0"))
    (result,) = dbt.run()
    assert result.message.startswith("FAST v1") and steps(dbt) == sent
    assert "raise_error('dbt_mview: spark_catalog.shop.totals: audit failed" in dbt.engine.sql(
        "publish"
    )


def test_any_other_error_is_the_engines() -> None:
    """All audits are met; the statement is sent again, and the user sees what it says."""
    dbt = changed(audit="total > 0")

    def refuse(sql: str) -> None:
        raise RuntimeError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")

    original = dbt.engine._do_publish
    dbt.engine._do_publish = lambda sql: (  # type: ignore[method-assign]
        type(original(sql))([["failed"]]) if sql.startswith("begin") else refuse(sql)
    )
    dbt.engine.publishes, dbt.engine.audit = False, [0]
    (result,) = dbt.run()
    assert result.message == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert steps(dbt) == ["stage", "publish", "read_audit", "publish", "sweep"]


def test_changes_that_are_gone() -> None:
    """The view is built anew, and audited as a whole before it is published."""
    dbt = of_rows(changed(audit="total > 0"))
    dbt.engine.feed_is_there = False
    dbt.engine.audit = [0]
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE v1") and "CHANGE_DATA_UNAVAILABLE" in result.message
    assert steps(dbt) == ["publish", "read_audit", "stage", "read_audit", "publish", "sweep"]
    assert "mview_stage_" in dbt.engine.sql("read_audit", 1)


def test_what_a_complete_stage_breaks() -> None:
    dbt = small(changed(audit="total > 0"))
    dbt.engine.feed_is_there = False
    dbt.engine.audit = [2]
    (result,) = dbt.run()
    assert result.message == TOLD.format("total > 0 (not met 2 times)")
    assert refreshes(dbt, VIEW) == 1


def test_fast_insists() -> None:
    (result,) = new(Model(config={"refresh": "fast", "audit": "max(total) > 0"})).run()
    assert "this refresh cannot be: AUDIT_OVER_ALL_ROWS: max(total) > 0" in result.message


def test_an_audit_that_is_new_looks_at_all_rows() -> None:
    """What FAST goes on from was never asked for it."""
    dbt = with_feed(built(model=Model(config={"audit": "total > 0"})))
    dbt.engine.audit = [0]
    change_source(dbt)
    (result,) = dbt.run()
    assert result.message == "COMPLETE v1, 3 rows: configuration changed: audit"


@pytest.mark.parametrize("bare", [True, False])
def test_an_audit_that_fails_itself(bare: bool) -> None:
    """A group decides to publish afterwards, so the error is its; else the publish shows it."""
    dbt = changed()
    dbt.engine.audit = [0]
    spec = {**SPEC, "audit": ["1 / n > 0"]}
    dbt("_raise_unmet", spec, aggregate_delta_job(publish="merge"), bare)
    assert (
        "continue handler" in dbt.engine.sql("read_audit").lower()
        or "exit handler" in dbt.engine.sql("read_audit").lower()
    ) is not bare
