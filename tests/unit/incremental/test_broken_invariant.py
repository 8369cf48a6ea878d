"""Invariants of FAST: asserted by what publishes, told and mended where one is broken."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from tests.support.golden import Golden

from ..kit.engine import Table
from ..kit.harness import Dbt
from ..kit.jobs import (
    SPEC,
    affected_keys_job,
    aggregate_delta_job,
    averages,
    columns,
    job,
    row_delta_job,
)
from ..kit.lexer import skeleton
from ..kit.nasty import NASTY
from ..kit.parsing import parse
from ..kit.scenes import SOURCE, VIEW, changed, group, of_rows, refreshes, small, with_feed

DBT = Dbt()
JOBS = {
    "row delta": row_delta_job,
    "aggregate delta": aggregate_delta_job,
    "affected keys": affected_keys_job,
}
DELETED = "when matched and s._mview_op = 'delete' then delete\n"
BELOW = "INVARIANT_BROKEN: groups in which n falls below zero: 2"
TWICE = "INVARIANT_BROKEN: keys that are staged twice: 3"
NOT_THERE = "INVARIANT_BROKEN: rows to delete that the view does not have: 4"
WAY_OUT = " or run once with --full-refresh. If the view has row_number()"

# What the statements assert.


@pytest.mark.parametrize("strategy", JOBS)
def test_what_is_staged_is_grouped_by_its_keys(strategy: str) -> None:
    """So a key is staged once, and has one sign."""
    given = JOBS[strategy]()
    keys = DBT("_quote_all", given["fast"]["keys"])
    end = "\nhaving sum(_mview_sign) <> 0" if strategy == "row delta" else ""
    assert DBT("_stage_changes_sql", SPEC, given).endswith(f"\n)\ngroup by {keys}{end}")


@pytest.mark.parametrize("strategy", JOBS)
def test_delta_refuses_a_second_one(strategy: str) -> None:
    """As it does where a clause has a condition. A group that has decided must not fail, and the
    rows of COMPLETE are no changes."""
    assert f"\n{DELETED}" in DBT("_merge_changes_sql", SPEC, JOBS[strategy]())
    sql = DBT("_merge_changes_sql", SPEC, JOBS[strategy](invariants=False))
    assert "\nwhen matched then delete\n" in sql and "INVARIANT_BROKEN" not in sql


@pytest.mark.parametrize("change", [-3, -2, -1, 2])
@pytest.mark.parametrize("had", [0, 2])
def test_no_row_goes_that_is_not_there(had: int, change: int) -> None:
    def copies(**asked: bool) -> list[Any]:
        sql = DBT("_copies_sql", SPEC, row_delta_job(), **asked).replace("<=>", "is")
        sql = sql.replace("`shop_mview`.`mview_stage_job1`", "stage")
        return database.execute(sql.replace("`shop`.`totals` version as of 7", "v")).fetchall()

    with sqlite3.connect(":memory:") as database:
        database.create_function("raise_error", 1, _raise)
        database.execute("create table stage (k, s, _mview_n)")
        database.execute("create table v (k, s)")
        database.execute("insert into stage values (1, null, ?)", (change,))
        database.executemany("insert into v values (1, ?)", [(None,)] * had + [("other",)])
        left = had + change
        assert copies(missing=True) == ([(1, None, left)] if left < 0 else [])
        if left < 0:
            with pytest.raises(sqlite3.OperationalError):
                copies()
        else:
            assert copies() == ([(1, None, left)] if left else [])


def _raise(text: str) -> None:
    assert text == f"dbt_mview: {VIEW}: {NOT_THERE.rsplit(':', 1)[0]}"
    raise ValueError(text)


def test_no_count_falls_below_zero() -> None:
    """A sum may be anything."""
    fails = "raise_error('dbt_mview: {}: INVARIANT_BROKEN: groups in which a count falls below zero"
    sql = DBT("_aggregate_delta_sql", SPEC, averages())
    for count in ("n", "c"):
        assert f"when `{count}` < 0\n        then {fails.format(VIEW)}')" in sql
    assert sql.count("INVARIANT_BROKEN") == 2
    assert "BROKEN" not in DBT("_aggregate_delta_sql", SPEC, averages(invariants=False))


def test_counts_are_looked_at_in_the_stage() -> None:
    counted = job("aggregate delta", ["k"], {"n": "count_all", "total": "sum", "c": "count"})
    sql = DBT("_staged_changes_sql", SPEC, counted, columns("k"))
    assert "count_if(`k` is null),\n    count_if(`n` < 0),\n    count_if(`c` < 0)\nfrom (\n" in sql
    came = {**counted, "changes": [{"deletes": False}]}
    sql = DBT("_staged_changes_sql", SPEC, came, [])
    assert (
        sql == "select\n    count(*),\n    0,\n    0,\n    0\nfrom `shop_mview`.`mview_stage_job1`"
    )


@pytest.mark.parametrize("keys", [["k"], ["k", "s"], []])
@pytest.mark.parametrize("below", [[0, 0], [0, 2], [1, 2]])
def test_the_count_that_is(keys: list[str], below: list[int]) -> None:
    """Behind the bounds of however many keys there are."""
    dbt = Dbt()
    values = {"n": "count_all", "total": "sum", "c": "count"}
    given = job("aggregate delta", keys, values)
    row = [3, 0, *["1", "9", 0] * len(keys), *below]
    dbt.engine._read_staged_changes = lambda sql: Table([row])  # type: ignore[method-assign]
    dbt("_inspect_stage", SPEC, given)
    told = [f"groups in which {name} falls below zero: {below[i]}" for i, name in enumerate("nc")]
    broken = [told[i] for i in range(2) if below[i]]
    assert (given["broken"] or {"detail": None})["detail"] == (broken[0] if broken else None)


@pytest.mark.parametrize("strategy", JOBS)
def test_which_it_was(strategy: str, golden: Golden) -> None:
    sql = DBT("_broken_invariants_sql", SPEC, JOBS[strategy]())
    golden(f"broken_{strategy.replace(' ', '_')}", sql)
    assert parse(sql)
    assert parse(DBT("_broken_invariants_sql", SPEC, job("affected keys", [], {"x": "holistic"})))


@pytest.mark.parametrize("text", NASTY)
def test_any_name(text: str) -> None:
    def sent(name: str) -> list[str]:
        counted = {**SPEC, "mview_id": name}
        groups = job("aggregate delta", [name], {name + "2": "count_all"})
        rows = job("row delta", [name], {})
        for column in groups["columns"] + rows["columns"]:
            column["expression"] = DBT("_quote", column["name"])
        return [
            DBT("_merge_changes_sql", counted, groups),
            DBT("_merge_changes_sql", counted, rows),
            DBT("_broken_invariants_sql", counted, rows),
        ]

    assert list(map(skeleton, sent(text))) == list(map(skeleton, sent("plain")))


# What a refresh does that breaks one.


def steps(dbt: Dbt) -> list[str]:
    kinds = ("stage", "publish", "sweep", "read_invariants", "read_audit")
    return [step for step in dbt.engine.steps if step in kinds]


def rows_by_key(**config: Any) -> Dbt:
    """A view of rows whose changes are staged."""
    dbt = of_rows(changed(unique_key="customer", **config))
    dbt.engine.audit = [0]
    return dbt


def counts(dbt: Dbt) -> Dbt:
    """As if each query had groups and their number of rows."""
    dbt.engine.columns = [("customer", "string"), ("n", "bigint")]
    for name in dbt.engine.states:
        dbt.engine.tables[name].columns = list(dbt.engine.columns)
    dbt.engine.explains(
        "customer: string, n: bigint",
        "Project [customer#1, n#3L]\n+- Filter false\n"
        "   +- Aggregate [customer#1], [customer#1, count(1) AS n#3L]\n"
        "      +- Relation spark_catalog.shop.orders[customer#1] parquet",
    )
    return dbt


def counted(**config: Any) -> Dbt:
    """A view of them."""
    return counts(changed(**config))


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("went", [False, True])
def test_a_count_below_zero(went: bool, at_once: bool) -> None:
    """Where rows went, the stage shows it; else the view had it before."""
    dbt = small(counted()) if at_once else counted()
    if went:
        dbt.engine.tables[SOURCE].commit(41, "DELETE", numDeletedRows=1)
    dbt.engine.below_zero = 2
    (result,) = dbt.run()
    assert result.message.startswith("COMPLETE v1, 3 rows: ")
    assert result.message.endswith(f"; not FAST: {BELOW}")
    told = ["sweep"] if went else ["publish", "read_invariants", "sweep"]
    assert steps(dbt) == ["publish"] * at_once + ["stage", *told, "publish"]
    sent = [one.sql for one in dbt.engine.log if one.step == "publish"]
    assert "\nreplace where 1 = 1\n" in sent[-1]


@pytest.mark.parametrize(
    ("broken", "told"), [([3, 0], TWICE), ([0, 4], NOT_THERE), ([3, 4], TWICE)]
)
def test_auto_is_complete(broken: list[int], told: str) -> None:
    """In the same run, checked as any COMPLETE refresh; the next one is FAST again."""
    dbt = rows_by_key()
    dbt.engine.breaks = broken
    (result,) = dbt.run()
    assert result.message.endswith(f" changed rows); not FAST: {told}")
    assert steps(dbt) == [
        "stage", "read_audit", "publish", "read_invariants", "stage", "read_audit", "publish",
        "sweep",
    ]  # fmt: skip
    state = dbt.engine.states[VIEW]
    assert (state["last_refresh_result"], state["last_refresh_type"]) == ("success", "complete")


@pytest.mark.parametrize(
    ("dbt", "told"),
    [(rows_by_key, NOT_THERE), (counted, BELOW), (lambda **c: small(counted(**c)), BELOW)],
)
def test_fast_fails_and_says_which(dbt: Any, told: str) -> None:
    dbt = dbt(refresh="fast")
    dbt.engine.below_zero = 2
    dbt.engine.breaks = [0, 4] if told == NOT_THERE else [0, 0]
    (result,) = dbt.run()
    said = f"this refresh cannot be: {told}. Set refresh to 'auto',{WAY_OUT}"
    assert said in result.message and "report it" in result.message
    assert refreshes(dbt, VIEW) == 1 and dbt.engine.steps[-1] != "publish"
    assert not [name for name in dbt.engine.tables if "mview_stage_" in name]
    assert dbt.engine.states[VIEW]["last_refresh_result"] == "failed"


def test_before_audits() -> None:
    """A row that is wrong meets none; of the view that is built anew all rows are counted."""
    dbt = changed(audit="total > 0")
    dbt.engine.breaks, dbt.engine.audit = [1, 0], [0]
    (result,) = dbt.run()
    assert "not FAST: INVARIANT_BROKEN: keys" in result.message
    assert steps(dbt)[2:] == ["read_invariants", "stage", "read_audit", "publish", "sweep"]


@pytest.mark.parametrize("answer", [[0, 0], ["failed"]])
def test_any_other_error_is_the_engines(answer: list[Any]) -> None:
    dbt = rows_by_key()

    def refuse(sql: str) -> Table:
        if sql.startswith("begin"):
            return Table([["failed"]])
        raise RuntimeError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")

    dbt.engine._do_publish = refuse  # type: ignore[method-assign]
    dbt.engine.breaks = answer
    (result,) = dbt.run()
    assert result.message == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert steps(dbt)[2:] == ["publish", "read_invariants", "publish", "sweep"]


@pytest.mark.parametrize("below_zero", [0, 2])
def test_a_group_looks_before_it_decides(below_zero: int) -> None:
    """Nothing may fail after that, so its publishes assert nothing more."""
    dbt = counts(with_feed(group()))
    dbt.engine.below_zero = below_zero
    dbt.engine.tables[SOURCE].commit(41, "DELETE", numDeletedRows=1)
    results = dbt.run()
    assert {result.status for result in results} == {"success"}
    told = [result.message.endswith(BELOW) for result in results]
    assert any(told) is bool(below_zero)
    for at, step in enumerate(dbt.engine.steps):
        if step == "publish":
            assert "INVARIANT_BROKEN" not in dbt.engine.log[at].sql.split("'{")[0]
            assert dbt.engine.steps.index("decide") < at
