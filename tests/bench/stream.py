"""Structured Streaming from the change feed of lineitem: what one writes by hand beside dbt."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.views import query
from tests.support.project import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIGN = "if(_change_type in ('insert', 'update_postimage'), 1, -1)"
# One row for each group of a batch; a key and signed sums. The join takes the orders as they are
# now: right as long as orders only come, with their lines, as in the bench.
BATCHES = {
    "suppliers": f"""
        select l_suppkey, sum({SIGN}) as lines, sum({SIGN} * l_quantity) as quantity,
            sum({SIGN} * l_extendedprice) as price
        from changed_lines group by l_suppkey""",
    "customers": f"""
        select o_custkey, sum({SIGN}) as lines,
            sum({SIGN} * l_extendedprice * (1 - l_discount)) as revenue
        from {{orders}} join changed_lines on l_orderkey = o_orderkey group by o_custkey""",
}


class Stream:
    """A stream that keeps one view up to date; each run takes what came since the last one.

    Args:
        project: its schema holds the tables and gets the view.
        view: one of BATCHES.
        tpch: where the other tables are.
    """

    def __init__(self, project: Project, view: str, tpch: str) -> None:
        self.project, self.target = project, f"{project.schema}.{view}_stream"
        self.batch = BATCHES[view].format(orders=f"{project.schema}.orders")
        self.checkpoint = project.root / "checkpoints" / view
        shutil.rmtree(self.checkpoint, ignore_errors=True)
        self.start = project.commits("lineitem")[0].version + 1
        text = query(view, project.schema, tpch)
        project.sql(f"create or replace table {self.target} using delta as {text}")

    def run(self) -> None:
        """Take all changes that are there, then stop."""
        feed = self.project.spark.readStream.option("readChangeFeed", "true")
        changes = feed.option("startingVersion", self.start).table(
            f"{self.project.schema}.lineitem"
        )
        place = str(Path(self.checkpoint))
        writer = changes.writeStream.foreachBatch(self.merge).option("checkpointLocation", place)
        writer.trigger(availableNow=True).start().awaitTermination()

    def merge(self, changes: DataFrame, _batch: int) -> None:
        """Add the changes of one batch to the view."""
        changes.createOrReplaceTempView("changed_lines")
        found = changes.sparkSession.sql(self.batch)
        found.createOrReplaceTempView("changed_groups")
        key, *values = found.columns
        added = ", ".join(f"{name} = t.{name} + s.{name}" for name in values)
        changes.sparkSession.sql(
            f"merge into {self.target} as t using changed_groups as s on t.{key} = s.{key}"
            " when matched and t.lines + s.lines = 0 then delete"
            f" when matched then update set {added} when not matched then insert *"
        )
