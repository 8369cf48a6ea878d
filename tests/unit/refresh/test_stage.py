"""Steps stage, audit and sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import View
from ..kit.harness import Dbt, DbtError, Model
from ..kit.jobs import SPEC, affected_keys_job, aggregate_delta_job, row_delta_job
from ..kit.parsing import parse, statements
from ..kit.records import as_delta_plan, as_job
from ..kit.scenes import SECOND, SOURCE, VIEW, again, built, change_source, changed, with_feed

# Step stage.


UNSTAGED = {"id": "j1", "dry_run": False, "staged": False, "fast": None}


def test_only_where_planned() -> None:
    dbt = Dbt()
    dbt("_stage", {}, UNSTAGED)
    assert dbt.engine.log == []


def test_changes() -> None:
    dbt = changed()
    (result,) = dbt.run()
    assert result.message == (
        "FAST v1, 6 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows)"
    )
    assert [step for step in dbt.engine.steps if "stage" in step or step == "publish"] == [
        "stage", "read_staged_changes", "publish"
    ]  # fmt: skip
    assert dbt.engine.steps.count("sweep") == 1


def test_changes_that_cannot_be_read_after_all() -> None:
    """Their files are gone: built anew in the same refresh."""
    dbt = changed()
    dbt.engine.feed_is_there = False
    (result,) = dbt.run()
    assert result.message == (
        "COMPLETE v1, 3 rows: shop.orders v2 -> v3 (aggregate delta, 10 changed rows); not FAST:"
        " CHANGE_DATA_UNAVAILABLE"
    )
    assert "\nreplace where 1 = 1\n" in dbt.engine.sql("publish")
    assert dbt.engine.steps.count("sweep") == 2, "files without a name go with a table of the name"


def test_fast_at_all_events_shows_the_error_of_the_engine() -> None:
    dbt = changed(refresh="fast")

    def refuse(sql: str) -> None:
        assert "\nbegin\n" not in sql
        raise RuntimeError("[DELTA_FILE_NOT_FOUND] x")

    dbt.engine.on["stage"] = refuse
    (result,) = dbt.run()
    assert result.message == "[DELTA_FILE_NOT_FOUND] x"
    assert "publish" not in dbt.engine.steps


def test_changes_that_cancel_out() -> None:
    dbt = changed()
    dbt.engine.staged = [0, 0]
    (result,) = dbt.run()
    assert result.message.startswith("FAST v0, 0 rows: shop.orders v2 -> v3")
    assert "publish" not in dbt.engine.steps and "sweep" in dbt.engine.steps


@pytest.mark.parametrize("config", [{}, {"refresh": "fast"}])
def test_groups_that_share_a_unique_key(config: Any) -> None:
    """A key that is only a part of the group's: whether it is one shows in the stage."""
    two = "Aggregate [customer#1, l#2], [customer#1, l#2, count(1) AS n#3L]"
    keyed = {"unique_key": "customer"}
    dbt = with_feed(built(Model(config=keyed), Model(config={**keyed, **config})))
    change_source(dbt)
    dbt.engine.columns = [("customer", "int"), ("l", "int"), ("n", "bigint")]
    view = dbt.engine.tables["spark_catalog.shop.totals"]
    view.columns = list(dbt.engine.columns)
    dbt.engine.explains(
        "customer: int, l: int, n: bigint",
        f"Project [customer#1, l#2, n#3L]\n+- Filter false\n   +- {two}\n"
        "      +- Relation spark_catalog.shop.orders[customer#1,l#2] parquet",
    )
    dbt.engine.audit = [2]
    (result,) = dbt.run()
    if config:
        assert "cannot be: UNIQUE_KEY_OVER_ALL_ROWS" in result.message
    else:
        assert "audit failed: unique_key customer (2 keys occur more than once)" in result.message
        assert dbt.engine.steps.count("stage") == 2


# The stage: a result, or changes.


