"""What stands beside the changed tables, and need not be the same each time."""

from __future__ import annotations

from typing import Any

import pytest

from ..harness import Dbt
from .plans import DIMS, EQUAL, FACTS, chain, columns, node, question, tree

DBT = Dbt()
LIMIT = "OPERATOR_NOT_INCREMENTAL: Limit beside a changed table"
FLOATS = "OPERATOR_NOT_INCREMENTAL: a sum of floats beside a changed table"
FIVE = ("GlobalLimit 5", "LocalLimit 5")
MEANS = "Aggregate [k#5], [k#5, avg(w#6) AS mean#9]"


def beside(*texts: str, keys: str = "id bigint", changed: str = "facts", **inner: Any) -> Any:
    """Facts joined with what stands over dims."""
    plan = question("id#1L", node(f"Join Inner, {EQUAL}", FACTS, chain(*texts, DIMS), **inner))
    names = columns(keys)
    tables = [f"spark_catalog.shop.{name}" for name in changed.split()]
    keyed = [column["name"] for column in names if column["name"] != "other"]
    return DBT("_unsettled_beside", tree(DBT, plan), names, tables, keyed)


def test_a_limit() -> None:
    assert beside(*FIVE) == LIMIT
    assert beside("Filter (k#5 > 1)") is None
    assert beside(*FIVE, changed="facts dims") is None, "judged where changes climb"


@pytest.mark.parametrize("text", [MEANS, MEANS.replace("avg", "sum"), "Window [sum(w#6) AS s#9]"])
def test_floats_that_are_added_up(text: str) -> None:
    assert beside(text, keys="id bigint; mean double") == FLOATS
    assert beside(text, keys="id bigint; s struct<a:float>") == FLOATS
    assert beside(text, keys="id bigint; mean decimal(20,2)") is None
    assert beside(text, keys="id bigint; other double") is None, "no key"
    assert beside(text, keys="id bigint; mean double", changed="facts dims") is None


def test_other_values_are_the_same_each_time() -> None:
    text = "Aggregate [k#5], [k#5, max(w#6) AS mean#9, count(1) AS n#10L]"
    assert beside(text, keys="id bigint; mean double") is None


def test_in_a_subquery() -> None:
    query = chain(*FIVE, "Relation spark_catalog.shop.more[k#7,note#8] parquet")
    assert beside("SubqueryAlias d", inner=(query,)) == LIMIT


def test_through_a_cte() -> None:
    define = node("CTERelationDef 0, false", chain("SubqueryAlias c", FACTS))
    main = chain("Aggregate [k#2], [k#2, sum(amt#3) AS x#9]", "CTERelationRef 0, true, [k#2]")
    nodes = tree(DBT, question("k#2", node("WithCTE", define, main)))
    facts = ["spark_catalog.shop.facts"]
    assert DBT("_unsettled_beside", nodes, columns("k double"), facts, ["k"]) is None
