"""View and stage added up: exact, or undecided."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.jobs import SPEC, aggregate_delta_job, averages, job
from ..kit.parsing import parse

# View and stage added up: exact, or undecided. Computed by SQLite over small groups.


DBT = Dbt()
VALUES = {
    "n": "count_all", "c": "count", "t": "sum", "w": "overflowable_sum", "lo": "min", "hi": "max"
}  # fmt: skip
QUERY = {
    "n": "count(*)", "c": "count(x)", "t": "sum(x)", "w": "sum(x)", "lo": "min(x)", "hi": "max(x)"
}  # fmt: skip
KINDS = [
    ("n", "c", "t", "lo", "hi"),
    ("c",),
    ("t",),
    ("lo",),
    ("hi",),
    ("t", "lo"),
    ("w",),
    ("n", "w"),
    ("n", "hi"),
    (),
]
GROUP = st.lists(st.sampled_from([None, -1, 0, 1, 2]), max_size=3)


def test_combined() -> None:
    sql = DBT("_combined_sql", SPEC, aggregate_delta_job())
    assert "left join `shop`.`totals` version as of 7 as v\n" in sql
    assert "cast(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) as bigint) as `n`" in sql
    assert sql.endswith("on s.`k` <=> v.`k` and s.`s` <=> v.`s`")
    assert parse(sql)


def test_without_keys_there_is_always_one_row() -> None:
    sql = DBT("_combined_sql", SPEC, job("aggregate delta", [], {"n": "count_all", "t": "sum"}))
    assert "\n    true as _mview_alive\n" in sql and sql.endswith("    on true")
    assert "not coalesce(" not in sql


def test_without_a_count_of_all() -> None:
    """A group lives if a value shows that rows are left; if none does, it is undecided."""
    sql = DBT("_combined_sql", SPEC, job("aggregate delta", ["k"], {"t": "sum"}))
    assert "or not coalesce(coalesce(v.`t`, 0) + coalesce(s._mview_sum_1, 0) <> 0, false)" in sql
    sql = DBT("_combined_sql", SPEC, job("aggregate delta", ["k"], {}))
    assert "        not coalesce(false, false)\n" in sql


def test_an_overflowable_sum() -> None:
    """NULL is no number to go on from: it is undecided, whatever came or went."""
    sql = DBT(
        "_combined_sql",
        SPEC,
        job("aggregate delta", ["k"], {"n": "count_all", "w": "overflowable_sum"}),
    )
    there = "(select *, true as _mview_there from `shop`.`totals` version as of 7) as v\n"
    assert f"left join {there}" in sql
    alive = "coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) > 0"
    unknown = "(coalesce(v._mview_there, false) and v.`w` is null or "
    assert f"\n    coalesce({alive} and ({unknown}" in sql
    assert " is null) or s._mview_has_deletes and (\n        " in sql
    assert parse(sql)


@pytest.mark.parametrize("keys", [["k"], []], ids=["grouped", "overall"])
@pytest.mark.parametrize("names", KINDS, ids="-".join)
@given(stays=GROUP, came=GROUP, went=GROUP, both=GROUP)
def test_exact_or_undecided(
    keys: list[str], names: tuple[str, ...], stays: Any, came: Any, went: Any, both: Any
) -> None:
    """Rows of both kinds may cancel out within the terms."""
    old, new = Counter(stays) + Counter(went), Counter(stays) + Counter(came)
    if not (names or keys) or not (came or went or both):
        return
    refresh = job("aggregate delta", keys, {name: VALUES[name] for name in names})
    select = ", ".join(f"{QUERY[name]} as {name}" for name in names)
    select = ", ".join(part for part in ["1 as k" if keys else "", select] if part)
    grouped = "group by k" if keys else ""
    with sqlite3.connect(":memory:") as database:
        database.create_function("least", 2, lambda a, b: _pick(min, a, b), deterministic=True)
        database.create_function("greatest", 2, lambda a, b: _pick(max, a, b), deterministic=True)
        for table, rows in [("old", old.elements()), ("new", new.elements())]:
            database.execute(f"create table {table} (x)")
            database.executemany(f"insert into {table} values (?)", [(x,) for x in rows])
        database.execute(f"create table v as select {select} from old {grouped}")
        database.execute("create table terms (_mview_sign, k, n, c, t, w, lo, hi)")
        for sign, rows in [(1, [*came, *both]), (-1, [*went, *both])]:
            for x in rows:
                counted = int(x is not None)
                values = (sign, 1, 1, counted, x, x, x, x)
                database.execute("insert into terms values (?, ?, ?, ?, ?, ?, ?, ?)", values)
        staged = DBT("_stage_changes_sql", SPEC, refresh)
        start, end = staged.index("from (\n"), staged.rindex("\n)") + 2
        staged = staged[:start] + "from terms" + staged[end:]
        database.execute(f"create table s as {staged}")
        combined = DBT("_combined_sql", SPEC, refresh)
        combined = combined.replace("`shop_mview`.`mview_stage_job1` as s", "s")
        combined = combined.replace("`shop`.`totals` version as of 7", "v").replace("<=>", "is")
        combined = combined.replace("left join v as v", "left join v")
        database.row_factory = sqlite3.Row
        (found,) = database.execute(combined).fetchall()
        truth = database.execute(f"select {select} from new {grouped}").fetchall()
    gone = bool(keys) and "n" in names and not truth
    assert not (gone and found["_mview_undecided"]), "nothing is left to be computed again"
    if found["_mview_undecided"]:
        unknown = "w" in names and (not stays or None in [*stays, *came])
        assert went or both or unknown, "rows that only came leave nothing undecided"
        return
    assert bool(found["_mview_alive"]) == bool(truth)
    if truth:
        assert [found[name] for name in names] == [truth[0][name] for name in names]


def _pick(choose: Any, *values: Any) -> Any:
    """As Spark's: NULL is left out."""
    known = [value for value in values if value is not None]
    return choose(known) if known else None


