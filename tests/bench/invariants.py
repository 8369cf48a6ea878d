"""What it costs to assert the invariants of FAST: `python -m tests.bench.invariants`, or with
`rows` or `groups` and a number of changes. Prints seconds of the MERGE into a view of a million
rows, with and without them, in turn, and the ratio of the medians.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import SparkSession

from dbt_mview import engine
from tests.unit.kit.harness import Dbt
from tests.unit.kit.jobs import SPEC, job

ROWS, ROUNDS = 1_000_000, 5
CHANGED = (1_000, 20_000)
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
STAGE = "`shop_mview`.`mview_stage_job1`"
# A view, what is staged of so many changes all over it, and the refresh.
VIEWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "rows": (
        f"select id as k, concat('s', id % 1000) as s from range({ROWS})",
        "select k, s, -1L as _mview_n from shop.totals where k % {every} = 0 union all"
        " select k, concat(s, 'new'), 1L from shop.totals where k % {every} = 0",
        job("row delta", ["k", "s"], {}),
    ),
    "groups": (
        f"select id as k, 5L as n, cast(id as decimal(20, 2)) as total from range({ROWS})",
        "select k, true as _mview_has_deletes, -1L as _mview_sum_1,"
        " cast(7 as decimal(20, 2)) as _mview_sum_2 from shop.totals where k % {every} = 0",
        job("aggregate delta", ["k"], {"n": "count_all", "total": "sum"}),
    ),
}


def measure(spark: SparkSession, view: str, changed: int) -> None:
    """One view and number of changes."""
    dbt, (query, staged, refresh) = Dbt(), VIEWS[view]
    spark.sql(f"create or replace table shop.totals {FEED} as {query}")
    change = staged.format(every=ROWS // changed)
    spark.sql(f"create or replace table {STAGE} using delta as {change}")
    version = spark.sql("describe history shop.totals limit 1").collect()[0].version
    types = dict(spark.table("shop.totals").dtypes)
    columns = [dict(column, type=types[column["name"]]) for column in refresh["columns"]]
    given = {**refresh, "columns": columns, "target": {"history": [{"version": version}]}}
    taken: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(ROUNDS + 1):
        for asserted in (True, False) if turn % 2 else (False, True):
            mine = {**given, "invariants": asserted}
            sql = dbt("_merge_changes_sql", SPEC, mine)
            sql = sql.replace(dbt("_guard_sql", SPEC, mine), "false")
            begun = time.perf_counter()
            spark.sql(dbt("_try_sql", sql) if asserted else sql).collect()
            seconds = time.perf_counter() - begun
            spark.sql(f"restore table shop.totals to version as of {version}").collect()
            if turn:  # the first one warms up
                taken[asserted].append(seconds)
    with_, without = (taken[asserted] for asserted in (True, False))
    told = [" ".join(f"{one:.2f}" for one in times) for times in (with_, without)]
    more = (median(with_) / median(without) - 1) * 100
    line = f"{view}, {changed} changed: with {told[0]}, without {told[1]}, {more:+.1f} %"
    print(line, flush=True)  # noqa: T201


def main() -> None:
    """All of them, or those of the arguments."""
    views = sys.argv[1:2] or list(VIEWS)
    counts = [int(count) for count in sys.argv[2:3]] or CHANGED
    with tempfile.TemporaryDirectory() as home:
        spark = engine.session(Path(home), {"spark.sql.ansi.enabled": "false"})
        spark.sparkContext.setLogLevel("ERROR")
        for schema in ("shop", "shop_mview"):
            spark.sql(f"create schema {schema}")
        for view in views:
            for changed in counts:
                measure(spark, view, changed)
        spark.stop()


if __name__ == "__main__":
    main()
