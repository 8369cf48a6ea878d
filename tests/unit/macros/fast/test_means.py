"""Means that follow the sums beside them."""

from __future__ import annotations

import pytest

from ...kit.harness import Dbt
from ...kit.plans import FACTS, columns, find, question, tree

DBT = Dbt()
ALL = {
    "total": "sum(amt#3)",
    "mean": "avg(amt#3)",
    "n": "count(1)",
    "c": "count(amt#3)",
    "other": "count(s#4)",
}
KINDS = {"total": "sum", "mean": "other", "n": "count_all", "c": "count", "other": "count"}
TYPES = "total decimal(20,2); mean decimal(14,6); n bigint; c bigint; other bigint"


def means(*names: str, types: str = TYPES, **expressions: str) -> dict[str, dict[str, str | None]]:
    texts = {name: text for name, text in {**ALL, **expressions}.items() if name in names}
    listed = [column for column in columns(types) if column["name"] in names]
    kinds = {name: KINDS.get(name, "other") for name in names}
    found: dict[str, dict[str, str | None]] = DBT("_means", texts, listed, kinds)
    return found


@pytest.mark.parametrize(
    ("beside", "found"),
    [
        (["total", "n", "c"], {"sum": "total", "count": "c", "rows": "n"}),
        (["total", "n", "other"], {"sum": "total", "count": None, "rows": "n"}),
        (["total"], {"sum": "total", "count": None, "rows": None}),
        (["n", "c"], None),
    ],
)
def test_what_a_mean_follows(beside: list[str], found: dict[str, str | None] | None) -> None:
    assert means("mean", *beside) == ({"mean": found} if found else {})


@pytest.mark.parametrize(
    "mean",
    [
        "avg(distinct amt#3)",
        "avg(amt#3) FILTER (WHERE (k#2 > 1))",
        "(avg(amt#3) + avg(amt#3))",
        "avg(fee#9)",
        "try_avg(amt#3)",
    ],
)
def test_another_mean(mean: str) -> None:
    assert means("mean", "total", "n", mean=mean) == {}


@pytest.mark.parametrize(
    ("inner", "mean", "sum_", "told"),
    [
        ("amt#3", "decimal(14,6)", "decimal(20,2)", True),
        ("(amt#3 * cast(2 as decimal(1,0)))", "decimal(14,6)", "decimal(20,2)", True),
        ("amt#3", "decimal(26,26)", "decimal(32,22)", True),
        ("amt#3", "decimal(27,6)", "decimal(33,2)", False),  # 23 digits
        ("amt#3", "decimal(38,6)", "decimal(37,2)", False),
        ("amt#3", "decimal(14,5)", "decimal(20,2)", False),
        ("k#2", "double", "bigint", True),
        ("id#1L", "double", "bigint", False),  # of 64 bits
        ("abs(k#2)", "double", "bigint", False),  # of what type, the plan does not say
        ("d#5", "double", "double", False),
        ("d#5", "double", "decimal(20,2)", False),
        ("i#6", "interval day", "interval day", False),
    ],
)
def test_is_mean_of(inner: str, mean: str, sum_: str, told: bool) -> None:
    assert DBT("_is_mean_of", inner, mean, sum_) is told


def wanted(text: str, type_: str) -> dict[str, str]:
    found: dict[str, str] = DBT("_sums_wanted", {"m": text}, columns(f"m {type_}"), {"m": "other"})
    return found


def test_what_is_wanted() -> None:
    assert wanted("avg(amt#3)", "decimal(14,6)") == {"m": "sum(amt)"}
    product = "(price#5 * (1 - off#6))"
    assert wanted(f"avg({product})", "decimal(26,8)") == {"m": "sum((price * (1 - off)))"}
    assert wanted("avg(k#2)", "double") == {"m": "sum(k), if k is an int"}


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("avg(id#1L)", "double"),
        ("avg(distinct amt#3)", "decimal(14,6)"),
        ("avg(amt#3)", "decimal(38,6)"),
        ("stddev(amt#3)", "double"),
        ("count(distinct s#4)", "bigint"),
    ],
)
def test_nothing_would_help(text: str, type_: str) -> None:
    assert wanted(text, type_) == {}


GROUPED = "Aggregate [k#2], [k#2, sum(amt#3) AS total#20, avg(amt#3) AS mean#21]"


def test_a_mean_beside_its_sum_is_added_up() -> None:
    nodes = tree(DBT, question("k#2, total#20, mean#21", GROUPED, FACTS))
    names = columns("k int; total decimal(20,2); mean decimal(14,6)")
    shape = DBT("_aggregate_shape", nodes, find(nodes, "Aggregate"), names)
    assert (shape["strategy"], shape["values"]) == (
        "aggregate",
        {"total": "sum", "mean": "mean"},
    )
    assert shape["means"] == {"mean": {"sum": "total", "count": None, "rows": None}}
    assert "wanted" not in shape


def test_a_mean_alone_is_computed_again() -> None:
    nodes = tree(DBT, question("k#2, mean#21", GROUPED, FACTS))
    shape = DBT(
        "_aggregate_shape",
        nodes,
        find(nodes, "Aggregate"),
        columns("k int; mean decimal(14,6)"),
    )
    assert (shape["strategy"], shape["values"]) == ("keyed", {"mean": "other"})
    assert shape["wanted"] == {"mean": "sum(amt)"} and "means" not in shape
