"""What is asked of Spark about the corpus, recorded once for each Spark and played again.

A record holds the answers by the texts of the questions. That of `MAIN` holds all of them, that of
another Spark those that are others there.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.corpus.queries import (
    ASKED,
    NAMESPACE,
    NOW,
    QUERIES,
    TABLES,
    THEN,
    VIEWS,
    pairs,
    unique_key,
)
from tests.unit.kit.engine import Engine, Table, View, delta
from tests.unit.kit.harness import Dbt
from tests.unit.kit.records import as_said

RECORDS = Path(__file__).parent
MAIN, SPARKS = "4.1", ("4.0", "4.1", "4.2")
PLAN = re.compile(r"\n== Analyzed Logical Plan ==\n.*\n== Optimized Logical Plan ==\n", re.DOTALL)
NUMBER = re.compile(r"(?<=#)\d+|(?<=CTERelationDef )\d+|(?<=CTERelationRef )\d+")


class Played(Engine):
    """The pretended engine, which is told by `answer` what Spark says of a statement."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        super().__init__()
        self.answer = answer
        self.functions += ["coalesce", "datediff"]
        for name, columns in TABLES.items():
            self.tables[f"{NAMESPACE}.{name}"] = delta(columns="")
            self.tables[f"{NAMESPACE}.{name}"].columns = pairs(columns)
        for name, (text, columns) in VIEWS.items():
            self.tables[f"{NAMESPACE}.{name}"] = View(text, pairs(columns))

    def _read_explain(self, sql: str) -> Table:
        return Table([["\n".join(self.answer(sql))]], ("plan",))

    def _read_describe_query(self, sql: str) -> Table:
        rows = [[name, type_, None] for name, type_ in self.answer(sql)]
        return Table(rows, ("col_name", "data_type", "comment"))

    _read_columns = _read_describe_query


@functools.cache
def own_record(spark: str) -> dict[str, Any]:
    """The answers of the main Spark, or those of another one that are not the same."""
    text = (RECORDS / f"spark-{spark}.json").read_text(encoding="utf-8")
    answers: dict[str, Any] = json.loads(text)
    return answers


def record(spark: str) -> dict[str, Any]:
    """The answers of one Spark."""
    return {**own_record(MAIN), **own_record(spark)}


def played(spark: str, told: Callable[[str], object] = lambda sql: None) -> Dbt:
    """dbt on a Spark that answers what it answered when it was recorded.

    Args:
        spark: its version.
        told: is called with what is asked of it.
    """
    answers = record(spark)

    def answer(sql: str) -> Any:
        assert sql in answers, f"not recorded, see `make record-plans`: {sql}"
        told(sql)
        return answers[sql]

    return Dbt(Played(answer))


def renumbered(explained: str) -> list[str]:
    """The lines of what EXPLAIN prints, as far as they are read; columns have numbers from 0 on."""
    found = PLAN.search(explained)
    numbers: dict[str, int] = {}
    text = NUMBER.sub(
        lambda one: str(numbers.setdefault(one.group(), len(numbers))),
        found.group() if found else explained,
    )
    return text.split("\n")


def cases() -> Iterator[tuple[str, list[str]]]:
    """(query, tables that changed): all of its tables, and each alone where there are several."""
    for name, sql in QUERIES.items():
        read = [table for table in TABLES if re.search(rf"\bshop\.{table}\b", sql)]
        read += ["facts", "dims"] if "shop.joined" in sql else []
        read += ["facts"] if re.search("shop.(staged|copied)", sql) else []
        for changed in [read, *([table] for table in read if len(read) > 1)]:
            yield name, [f"{NAMESPACE}.{table}" for table in changed]


def found(dbt: Dbt, name: str) -> tuple[Any, Any, Any]:
    """(spec, job, see _canonical) of a query, as the first refresh of its view has them."""
    sql = QUERIES[name]
    spec = {"definition": sql, "namespace": NAMESPACE, "unique_key": unique_key(name)}
    reads = dbt("_reads", sql)
    columns = dbt("_describe_query", sql)
    job = {
        "reads": reads,
        "bindings": dbt("_bindings", sql, reads, NAMESPACE)["bindings"],
        "columns": columns,
        "order": [column["name"].lower() for column in columns],
    }
    return spec, job, dbt("_canonical", spec, job)


def judged(dbt: Dbt, spec: Any, job: Any, canonical: Any, changed: list[str]) -> dict[str, Any]:
    """How a query follows changes of some tables, and which columns of theirs it uses."""
    told = dbt("_judge", spec, job, canonical, changed)
    plan, reads = as_said(told["plan"]), told["whole"]
    plan.pop("text", None)
    derived = [one["query"]["plan"]["keys"] for one in plan.pop("derived", [])]
    if derived:
        plan["derived"] = derived
    if plan.get("first_rows"):
        # The query without its LIMIT is told by the rest.
        plan["first_rows"] = {k: v for k, v in plan["first_rows"].items() if k != "text"}
    if plan["reason"]:
        plan["reason"] = dbt("_reason_text", plan["reason"])
    used = {}
    for relation in changed:
        columns = reads["columns"].get(relation, [])
        pruned = dbt("_column_pruning", reads, relation, columns)
        used[relation] = [pruned, dbt("_whole_maps", reads, columns)]
    return {**plan, "used": used}


def judged_later(dbt: Dbt, name: str) -> dict[str, Any]:
    """How a query that asks for the time follows another one, while its tables stay as they are."""
    spec, job, _ = found(dbt, name)
    bound = dbt("_bindings", spec["definition"], job["reads"], NAMESPACE)
    asked = {key: ASKED[name][key] for key in ("places", "moments")}
    now, then = (
        {key: time for key, time in times.items() if key == "day" or asked["moments"]}
        for times in (NOW, THEN)
    )
    before = dbt("_redated", spec["definition"], asked, then)
    sql = dbt("_bind", before, bound["bindings"], NAMESPACE)["sql"]
    state = {
        "spec": {"today": {**then, **asked}},
        "definition_hash": dbt("_definition_hash", {**bound, "sql": sql}),
    }
    change = dbt("_date_change", spec, {**now, **asked}, state, bound)
    assert change, name
    told = dict(dbt("_delta_plan", _whole(spec), _whole_job(dbt, job, change), False))
    if told["reason"]:
        return {"reason": dbt("_reason_text", told["reason"])}
    terms = told.pop("terms")
    assert len(terms) == 2 * len(told["dated"]) and all(term["bound"] for term in terms), name
    return {key: told[key] for key in ("strategy", "keys", "dated")}


def _whole(spec: dict[str, Any]) -> dict[str, Any]:
    """A spec with what is asked of a refresh by FAST."""
    layout = {"constraints": [], "partition_by": []}
    return {**spec, "refresh": "fast", "audit": [], "layout": layout, "stored": None}


def _whole_job(dbt: Dbt, job: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A job of a view whose tables have not changed, at another time."""
    columns = [{**column, "expression": dbt("_quote", column["name"])} for column in job["columns"]]
    reason = dbt("_reason", "DATE_CHANGED", f"{change['then']} -> {change['now']}")
    asked = {**job, "columns": columns, "publish": "insert", "reason": dict(reason)}
    return dict(dbt("_job_record", {**asked, "date_change": change, "state": {"sources": []}}))
