"""The package's macros on a real Spark without dbt: an operation takes what its statements take."""

from __future__ import annotations

from typing import Any

from tests.unit.kit.engine import Engine, Table
from tests.unit.kit.harness import Dbt, Model, Relation


class OnSpark(Engine):
    """Answers by a session; everything else of the pretended engine is not there."""

    def __init__(self, spark: Any) -> None:
        super().__init__()
        self.spark = spark

    def execute(self, step: str, sql: str) -> Table:
        """Runs one statement."""
        self.note(step, sql.strip())
        found = self.spark.sql(sql)
        return Table([list(row) for row in found.collect()], tuple(found.columns))


def on_spark(spark: Any, schema: str, *models: Model, **variables: Any) -> Dbt:
    """One invocation whose state lies beside a schema. variables: of flashback, which is on."""
    given = {f"dbt_mview:flashback_{name}": value for name, value in variables.items()}
    state = {"dbt_mview:state_schema": f"{schema}_mview", "dbt_mview:flashback_enable": True}
    return Dbt(OnSpark(spark), *models, variables={**state, **given})


def relation(schema: str, name: str) -> Relation:
    """A table of a schema."""
    return Relation(None, schema, name)
