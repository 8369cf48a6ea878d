"""A purge of ten million rows of a log, beside one DELETE of the same rows from a copy."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import in_turn

CAPTURES = 10
ROWS = 1_000_000
LOG, COPY = "@.events_log", "@.events_copy"


def compare(bench: Bench) -> Iterator[Result]:
    """A log of ten captures that no view needs any more."""
    bench.begin(min(bench.tpch))
    sql = bench.project.sql
    sql(
        "create table @.events using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
        " as select id, id % 97 as kind, cast(id as string) as text from range(1)"
    )
    body = f"select * from {bench.project.schema}.events"
    bench.project.model("events_log", body, materialized="materialized_view_log")
    bench.run("events_log")
    for capture in range(CAPTURES):
        bench.status(f"capture {capture + 1} of {CAPTURES}")
        sql(f"insert into @.events select id, id % 97, cast(id as string) from range({ROWS})")
        bench.run("events_log")
    sql(f"create table {COPY} shallow clone {LOG}")
    full = {table: sql(f"describe history {table} limit 1")[0].version for table in (LOG, COPY)}

    def restore() -> None:
        for table, version in full.items():
            sql(f"restore table {table} to version as of {version}")
        sql("update @_mview.mlog_purge_info set last_purged_version = null")

    times = in_turn(
        {
            "purge": lambda: bench.project.op("mlog_purge", log="events_log"),
            "delete": lambda: sql(f"delete from {COPY} where _commit_version >= 0"),
        },
        bench.choice.rounds,
        restore,
    )
    restore()
    bench.project.op("mlog_purge", log="events_log")
    purged = [
        commit.operationMetrics
        for commit in sql(f"describe history {LOG}")
        if commit.operation == "DELETE"
    ]
    rewritten = sum(int(one.get("numAddedFiles", 0)) for one in purged)
    assert not rewritten, "a purge drops files and writes none"
    assert not sql(f"select 1 from {LOG} limit 1"), "all of it goes"
    yield Result(
        "purge",
        f"purge of {CAPTURES * ROWS} rows in {CAPTURES} captures",
        0,
        "mlog_purge",
        "one DELETE",
        times["purge"],
        times["delete"],
        1.3,
        note="files written by the purge: 0; the operation as a whole, with dbt's own start",
    )