# One value of a group after the change; what it means is computed in test_combined.py.


SUM = "coalesce(v.`x`, 0) + coalesce(s._mview_sum_1, 0)"
ANY = "coalesce(v.`x`, s._mview_sum_1) is not null"


@pytest.mark.parametrize("kind", ["count", "count_all"])
def test_counts_are_never_undecided(kind: str) -> None:
    assert DBT("_combined_value", 1, "`x`", kind) == {
        "value": SUM, "undecided_by_deletes": None, "undecided": None, "alive": f"{SUM} > 0"
    }  # fmt: skip


def test_a_sum_of_nothing_may_be_null() -> None:
    assert DBT("_combined_value", 1, "`x`", "sum") == {
        "value": f"case when {ANY} then {SUM} end",
        "undecided_by_deletes": f"({ANY} and {SUM} = 0)",
        "undecided": None,
        "alive": f"{SUM} <> 0",
    }


def test_an_overflowable_sum_that_is_null_may_have_overflowed() -> None:
    wide = "coalesce(v.`x`, 0) + s._mview_sum_1"
    assert DBT("_combined_value", 1, "`x`", "overflowable_sum") == {
        "value": wide,
        "undecided": f"(coalesce(v._mview_there, false) and v.`x` is null or {wide} is null)",
        "undecided_by_deletes": f"{wide} = 0",
        "alive": f"{wide} <> 0",
    }


@pytest.mark.parametrize(
    ("kind", "pick", "before"), [("min", "least", "<"), ("max", "greatest", ">")]
)
def test_extremes(kind: str, pick: str, before: str) -> None:
    value = DBT("_combined_value", 3, "`x`", kind)
    assert value["value"] == f"{pick}(v.`x`, s._mview_come_3)"
    assert f"s._mview_come_3 {before}= v.`x`" in value["undecided_by_deletes"]
    assert f"v.`x` {before} s._mview_gone_3" in value["alive"]
    assert parse(f"select {value['undecided']}, {value['alive']}")


