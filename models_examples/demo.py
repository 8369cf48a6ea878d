"""The demo: a year of flights arrives in two deliveries, and dbt keeps the views right.

Everything runs in this one process: the loader and dbt's `method: session` share one Spark.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click
from dbt.cli.main import dbtRunner
from load import HERE, SCHEMA, deliver, open_session
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dbt.artifacts.schemas.run import RunResult
    from dbt_common.events.base_types import EventMsg
    from pyspark.sql import SparkSession

SPARK_LOG = HERE / "logs" / "spark.log"
STYLES = {
    "complete": "green",
    "fast": "cyan",
    "skip": "dim",
    "equal": "green",
    "DIFFERS": "bold red",
}

FLASHBACK = ("--vars", json.dumps({"dbt_mview:flashback_enable": True}))
VIEW = "carrier_daily_delays"
THEN_AND_NOW = f"""
    select 'then' as seen, sum(departure_delay_minutes) as minutes
    from {{{{ dbt_mview.as_of(ref('{VIEW}'), 'THEN') }}}}
    union all select 'now', sum(departure_delay_minutes) from {{{{ ref('{VIEW}') }}}}
"""

console = Console(width=None if sys.stdout.isatty() else 130, highlight=False)


@click.command(help=__doc__)
def main() -> None:
    """Run the demo; exit with 1 when dbt fails or a view is not equal to its query."""
    started = time.monotonic()
    console.print(f"[dim]Spark's own messages go to {SPARK_LOG.relative_to(HERE.parent)}[/]")
    with console.status("starting Spark (the first time it downloads Delta Lake)"), errors_to_log():
        spark = open_session()
    if not (HERE / "dbt_packages" / "dbt_mview").exists():
        dbt("deps")

    console.rule("January to November")
    deliver(spark, range(1, 12), console=console)
    run(spark)

    console.rule("December, and corrections of the earlier months")
    deliver(spark, [12], corrections=True, console=console)
    from_changes = run(spark)

    if any(done == "fast" for done, _ in from_changes.values()):
        console.rule("the same once more, all of it computed anew")
        anew = run(spark, "--full-refresh", "--select", "config.materialized:mview")
        compare(from_changes, anew)

    console.rule("nothing new")
    run(spark)

    console.rule("a bad load: what it did, and back to before it")
    go_back(spark)

    console.rule("what the views say of themselves")
    show_table(*dbt("run-operation", "mview_info").rows())

    console.rule("is every view equal to its query at the versions that it says it read?")
    head, *views = dbt("run-operation", "mview_verify").rows()
    show_table(head, *views)
    if not views or any(verdict != "equal" for _, verdict, *_ in views):
        raise click.ClickException("Not every view could be shown to be equal to its query.")
    console.print(f"\n[bold green]Yes.[/] The demo took {time.monotonic() - started:.0f} s.")


@contextmanager
def errors_to_log() -> Iterator[None]:
    """Send standard error to a file: for good that of the processes which are started meanwhile."""
    SPARK_LOG.parent.mkdir(exist_ok=True)
    saved = os.dup(2)
    with SPARK_LOG.open("w") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def run(spark: SparkSession, *arguments: str) -> dict[str, tuple[str, float]]:
    """Run dbt and show what became of each view. Return view -> (what was done, seconds)."""
    started = time.monotonic()
    results = dbt("run", *arguments).results
    seconds = time.monotonic() - started
    views = [result for result in results if result.node.config.materialized == "mview"]
    rows = []
    for result in views:
        done = str(result.adapter_response.get("code", "?")).lower()
        count = spark.table(result.node.relation_name).count()
        took = f"{result.execution_time:.1f} s"
        rows.append((result.node.name, done, took, f"{count:,}", why(result)))
    show_table(("view", "done", "took", "rows", "why"), *rows)
    logs = [result for result in results if result.node.config.materialized.endswith("_log")]
    for result in logs:
        console.print(f"  {result.node.name}: {result.message}")
    console.print(f"  {len(views)} materialized views in {seconds:.1f} s")
    return {
        result.node.name: (row[1], result.execution_time)
        for result, row in zip(views, rows, strict=True)
    }


def go_back(spark: SparkSession) -> None:
    """Let a load take minutes for seconds; find out, take a view back, mend the load, go on."""
    good = spark.sql(f"describe history {SCHEMA}.flights limit 1").collect()[0].version
    then = now()
    spark.sql(
        f"update {SCHEMA}.flights set dep_delay = dep_delay * 60 where month = 12 and day = 24"
    )
    run(spark, "--select", VIEW)
    operation("mview_diff", **{"table": VIEW, "from": then, "to": now(), "limit": 4})
    console.print(
        escape(dbt("show", "--inline", THEN_AND_NOW.replace("THEN", then), *FLASHBACK).shown)
    )
    operation("mview_restore", view=VIEW, timestamp=then)
    run(spark, "--select", VIEW)
    spark.sql(f"restore table {SCHEMA}.flights to version as of {good}")
    operation("mview_refresh", view=VIEW)
    run(spark)


def now() -> str:
    """Return the time, as `as_of` and the operations take it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def operation(name: str, **arguments: object) -> None:
    """Run an operation that may look back, and show what it says."""
    answer = dbt("run-operation", name, "--args", json.dumps(arguments), *FLASHBACK)
    for line in answer.lines:
        console.print(f"  {escape(line)}")