DBT = Dbt()
RESULT = {
    "id": "j1",
    "query": "with c as (select 1 as a) select a, 'x\ny' as b from c",
    "columns": [
        {"name": "a", "type": "int", "expression": "`a`"},
        {"name": "b", "type": "string", "expression": "null"},
    ],
    "fast": None,
    "waits": False,
}


def test_result(golden: Golden) -> None:
    sql = DBT("_stage_sql", SPEC, RESULT)
    golden("stage", sql)
    assert RESULT["query"] in sql


def test_a_group_has_its_constraints_checked_there() -> None:
    spec = {**SPEC, "layout": {"constraints": {"few": "a < 5", "it's": "b > 0"}}}
    sql = DBT("_stage_sql", spec, {**RESULT, "waits": True})
    assert (
        "tblproperties ('delta.constraints.few' = 'a < 5', 'delta.constraints.it\\'s' = 'b > 0')"
    ) in sql
    assert "tblproperties" not in DBT("_stage_sql", spec, RESULT)
    assert "tblproperties" not in DBT("_stage_sql", spec, {**aggregate_delta_job(), "waits": True})


@pytest.mark.parametrize("job", [aggregate_delta_job, affected_keys_job, row_delta_job])
def test_stage_changes(job: Callable[[], object], golden: Golden) -> None:
    sql = DBT("_stage_sql", SPEC, job())
    golden(f"stage_{job.__name__.removesuffix('_job')}", sql)
    assert parse(sql)


def test_a_statement_whose_failure_is_an_answer() -> None:
    sql = DBT("_try_sql", "select 1 -- one")
    assert sql == (
        "begin\n    declare exit handler for sqlexception select 'failed' as outcome;\n    begin\n"
        "        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;\n"
        "        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES\n"
        "            select 'failed' as outcome;\nselect 1 -- one\n;\n"
        "        select 'done' as outcome;\n    end;\nend"
    )
    assert list(statements(sql)) == ["select 1 -- one", "select 'done' as outcome"]


def test_names_that_parquet_does_not_take() -> None:
    layout = {"constraints": {}, "tblproperties": {"delta.columnMapping.mode": "name", "a": "b"}}
    sql = DBT("_stage_sql", {**SPEC, "layout": layout}, RESULT)
    assert "tblproperties ('delta.columnMapping.mode' = 'name')" in sql


# Audits of the staged result.


AUDITED = {
    "mview_id": "c.s.v",
    "audit": ["a > 0", "count(*) > 1 -- many"],
    "unique_key": ["a", "b`c"],
}
JOB = as_job({"id": "j1", "staged": True, "dry_run": False, "fast": None})


def audit(answer: list[int], **changes: Any) -> Dbt:
    dbt = Dbt()
    dbt.engine.audit = answer
    dbt("_audit", {**AUDITED, **changes.pop("spec", {})}, {**JOB, **changes})
    return dbt


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        ([2, 0, 0], "a > 0 (not met 2 times)"),
        ([0, 0, 3], "unique_key a, b`c (3 keys occur more than once)"),
        (
            [1, 1, 1],
            "a > 0 (not met 1 times); count(*) > 1 -- many (not met 1 times);"
            " unique_key a, b`c (1 keys occur more than once)",
        ),
    ],
)
def test_broken(answer: list[int], broken: str) -> None:
    with pytest.raises(DbtError) as error:
        audit(answer)
    assert str(error.value) == (
        f"dbt_mview: c.s.v: audit failed: {broken}. Nothing was published, the view keeps its last"
        " result."
    )


@pytest.mark.parametrize("changes", [{"staged": False}, {"dry_run": True}])
def test_not_asked(changes: Any) -> None:
    assert audit([9, 9, 9], **changes).engine.log == []


def test_fast_looks_at_what_comes() -> None:
    """Groups by their own key cannot clash; conditions are asserted by the publish."""
    fast = as_delta_plan({"strategy": "affected keys", "keys": ["a"], "one_row": True})
    assert audit([9, 9, 9], fast=fast).engine.log == []
    with pytest.raises(DbtError, match=r"failed: unique_key k \(2 keys occur more than once\)"):
        look_at([2], row_delta_job(), unique_key=["k"])