# Means by sums and counts; tests/functional/test_means.py computes them.


DERIVED = "try_cast(round(`total` / nullif(`mean`, 0)) as decimal(10, 0))"
COUNTED = "try_cast(`c` as decimal(10, 0))"


def test_how_many_values_a_mean_is_of() -> None:
    """Told from sum and mean where the mean's last digit decides between two numbers."""
    assert DBT("_values_behind_sql", "mean", averages()) == (
        "case\n        when `mean` is null then 0\n"
        f"        when abs(`mean` * {DERIVED} - `total`) <= {DERIVED} * 0.0000005\n"
        f"            and abs(`mean`) > ({DERIVED} + 1) * 8 * 0.0000005\n"
        f"        then {DERIVED}\n    end"
    )


def test_one_row_has_one_value() -> None:
    sql = DBT("_values_behind_sql", "mean", averages(of={"rows": "n"}))
    assert "\n        when `mean` is null then 0\n        when `n` = 1 then 1\n" in sql


def test_a_count_beside_it() -> None:
    """It is not believed where sum and mean contradict it."""
    assert DBT("_values_behind_sql", "mean", averages(of={"count": "c"})) == (
        "case\n        when `mean` is null then 0\n"
        f"        when abs(`mean` * {COUNTED} - `total`) <= {COUNTED} * 0.0000005\n"
        f"        then {COUNTED}\n    end"
    )


def test_whole_numbers() -> None:
    """A double has digits enough to tell any two numbers of values apart."""
    sql = DBT("_values_behind_sql", "mean", averages("double"))
    quotient = f"cast(`total` as double) / nullif(cast({DERIVED} as double), 0)"
    assert f"when `mean` = {quotient} and {DERIVED} <= 4194304\n        then" in sql


@pytest.mark.parametrize(
    ("type_", "half"),
    [
        ("decimal(14,6)", "0.0000005"),
        ("decimal(14,4)", "0.00005"),
        ("double", ""),
    ],
)
def test_half_a_digit(type_: str, half: str) -> None:
    assert DBT("_half_a_digit", type_).strip() == half


def test_the_terms_say_of_how_many_values_they_are() -> None:
    """One of which it is not known makes the change unknown."""
    sql = DBT("_stage_changes_sql", SPEC, averages())
    column = "_mview_count_3"
    assert f"    end as {column}\nfrom (\nselect `k`, `n`, `total`, `mean`, `c`, 1 as" in sql
    signed = f"sum(case when _mview_sign < 0 then - {column} else {column} end)"
    assert f"case when count({column}) = count(*) then {signed} end as _mview_sum_3" in sql
    assert parse(sql)


def test_a_group_that_was_not_there_had_none() -> None:
    sql = DBT("_combined_sql", SPEC, averages())
    assert (
        "try_cast(case when v._mview_there then v._mview_count_3 else 0 end + s._mview_sum_3"
        " as decimal(10, 0)) as _mview_count_3,"
    ) in sql
    assert "left join (select *, true as _mview_there,\n    case\n" in sql
    assert parse(sql)


def test_an_average_that_avg_may_round_otherwise_is_undecided() -> None:
    sql = DBT("_combined_sql", SPEC, averages())
    count = "_mview_count_3"
    assert f"cast(`total` / nullif({count}, 0) as decimal(14,6)) as `mean`\nfrom (" in sql
    assert (
        f"_mview_undecided or _mview_alive and not (\n        coalesce({count} = 0"
        f" or abs(`mean` * {count} - `total`) < {count} * 0.0000005, false)\n"
        "    ) as _mview_undecided,"
    ) in sql


def test_rows_that_only_came_may_leave_an_average_undecided() -> None:
    came = averages(changes=[{"deletes": False}])
    assert "count_if(_mview_undecided)" in DBT("_staged_changes_sql", SPEC, came, [])
