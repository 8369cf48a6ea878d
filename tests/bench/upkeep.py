"""A thousand refreshes and two hundred purges: what state takes, and how long reading it does.

Delta takes the commits of past days out of a table's log, and none of today's. So the fifty
refreshes between two samples are made a day: then everything of state becomes a day older.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from tests.bench.results import Result
from tests.bench.setup import Bench

if TYPE_CHECKING:
    from pyspark.sql import Row

EACH = 50  # refreshes between two samples: a day, at whose end upkeep runs
DAY = 86_400
VIEWS = 5  # refreshed by one run, after which the log is purged
TABLES = ("mview_refresh_info", "mview_refresh_hist", "mlog_purge_info", "mlog_purge_hist")
READ = "select * from @_mview.mview_refresh_info where mview_id = 'spark_catalog.bench.tiny_0'"


def compare(bench: Bench) -> Iterator[Result]:
    """Tiny views over one logged table, refreshed again and again."""
    bench.begin(min(bench.tpch))
    sql, project = bench.project.sql, bench.project
    feed = "'delta.enableChangeDataFeed' = 'true'"
    sql(
        f"create table @.ticks using delta tblproperties ({feed})"
        " as select id as k, 0L as n from range(100)"
    )
    body = f"select * from {project.schema}.ticks"
    project.model("ticks_log", body, materialized="materialized_view_log")
    views = [f"tiny_{index}" for index in range(VIEWS)]
    for view in views:
        project.model(
            view, f"select k % 9 as g, sum(n) as n from {project.schema}.ticks group by k % 9"
        )
    bench.run()
    samples: list[dict[str, float]] = []
    took: list[float] = []
    for turn in range(VIEWS, bench.choice.refreshes + 1, VIEWS):
        sql(f"update @.ticks set n = {turn} where k = {turn % 7}")
        start = time.perf_counter()
        bench.run(*views)
        took.append(time.perf_counter() - start)
        bench.run("ticks_log")
        project.op("mlog_purge", log="ticks_log")
        if turn % EACH == 0:
            project.op("mview_maintain")
            state = [sql(f"describe detail @_mview.{table}")[0] for table in TABLES]
            sample = {
                "files of state": float(sum(detail.numFiles for detail in state)),
                "files of its logs": float(len(log_files(state))),
                "reading state": median(read(bench) for _ in range(5)),
                f"a run of {VIEWS} views": median(took[-EACH // VIEWS :]),
            }
            samples.append(sample)
            told = ", ".join(f"{name} {value:.2f}" for name, value in sample.items())
            bench.tell(f"    after {turn} refreshes: {told}")
            a_day_passes(log_files(state))
    for name in samples[0]:
        values = [sample[name] for sample in samples]
        unit = "files" if name.startswith("files") else "s"
        for index, value in enumerate(values):
            done = (index + 1) * EACH
            yield Result("curve", name, done, "now", "first", [value], values[:1], unit=unit)
        end = f"{name}, the last {EACH} of {len(took) * VIEWS} refreshes"
        half = values[: len(values) // 2] or values
        yield Result("upkeep", end, 0, "last", "first half", values[-1:], half, 1.2, unit=unit)


def log_files(state: list[Row]) -> list[Path]:
    """The files of the logs of some tables: commits, checkpoints, checksums."""
    places = [Path(unquote(urlparse(detail.location).path)) for detail in state]
    return [file for place in places for file in (place / "_delta_log").glob("*")]


def a_day_passes(files: list[Path]) -> None:
    """They are a day older than they were."""
    for file in files:
        then = file.stat().st_mtime - DAY
        os.utime(file, (then, then))


def read(bench: Bench) -> float:
    """Seconds to read the view's row of state after a commit on it."""
    bench.project.sql("update @_mview.mview_refresh_info set failures = null where mview_id = 'x'")
    start = time.perf_counter()
    bench.project.sql(READ)
    return time.perf_counter() - start
