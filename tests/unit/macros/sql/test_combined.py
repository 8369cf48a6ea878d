"""View and stage added up: exact, or in doubt. Computed by SQLite over small groups."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...kit.harness import Dbt
from ...kit.jobs import SPEC, aggregate, job
from ...kit.parsing import parse

DBT = Dbt()
VALUES = {
    "n": "count_all", "c": "count", "t": "sum", "w": "wide_sum", "lo": "min", "hi": "max"
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
    sql = DBT("_combined_sql", SPEC, aggregate())
    assert "left join `shop`.`totals` version as of 7 as v\n" in sql
    assert "cast(coalesce(v.`n`, 0) + coalesce(s._mview_sum_1, 0) as bigint) as `n`" in sql
    assert sql.endswith("on s.`k` <=> v.`k` and s.`s` <=> v.`s`")
    assert parse(sql)


def test_without_keys_there_is_always_one_row() -> None:
    sql = DBT("_combined_sql", SPEC, job("aggregate", [], {"n": "count_all", "t": "sum"}))
    assert "\n    true as _mview_alive\n" in sql and sql.endswith("    on true")
    assert "not coalesce(" not in sql


def test_without_a_count_of_all() -> None:
    """A group lives if a value shows that rows are left; if none does, it is in doubt."""
    sql = DBT("_combined_sql", SPEC, job("aggregate", ["k"], {"t": "sum"}))
    assert "or not coalesce(coalesce(v.`t`, 0) + coalesce(s._mview_sum_1, 0) <> 0, false)" in sql
    sql = DBT("_combined_sql", SPEC, job("aggregate", ["k"], {}))
    assert "        not coalesce(false, false)\n" in sql


def test_a_wide_sum() -> None:
    """NULL is no number to go on from: it is in doubt, whatever came or went."""
    sql = DBT("_combined_sql", SPEC, job("aggregate", ["k"], {"n": "count_all", "w": "wide_sum"}))
    there = "(select *, true as _mview_there from `shop`.`totals` version as of 7) as v\n"
    assert f"left join {there}" in sql
    assert "\n    coalesce((coalesce(v._mview_there, false) and v.`w` is null or " in sql
    assert " is null) or s._mview_gone and (\n        " in sql
    assert parse(sql)


@pytest.mark.parametrize("keys", [["k"], []], ids=["grouped", "overall"])
@pytest.mark.parametrize("names", KINDS, ids="-".join)
@given(stays=GROUP, came=GROUP, went=GROUP, both=GROUP)
def test_exact_or_in_doubt(
    keys: list[str], names: tuple[str, ...], stays: Any, came: Any, went: Any, both: Any
) -> None:
    """Rows of both kinds may cancel out within the terms."""
    old, new = Counter(stays) + Counter(went), Counter(stays) + Counter(came)
    if not (names or keys) or not (came or went or both):
        return
    refresh = job("aggregate", keys, {name: VALUES[name] for name in names})
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
    if found["_mview_doubt"]:
        unknown = "w" in names and (not stays or None in [*stays, *came])
        assert went or both or unknown, "rows that only came leave no doubt"
        return
    assert bool(found["_mview_alive"]) == bool(truth)
    if truth:
        assert [found[name] for name in names] == [truth[0][name] for name in names]


def _pick(choose: Any, *values: Any) -> Any:
    """As Spark's: NULL is left out."""
    known = [value for value in values if value is not None]
    return choose(known) if known else None
