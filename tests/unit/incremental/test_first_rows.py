"""ORDER BY ... LIMIT: the first rows of random tables, computed from the view's own and changes."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus.plays import found, played

from ..kit.harness import Dbt
from ..kit.plans import columns
from ..kit.records import as_delta_plan

DBT = Dbt()
SPEC = {"name": "`s`.`v`", "namespace": "shop"}
GROUPS = "select k, sum(v) as v, count(*) as n from {} group by k"
# query over a table, what the terms of its delta are, order, strategy, keys
QUERIES: dict[str, tuple[str, str, str, list[str]]] = {
    "rows": ("select k, v, 1 as n from {}", "`v` DESC NULLS LAST, `k` ASC NULLS FIRST", "row", []),
    "groups": (GROUPS, "`v` ASC NULLS FIRST, `k` DESC NULLS LAST", "affected keys", ["k"]),
}
VALUES = st.one_of(st.none(), st.integers(0, 4))
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=9)


def staged(name: str, count: int) -> tuple[str, str]:
    """What is staged, and of it how many rows are missing, as SQLite reads them."""
    sql, order, strategy, keys = QUERIES[name]
    delta_plan = {
        "strategy": "row delta", "keys": ["k", "v", "n"], "values": {}, "as_text": [],
        "terms": [
            {"sign": sign, "sql": sql.format(table)} for sign, table in ((1, "came"), (-1, "went"))
        ],
        "first_rows": {
            "count": count, "order": order.split(", "), "keys": keys,
            "strategy": "row delta" if strategy == "row" else strategy,
            "text": sql.format("shop.facts"),
        },
    }  # fmt: skip
    job = {"fast": as_delta_plan(delta_plan), "columns": columns("k int; v int; n int"), "id": "j"}
    job = {**job, "bindings": {}, "target": {"history": [{"version": 3}]}}
    text: str = DBT("_stage_changes_sql", SPEC, job)
    missing: str = DBT("_missing_rows_sql", SPEC, job)
    text = text.replace("`s`.`v` version as of 3", "view").replace("<=>", "is")
    text = text.replace("shop.facts", "facts").replace("count_if(", "sum(")
    missing = missing.replace("`s`.`v` version as of 3", "view").replace("least(", "min(")
    exploded = rf"lateral view explode\(sequence\(1L, least\(_mview_n, {count}L\)\)\) \w+ as \w+"
    text, replaced = re.subn(exploded, f"join numbers on i <= min(_mview_n, {count})", text)
    assert replaced == 1
    return text, missing


def limited(name: str, table: str, count: int) -> str:
    sql, order, *_ = QUERIES[name]
    return f"{sql.format(table)} order by {order} limit {count}"


@pytest.mark.parametrize("name", QUERIES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_they_are_those_of_the_query(name: str, data: st.DataObject) -> None:
    old, came = data.draw(ROWS), data.draw(ROWS)
    went = data.draw(st.lists(st.sampled_from(old), max_size=3)) if old else []
    went = [*(Counter(went) & Counter(old)).elements()]
    new = [*(Counter(old) - Counter(went) + Counter(came)).elements()]
    count = data.draw(st.integers(1, 5))
    with sqlite3.connect(":memory:") as database:
        database.execute("create table numbers as select 1 as i union all select 2 union all"
                         " select 3 union all select 4 union all select 5")  # fmt: skip
        for table, rows in {"old": old, "came": came, "went": went, "facts": new}.items():
            database.execute(f"create table {table} (k int, v int)")
            database.executemany(f"insert into {table} values (?, ?)", rows)
        database.execute(f"create table view as {limited(name, 'old', count)}")
        stage, missing = staged(name, count)
        database.execute(f"create table stage as {stage}")
        had = Counter(database.execute("select * from view").fetchall())
        change = {row[:-1]: row[-1] for row in database.execute("select * from stage")}
        [(lacks,)] = database.execute(f"select {missing} from stage").fetchall()
        asked = Counter(database.execute(limited(name, "facts", count)).fetchall())
    made = {row: had[row] + change.get(row, 0) for row in {*had, *change}}
    assert min(made.values(), default=0) >= 0
    if lacks:
        # Others take the place of what went, which only the whole query tells.
        assert name == "groups" or set(went) & {row[:2] for row in had}
        assert had.total() == count == sum(made.values()) + lacks
        assert not Counter(made) - asked
    else:
        assert Counter(made) == asked


def limit_of(dbt: Dbt, name: str, sql: str | None = None) -> Any:
    """What is found of the LIMIT of a query of the corpus, perhaps in another text."""
    spec, job, canonical = found(dbt, name)
    limit = dbt("_limited_query", {**spec, "definition": sql or spec["definition"]}, job, canonical)
    return limit and limit["count"]


def test_where_a_query_ends_in_a_limit() -> None:
    dbt = played("4.1")
    assert limit_of(dbt, "limited_rows") == 7
    assert limit_of(dbt, "limited_window") == 100
    assert limit_of(dbt, "first_groups") == 3
    for name in ("limited_pipe", "offset_by", "limited", "rows"):
        assert limit_of(dbt, name) is None, name


@pytest.mark.parametrize("end", ["0", "1000001", "99999999", "(7)", "3 + 4", "all", "7 offset 1"])
def test_what_is_no_number_of_rows(end: str) -> None:
    dbt = played("4.1")
    sql = f"select s, k from shop.facts order by k desc nulls first, s limit {end}"
    assert limit_of(dbt, "limited_rows", sql) is None


@pytest.mark.parametrize(
    ("order", "unique", "one_row", "open_"),
    [
        (["k", "v"], [], False, None),
        (["V", "k", "v"], [], False, None),
        (["k"], ["K"], False, None),
        (["v"], ["k"], True, "its ORDER BY leaves rows open"),
        (["v", "k"], [], True, None),
        (["k"], [], True, None),
        (["k"], [], False, "its ORDER BY leaves rows open"),
        (["k", None], ["k"], True, "the result lacks what it is ordered by"),
        ([], ["k"], True, "without ORDER BY"),
    ],
)
def test_whether_the_order_decides(
    order: list[str | None], unique: list[str], one_row: bool, open_: str | None
) -> None:
    delta_plan = {"keys": ["k"], "one_row": one_row}
    by = [{"name": name, "direction": "ASC NULLS FIRST"} for name in order]
    job = {"columns": columns("k int; v int")}
    reason = DBT("_why_open_limit", {"unique_key": unique}, job, delta_plan, by)
    if open_ is None:
        assert reason is None
    else:
        assert reason["detail"].startswith("LIMIT")
        assert reason["detail"].endswith(open_)
        assert DBT("_way_out", [reason]).startswith("End the query by ORDER BY ... LIMIT")


def test_rows_that_cannot_be_compared() -> None:
    job = {"columns": columns("k int; v map<string,int>")}
    delta_plan = {"keys": ["k"], "one_row": True}
    reason = DBT("_why_open_limit", {"unique_key": []}, job, delta_plan, [{"name": "k"}])
    assert reason["detail"] == "LIMIT over rows that cannot be compared"