def look_at(answer: list[int], job: dict[str, Any], **spec: Any) -> Dbt:
    """The audit of what FAST has staged."""
    dbt = Dbt()
    dbt.engine.audit = answer
    dbt("_audit", {**SPEC, **spec}, job)
    return dbt


def test_a_group_looks_at_the_rows_that_come() -> None:
    """Before it decides to publish them; then no statement asserts it."""
    audits = ["n > 0", "k > 0"]
    with pytest.raises(DbtError, match=r"audit failed: k > 0 \(not met 3 times\)\. Nothing was"):
        look_at([0, 3], aggregate_delta_job(waits=True), audit=audits)
    sql = look_at([0, 0], aggregate_delta_job(waits=True), audit=audits).engine.sql("read_audit")
    assert "count_if(not coalesce((\nn > 0\n    ), false)) as audit_1," in sql
    assert "where _mview_op in ('insert', 'put')" in sql and "raise_error" not in sql


# Counting what an audit finds.


COUNTED = {"audit": ["a > 0", "count(*) > 1 -- many"], "unique_key": ["a", "b`c"]}
COUNTED_JOB = {"id": "j1"}


def test_audit(golden: Golden) -> None:
    golden("audit", Dbt()("_audit_sql", COUNTED, COUNTED_JOB))


def test_key_alone() -> None:
    sql = Dbt()("_audit_sql", {**COUNTED, "audit": []}, COUNTED_JOB)
    assert "group by `a`, `b``c`\n" in sql and "audit_1" not in sql
    assert parse(sql)


@pytest.mark.parametrize("condition", ["a > 0 -- ok", "a in (1, 2)", "a = ')'", "max(a) > 0"])
def test_any_condition_fits(condition: str) -> None:
    assert parse(Dbt()("_audit_sql", {**COUNTED, "audit": [condition]}, COUNTED_JOB))


# Step sweep.


SWEPT = {
    "definition": "x", "stored": {}, "schema": "shop", "identifier": "v",
    "database": None,
}  # fmt: skip
SWEEPING = as_job({"id": "j1", "publish": "insert", "target": {"kind": "view"}})


@pytest.mark.parametrize(
    ("changes", "statements"),
    [
        ({}, []),
        ({"staged": True}, ["drop table if exists `shop_mview`.`mview_stage_j1`"]),
        (
            {"publish": "swap"},
            ["drop view if exists `shop`.`dbt_mview_backup_j1`"],
        ),
        (
            {"publish": "swap", "target": {"kind": "parquet"}},
            ["drop table if exists `shop`.`dbt_mview_backup_j1`"],
        ),
    ],
)
def test_sweep(changes: Any, statements: list[str]) -> None:
    dbt = Dbt()
    dbt("_sweep", SWEPT, {**SWEEPING, **changes})
    assert [one.sql.split("\n")[1] for one in dbt.engine.log] == statements
    assert set(dbt.engine.steps) <= {"sweep"}


@pytest.mark.parametrize("left", ["stage", "backup"])
def test_what_stays_is_swept_by_the_next_run(left: str) -> None:
    """A run-operation has no hook at its end: the view is published, so nobody has to wait."""
    dbt = built(Model(config={"audit": "total > 0"} if left == "stage" else {}))
    change_source(dbt)
    if left == "stage":
        dbt.engine.audit = [0]
    else:
        dbt.engine.tables[VIEW] = View("select 1", [])
    dbt.engine.on["sweep"] = fail
    with pytest.raises(RuntimeError, match="no storage"):
        dbt.operation("mview_refresh", view="totals")
    assert [name for name in dbt.engine.tables if f"_{left}_" in name]
    assert dbt.engine.states[VIEW]["lock_owner"] == SECOND
    dbt = again(dbt, invocation_id="third")
    (result,) = dbt.run()
    assert result.message.startswith("SKIP nothing changed")
    assert sorted(dbt.engine.tables) == [SOURCE, VIEW]
    assert dbt.engine.states[VIEW]["lock_owner"] is None


def fail(sql: str) -> None:
    raise RuntimeError("no storage")
