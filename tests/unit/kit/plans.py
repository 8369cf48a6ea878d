"""Analyzed plans as EXPLAIN prints them, built from operators."""

from __future__ import annotations

import re
from typing import Any

from .harness import Dbt

FACTS = "Relation spark_catalog.shop.facts[id#1L,k#2,amt#3,s#4] parquet"
DIMS = "Relation spark_catalog.shop.dims[k#5,name#6] parquet"
MORE = "Relation spark_catalog.shop.more[k#7,note#8] parquet"
GROUPED = "Aggregate [k#2], [k#2, count(1) AS n#10L, sum(amt#3) AS total#11]"
RANKED = (
    "Window [row_number() windowspecdefinition(k#2, id#1L DESC NULLS LAST, specifiedwindowframe("
    "RowFrame, unboundedpreceding$(), currentrow$())) AS rn#12], [k#2], [id#1L DESC NULLS LAST]"
)
EQUAL = "(k#2 = k#5)"


def node(text: str, *children: str, inner: tuple[str, ...] = ()) -> str:
    """An operator with its children; inner: the subqueries of its expressions."""
    lines = [text]
    around = ":  " if children else "   "
    for turn, subquery in enumerate(inner, 1):
        lines += _under(subquery, around, turn == len(inner))
    for turn, child in enumerate(children, 1):
        lines += _under(child, "", turn == len(children))
    return "\n".join(lines)


def chain(*texts: str) -> str:
    """Operators one over the other, the last may have children of its own."""
    *above, plan = texts
    for text in reversed(above):
        plan = node(text, plan)
    return plan


def question(items: str, *texts: str) -> str:
    """The plan of `select * from (query) where false`. items: the columns of the query."""
    alias = "SubqueryAlias __auto_generated_subquery_name"
    return chain(f"Project [{items}]", "Filter false", alias, *texts)


def tree(dbt: Dbt, plan: str) -> list[dict[str, Any]]:
    """The plan as macros see it, the question's own filter taken for what it is."""
    asked = plan.splitlines()[1:2] == ["+- Filter false"]
    nodes: list[dict[str, Any]] = (
        dbt("_query_tree", {"plan": plan}) if asked else dbt("_parse_plan", plan)
    )
    return nodes


def find(nodes: list[dict[str, Any]], op: str, turn: int = 0) -> int:
    """The index of an operator."""
    return [index for index, one in enumerate(nodes) if one["op"] == op][turn]


def leaf(nodes: list[dict[str, Any]], name: str, turn: int = 0) -> int:
    """The index of a table."""
    found = [
        index
        for index, one in enumerate(nodes)
        if one["op"] == "Relation" and one["relation"].endswith(f".{name}")
    ]
    return found[turn]


def called(dbt: Dbt, text: str) -> Any:
    """A value of the result as macros see it: what it is one call of."""
    return dbt("_call_of", dbt("_plan_item", f"{text} AS value#99"))


def columns(text: str) -> list[dict[str, str]]:
    """'name type, name type' as _describe_query has it."""
    pairs = [pair.strip().split(" ", 1) for pair in text.split(";")]
    return [{"name": name, "type": type_, "expression": f"`{name}`"} for name, type_ in pairs]


def tables(plan: str, **types: str) -> dict[str, list[dict[str, str]]]:
    """The columns of the tables of a plan, as _canonical has them; bigint unless types say so."""
    found = {}
    for name, listed in re.findall(r"Relation (\S+?)\[(.*?)\]", plan):
        names = re.findall(r"(\w+)#", listed)
        found[name] = [{"name": one, "type": types.get(one, "bigint")} for one in names]
    return found


def _under(plan: str, around: str, last: bool) -> list[str]:
    first, *others = plan.splitlines()
    marker, beside = ("+- ", "   ") if last else (":- ", ":  ")
    return [f"{around}{marker}{first}", *[f"{around}{beside}{line}" for line in others]]
