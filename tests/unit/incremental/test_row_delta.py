"""Rows that come and go: copies, and rows that only came."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from tests.support.golden import Golden

from ..kit.harness import Dbt
from ..kit.jobs import SPEC, TERMS, row_delta_job
from ..kit.parsing import parse, statements

# Rows without a key: copies that go, stay and come. Computed by SQLite over small bags.


DBT = Dbt()
BAG = st.lists(st.tuples(st.sampled_from([None, 1, 2]), st.sampled_from(["a", None])), max_size=4)


def test_rows() -> None:
    sql = DBT("_row_delta_sql", SPEC, row_delta_job())
    assert sql.startswith("select `k`, `s`, 'delete' as _mview_op\nfrom ")
    assert sql.endswith(")\nlateral view explode(sequence(1L, _mview_copies)) _mview_e as _mview_i")
    assert parse(sql)


@given(stays=BAG, came=BAG, went=BAG)
def test_the_copies_that_are_left(stays: Any, came: Any, went: Any) -> None:
    old, new = Counter(stays) + Counter(went), Counter(stays) + Counter(came)
    net = {row: new[row] - old[row] for row in {*old, *new} if new[row] != old[row]}
    copies = DBT("_copies_sql", SPEC, row_delta_job(invariants=False)).replace("<=>", "is")
    copies = copies.replace("`shop_mview`.`mview_stage_job1`", "stage")
    copies = copies.replace("`shop`.`totals` version as of 7", "v")
    with sqlite3.connect(":memory:") as database:
        database.execute("create table stage (k, s, _mview_n)")
        database.executemany(
            "insert into stage values (?, ?, ?)", [(*row, n) for row, n in net.items()]
        )
        database.execute("create table v (k, s)")
        database.executemany("insert into v values (?, ?)", list(old.elements()))
        found = Counter()
        for k, s, n in database.execute(copies):
            found[(k, s)] += n
    assert Counter({row: n for row, n in old.items() if row not in net}) + found == new


# The INSERT that publishes rows that only came.


def test_insert(golden: Golden) -> None:
    job = row_delta_job(staged=False)
    job["fast"] = {**job["fast"], "terms": TERMS[:1]}
    sql = Dbt()("_insert_delta_sql", SPEC, job)
    golden("append_changes", sql)
    (insert,) = statements(sql)
    assert isinstance(parse(insert), exp.Insert)
    assert "replace where" not in sql and "'txnVersion' = '3'" in sql
    assert "_mview_sign" not in sql.split("from (")[0], "not a column of the view"