def compare(fast: dict[str, tuple[str, float]], complete: dict[str, tuple[str, float]]) -> None:
    """Show what both methods took, for the views that were refreshed from the changes alone."""
    rows = []
    for view, (done, seconds) in fast.items():
        if done == "fast":
            whole = complete[view][1]
            rows.append((view, f"{seconds:.1f} s", f"{whole:.1f} s", f"{whole / seconds:.1f}"))
    show_table(("view", "FAST took", "COMPLETE took", "times as fast"), *rows)


def why(result: RunResult) -> str:
    """Return the reason out of dbt's line: "SKIP <reason>" or "<METHOD> v<n>, <rows>: <reason>"."""
    message = result.message or ""
    is_skip = message.startswith("SKIP ")
    return message.removeprefix("SKIP ") if is_skip else message.partition(": ")[2]


def show_table(head: Iterable[str], *rows: Iterable[str]) -> None:
    """Print rows under a head, without the columns that say nothing in any row."""
    table = Table()
    columns = []
    for title, *cells in zip(head, *rows, strict=True):
        if any(cell != "-" for cell in cells):
            right = title.endswith(("took", "rows", "as fast"))
            whole = title in {"view", "sources"}
            table.add_column(title, justify="right" if right else "left", no_wrap=whole)
            columns.append([markup(title, cell) for cell in cells])
    for row in zip(*columns, strict=True):
        table.add_row(*row)
    console.print(table)


def markup(title: str, cell: str) -> str:
    """Return a cell with what was done in its colour, and sources one per line."""
    if cell in STYLES:
        return f"[{STYLES[cell]}]{cell}[/]"
    return escape(cell.replace(", ", "\n") if title == "sources" else cell)


class Answer:
    """What a dbt command said: its results, what its macros printed, the rows of `dbt show`."""

    def __init__(self) -> None:
        self.results: list[RunResult] = []
        self.lines: list[str] = []
        self.shown = ""

    def rows(self) -> list[list[str]]:
        """Return the printed lines as cells; the macros put two blanks or more between two."""
        return [re.split(r" {2,}", line) for line in self.lines]


def dbt(*arguments: str) -> Answer:
    """Run dbt in this process; leave the demo when it fails."""
    answer = Answer()
    console.print(f"[dim]$ dbt {' '.join(arguments)}[/]")
    with console.status("") as status:

        def listen(event: EventMsg) -> None:
            if event.info.name == "PrintEvent":
                answer.lines.append(event.info.msg)
            elif event.info.name == "ShowNode":
                answer.shown = event.info.msg
            elif event.info.name == "LogStartLine":
                status.update(escape(event.info.msg))
            elif event.info.level == "error":
                console.print(escape(event.info.msg))

        # `listen` shows what matters here; dbt's own lines are in logs/dbt.log.
        logs = ("--log-level", "none", "--log-level-file", "debug")
        place = ("--project-dir", str(HERE), "--profiles-dir", str(HERE))
        outcome = dbtRunner(callbacks=[listen]).invoke([*arguments, *logs, *place])
    if not outcome.success:
        reason = f": {outcome.exception}" if outcome.exception else "."
        raise click.ClickException(f"dbt {' '.join(arguments)} failed{reason}")
    answer.results = list(getattr(outcome.result, "results", ()))
    return answer


if __name__ == "__main__":
    main()
