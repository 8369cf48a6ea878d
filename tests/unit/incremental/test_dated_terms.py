"""On another day: what the filters let in that ask for the day, and what no more."""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..kit.harness import Dbt
from ..kit.plans import node, question, tree
from ..kit.records import as_delta_plan
from .test_delta_terms import DIMS, FACTS, adds_up_to_nothing, as_tables, change

DBT = Dbt()
NOW, THEN = "'2024-03-02'", "'2024-03-01'"
TIMES = {NOW: THEN}
# The tables of the filters, and of each the occurrences that its term leaves out.
QUERIES: dict[str, tuple[str, list[str], dict[str, list[str]]]] = {
    "rows": (f"select k, v from shop.facts where v >= {NOW} and k is not null", [FACTS], {}),
    "between": (
        f"select k from shop.facts where v between {NOW} - 1 and {NOW} -- so\n",
        [FACTS],
        {},
    ),
    "joined": (
        "select f.k, d.v from shop.facts f join shop.dims d on f.k = d.k"
        f" where f.v >= {NOW} or d.v = {NOW}",
        [FACTS],
        {},
    ),
    "two": (
        f"select k from (select * from shop.facts where v >= {NOW}) f"
        f" join (select k as j, v as w from shop.dims where v <= {NOW}) d on k = j",
        [FACTS, DIMS],
        {},
    ),
    "branches": (
        f"select k from shop.facts where v > {NOW} union all"
        f" select k from shop.dims where (v <= {NOW})",
        [FACTS, DIMS],
        {f"{FACTS} 0": [f"{DIMS} 0"], f"{DIMS} 0": [f"{FACTS} 0"]},
    ),
}


def dated(sql: str, tables: list[str]) -> list[dict[str, Any]]:
    """The filters, each with the table below it."""
    found = DBT("_conditions_with", sql, [NOW])
    return [
        {**one, "relation": table, "occurrence": f"{table} 0"}
        for one, table in zip(found, tables, strict=True)
    ]


@functools.cache
def signed(name: str, *moved: str) -> list[tuple[int, str]]:
    """All that adds up to nothing: the terms, the old result, less the new one."""
    sql, tables, zero_delta = QUERIES[name]
    names = [f"spark_catalog.{one}" for one in re.findall(r"shop\.\w+", sql)]
    job = {
        "bindings": {one: {"kind": "table", "version": 5 if one in moved else 3} for one in names},
        "date_change": {"literals": TIMES},
    }
    delta_plan = {
        "changes": [change(one) for one in moved if one in names],
        "zero_delta": zero_delta,
        "text": sql,
        "dated": dated(sql, tables),
    }
    spec = {"definition": sql, "namespace": "spark_catalog.shop"}
    reads = {"tables": list(dict.fromkeys(names)), "occurrences": names}
    found = DBT("_delta_terms", spec, job, reads, as_delta_plan(delta_plan))
    assert all(term["bound"] for term in found)
    parts = [(term["sign"], term["sql"]) for term in found]
    for sign, text, is_old in ((1, sql.replace(NOW, THEN), True), (-1, sql, False)):
        for one in names:
            version = 5 if one in moved and not is_old else 3
            table = one.removeprefix("spark_catalog.")
            text = text.replace(f"{table} ", f"{table} version as of {version} ")
        parts.append((sign, text))
    return [(sign, as_tables(text).replace(NOW, "2").replace(THEN, "1")) for sign, text in parts]


@pytest.mark.parametrize("moved", [(), (FACTS,), (FACTS, DIMS)], ids=["none", "one", "both"])
@pytest.mark.parametrize("name", QUERIES)
@given(data=st.data())
def test_another_day_and_changed_rows(name: str, moved: tuple[str, ...], data: Any) -> None:
    """Their terms together are the difference of the two results."""
    assert adds_up_to_nothing(signed(name, *moved), data)


def test_a_term_reads_what_passes_on_one_day_alone() -> None:
    sql = f"select k from shop.facts where v > {NOW} group by k"
    filters = dated(sql, [FACTS])
    assert DBT("_with_times_of", sql, filters, 0, 1, TIMES) == (
        f"select k from shop.facts where (\n v > {NOW} \n)"
        f" and not coalesce((\n v > {THEN} \n), false)\ngroup by k"
    )
    assert DBT("_with_times_of", sql, filters, 0, -1, TIMES) == (
        f"select k from shop.facts where (\n v > {THEN} \n)"
        f" and not coalesce((\n v > {NOW} \n), false)\ngroup by k"
    )


@pytest.mark.parametrize(
    "sql",
    [
        f"select {NOW} as day from shop.facts where v > {NOW}",
        f"select k, max(v) as m from shop.facts group by k having m < {NOW}",
        f"select f.k from shop.facts f join shop.dims d on f.k = d.k and d.v > {NOW}",
        f"select k from shop.dims where k in (select k from shop.facts where v > {NOW})",
        f"select k from shop.dims where v > (select count(*) from shop.facts) or v = {NOW}",
    ],
)
def test_where_the_day_is_more_than_a_filter(sql: str) -> None:
    assert DBT("_conditions_with", sql, [NOW]) == []


@pytest.mark.parametrize(
    "after",
    ["", " group by k", ") f", " union all select 1", " order by k", " qualify true", " window w"],
)
def test_where_a_condition_ends(after: str) -> None:
    sql = f"select k from shop.facts where (v > {NOW} or k in (1)){after}"
    (found,) = DBT("_conditions_with", sql, [NOW])
    text = "".join(DBT("_tokens", sql)[found["begin"] : found["end"]])
    assert text.strip() == f"(v > {NOW} or k in (1))"


@pytest.mark.parametrize(
    "name", ["offset", "arr[0].limit", "m[window]", "case when minus then 1 end"]
)
def test_a_name_ends_no_condition(name: str) -> None:
    sql = f"select k from shop.facts where v > {NOW} and {name} > 5 order by k"
    (found,) = DBT("_conditions_with", sql, [NOW])
    assert "".join(DBT("_tokens", sql)[: found["end"]]).endswith("> 5 ")


def test_a_filter_that_asks_a_subquery_is_not_followed() -> None:
    """Its text may say so with no `select`."""
    asks = "Filter ((1000000 = 1000000) OR (NOT exists#9 [k#2] AND (v#3 > 1)))"
    facts = "Relation spark_catalog.shop.facts[k#2,v#3] parquet"
    more = "Relation spark_catalog.shop.more[k#7] parquet"
    inner = (node("Filter (k#7 = outer(k#2))", more),)
    nodes = tree(DBT, question("k#2, v#3", node(asks, facts, inner=inner)))
    assert DBT("_followed_below", nodes, 0) is None
    alone = "Filter ((1000000 = 1000000) OR (v#3 > 1))"
    nodes = tree(DBT, question("k#2, v#3", node(alone, facts)))
    assert DBT("_followed_below", nodes, 0)["name"] == f"{FACTS} 0"
