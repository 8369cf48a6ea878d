"""The tables of docs/fast.md: ``python -m tests.corpus.rules`` writes them.

Those of operators, joins and aggregates are the macros' own; see `strategies` for the others.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.corpus import strategies
from tests.unit.kit.harness import Dbt

DBT = Dbt()
DOCS = Path(__file__).resolve().parents[2] / "docs" / "fast.md"
JUDGED = Path(__file__).with_name("judged.json")
BEGIN, END = "<!-- tests/corpus/rules.py -->\n", "<!-- end -->\n"
# Spark's operators as a user of SQL knows them.
WORDS = {
    "Project": "`select` of columns and expressions",
    "SubqueryAlias": "aliases, subqueries after `from` and `join`",
    "View": "plain views",
    "WithCTE": "CTEs",
    "Sort": "`order by`",
    "ResolvedHint": "hints",
    "Filter": "`where`; over groups and windows, as `having`, by affected keys",
    "Generate": "`lateral view`, `explode`",
    "Union": "`union all`",
    "Repartition": "`repartition`, `distribute by`",
    "Aggregate": "`group by`, aggregates",
    "Distinct": "`distinct`, `union`",
    "Window": "window functions",
    "GlobalLimit": "`limit`",
    "Offset": "`offset`",
    "Except": "`except`, `minus`",
    "Intersect": "`intersect`",
    "Expand": "`rollup`, `cube`, `grouping sets`",
    "Sample": "`tablesample`",
    "ScriptTransformation": "`transform`",
}
# Those that SQL has no other word for.
SAME = {
    "CTERelationDef": "WithCTE",
    "CTERelationRef": "WithCTE",
    "RepartitionByExpression": "Repartition",
    "RebalancePartitions": "Repartition",
    "LocalLimit": "GlobalLimit",
}
SIDES = {
    "Inner": "`join`",
    "Cross": "`cross join`, tables in a list",
    "LeftOuter": "`left join`",
    "RightOuter": "`right join`",
    "LeftSemi": "`left semi join`",
    "LeftAnti": "`left anti join`",
    "exists": "`where exists (...)`",
    "not exists": "`where not exists (...)`",
    "in": "`where x in (select ...)`",
    "not in": "`where x not in (select ...)`, both sides `is not null`",
    "FullOuter": "`full join`",
}
WAYS = {
    "linear": "row by row",
    "boundary": "by the groups or partitions of the changed rows",
    "keys": "by the keys of the rows that match",
    "refused": "COMPLETE",
}
# What no part of a fixed size gives: a query of the corpus, and its column that is of that kind.
HOLISTIC = {
    "`count(distinct x)`": ("other_values", "names"),
    "`sort_array(collect_list(x))`": ("gathered_sorted", "second"),
}
STAGED = {"sum": "signed sum of the changes", "extremes": "extremes of what came and of what went"}


def rows() -> list[list[str]]:
    """The operators: how each is followed, whose rule that is, which query has it."""
    found = [["the query has", "a change below it is followed", "rule of", "query"], ["---"] * 4]
    for name, row in DBT("_operators").items():
        if name in WORDS:
            same = [one for one, first in SAME.items() if first == name]
            proofs = [DBT("_operators")[one]["proof"] for one in (name, *same)]
            proof = next((one for one in proofs if one), None)
            way = "by whole rows" if row["keys"] == "sets" else WAYS[row["way"]]
            if "last" in row["traits"]:
                way = "at the end, after `order by`: by the first rows; else COMPLETE"
            found.append([WORDS[name], way, row["source"] or "", code(proof)])
    return found


def sides() -> list[list[str]]:
    """The joins, and subqueries of conditions: how a change of either side is followed."""
    found = [["the query has", "left side", "right side", "rule of", "query"], ["---"] * 5]
    for name, (left, right) in DBT("_join_sides").items():
        ways = [WAYS[left["way"]], WAYS[right["way"]]]
        proof = code(right["proof"] or left["proof"])
        found.append([SIDES[name], *ways, left["source"] or "", proof])
    return found


def aggregates() -> list[list[str]]:
    """The aggregates that are added up, and from what; and some that are not."""
    head = [
        "aggregate",
        "kind",
        "what is staged",
        "decided without the group's rows",
        "rule of",
        "query",
    ]
    found = [head, ["---"] * 6]
    for row in DBT("_aggregates").values():
        decided = "where rows only came" if row["unstaged"] == "inserts" else "yes"
        if row["unstaged"] == "always" and (
            row["undecided_by_deletes"] or row["undecided"] or row["whole"]
        ):
            decided = "but for a few values"
        call = re.sub(r"(\w+\([x*]\))", r"`\1`", row["call"])
        found.append(
            [call, row["class"], STAGED[row["staged"]], decided, row["source"], code(row["proof"])]
        )
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))
    for call, (query, column) in HOLISTIC.items():
        kind = judged[f"{query}: facts"]["values"][column]
        found.append([call, kind, "the touched keys", "no: computed again", "", code(query)])
    return found


def code(text: Any) -> str:
    return f"`{text}`" if text else ""


def tables() -> str:
    """The three tables as Markdown."""
    blocks = [
        "".join(f"| {' | '.join(line)} |\n" for line in lines)
        for lines in (rows(), sides(), aggregates())
    ]
    return "\n".join(blocks)


# What the tables stand behind in the page -> the tables.
TABLES = {**strategies.TABLES, BEGIN: tables}


def documented(text: str) -> str:
    """A text with the tables between their marks."""
    for begin, written in TABLES.items():
        head, _, rest = text.partition(begin)
        text = head + begin + written() + END + rest.partition(END)[2]
    return text


if __name__ == "__main__":
    DOCS.write_text(documented(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
