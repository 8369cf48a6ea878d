"""A thousand refreshes and two hundred purges: what state takes, and how long reading it does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from tests.bench.results import Result
from tests.bench.setup import Bench

EACH = 50  # refreshes between two samples; upkeep runs after each, as it would every day
PURGE = 5  # refreshes between two purges
TABLES = ("mview_refresh_info", "mview_refresh_hist", "mlog_purge_info", "mlog_purge_hist")
READ = "select * from @_mview.mview_refresh_info where mview_id = 'spark_catalog.bench.tiny'"


def compare(bench: Bench) -> Iterator[Result]:
    """One tiny view over one logged table, refreshed again and again."""
    bench.begin(min(bench.tpch))
    sql, project = bench.project.sql, bench.project
    feed = "'delta.enableChangeDataFeed' = 'true'"
    sql(f"create table @.ticks using delta tblproperties ({feed}) as select 0 as k, 0L as n")
    body = f"select * from {project.schema}.ticks"
    project.model("ticks_log", body, materialized="materialized_view_log")
    project.model("tiny", f"select k, count(*) as n from {project.schema}.ticks group by k")
    bench.run()
    samples: dict[str, list[float]] = {"files of state": [], "reading state": [], "a refresh": []}
    took: list[float] = []
    for turn in range(1, bench.choice.refreshes + 1):
        sql(f"insert into @.ticks values ({turn % 7}, {turn})")
        start = time.perf_counter()
        bench.run("tiny")
        took.append(time.perf_counter() - start)
        if turn % PURGE == 0:
            bench.run("ticks_log")
            project.op("mlog_purge", log="ticks_log")
        if turn % EACH == 0:
            project.op("mview_maintain")
            samples["files of state"].append(files(bench))
            samples["reading state"].append(median(read(bench) for _ in range(5)))
            samples["a refresh"].append(median(took[-EACH:]))
            told = ", ".join(f"{name} {values[-1]:.2f}" for name, values in samples.items())
            bench.tell(f"    after {turn} refreshes: {told}")
    for name, values in samples.items():
        unit = "files" if name.startswith("files") else "s"
        for index, value in enumerate(values):
            done = (index + 1) * EACH
            yield Result("curve", name, done, "now", "first", [value], values[:1], unit=unit)
        end = f"{name}, the last {EACH} of {len(took)} refreshes"
        half = values[: len(values) // 2] or values
        yield Result("upkeep", end, 0, "last", "first half", values[-1:], half, 1.2, unit=unit)


def files(bench: Bench) -> float:
    """How many data files the tables of state hold."""
    details = [bench.project.sql(f"describe detail @_mview.{table}")[0] for table in TABLES]
    return float(sum(detail.numFiles for detail in details))


def read(bench: Bench) -> float:
    """Seconds to read the view's row of state after a commit on it."""
    bench.project.sql("update @_mview.mview_refresh_info set failures = null where mview_id = 'x'")
    start = time.perf_counter()
    bench.project.sql(READ)
    return time.perf_counter() - start
