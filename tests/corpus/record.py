"""Records what Spark says of the corpus: ``make record-plans SPARK=4.0``, for the main Spark first.

It starts the embedded engine of the Spark that is installed, on tables without rows.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.metadata import version
from typing import Any

from dbt_mview.engine import session
from tests.corpus.plays import (
    MAIN,
    RECORDS,
    Played,
    cases,
    found,
    judged,
    judged_later,
    record,
    renumbered,
)
from tests.corpus.queries import ASKED, TABLES, VIEWS
from tests.support.quick import QUICK
from tests.unit.kit.harness import Dbt

# As many as Spark itself prints, where nobody told it to print more.
PRINTED = {"spark.sql.debug.maxToStringFields": "25"}


def main() -> None:
    """Write the record of the installed Spark."""
    spark_version = ".".join(version("pyspark").split(".")[:2])
    answers: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        spark = session(home, {**QUICK, **PRINTED})
        spark.sql("create schema shop")
        for name, columns in TABLES.items():
            spark.sql(f"create table shop.{name} ({columns}) using delta")
        for name, (text, _) in VIEWS.items():
            spark.sql(f"create view shop.{name} as {text}")

        def answer(sql: str) -> Any:
            if sql not in answers:
                rows = spark.sql(sql).collect()
                explains = sql.startswith("explain")
                answers[sql] = renumbered(rows[0][0]) if explains else [row[:2] for row in rows]
            return answers[sql]

        dbt = Dbt(Played(answer))
        canonical: dict[str, Any] = {}
        for name, changed in cases():
            if name not in canonical:
                canonical[name] = found(dbt, name)
            judged(dbt, *canonical[name], changed)
        for name in ASKED:
            judged_later(dbt, name)
        spark.stop()
    if spark_version != MAIN:
        known = record(MAIN)
        answers = json.loads(json.dumps(answers))
        answers = {sql: told for sql, told in answers.items() if told != known.get(sql)}
    file = RECORDS / f"spark-{spark_version}.json"
    file.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{file.name}: {len(answers)} answers\n")


if __name__ == "__main__":
    main()
