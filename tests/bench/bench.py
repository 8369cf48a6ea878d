"""COMPLETE, FAST, skip and bookkeeping beside dbt-spark's `table` and what one writes by hand.

All sides of a comparison take turns in one process and on the same changes; what is printed and
kept are the ratios of their medians.
"""

from __future__ import annotations

import os
import shutil
import sys
from datetime import datetime, timezone
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from dbt_mview import engine
from tests.bench import (
    capture,
    complete,
    due,
    flashback,
    floor,
    grid,
    growth,
    many,
    operators,
    purge,
    skip,
    small,
    upkeep,
)
from tests.bench.changes import LAYOUTS
from tests.bench.data import load
from tests.bench.machine import commit, machine
from tests.bench.results import HEADINGS, Result, Run, read, write
from tests.bench.setup import Bench, Choice
from tests.bench.views import VIEWS
from tests.support.project import Project
from tests.support.quick import QUICK

HOME = Path(__file__).resolve().parents[2] / ".bench"
CONF = {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "12g"}
COMPARISONS = {
    "complete": complete.compare,
    "skip": skip.compare,
    "many": many.compare,
    "small": small.compare,
    "floor": floor.compare,
    "due": due.compare,
    "capture": capture.compare,
    "purge": purge.compare,
    "flashback": flashback.compare,
    "grid": grid.compare,
    "growth": growth.compare,
    "operators": operators.compare,
    "upkeep": upkeep.compare,
}
AFFORDABLE = {"view": ("suppliers", "customers"), "percent": (0.1,), "layout": LAYOUTS[:2]}
WHOLE = {"view": tuple(VIEWS), "percent": (0.01, 0.1, 1.0, 10.0, 50.0), "layout": LAYOUTS[:2]}


@click.command(help=__doc__)
@click.option("--scale", type=float, multiple=True, default=(1.0,), help="Scale factor of TPC-H.")
@click.option("--only", type=click.Choice(list(COMPARISONS)), multiple=True)
@click.option("--rounds", default=3, help="How often each side is timed, after one warm-up.")
@click.option("--warm-up", default=1, help="Rounds of the grid before its first cell: AUTO learns.")
@click.option("--learn", default=0, help="The same before each later size of changes.")
@click.option("--whole", is_flag=True, help="All views and percentages of the grid.")
@click.option("--view", type=click.Choice(list(VIEWS)), multiple=True)
@click.option("--percent", type=float, multiple=True, help="Of the rows of lineitem that change.")
@click.option("--layout", type=click.Choice(LAYOUTS), multiple=True)
@click.option("--side", type=click.Choice(grid.SIDES), multiple=True, help="Of the grid.")
@click.option("--into", type=click.Path(path_type=Path), help="By default .bench/measured.")
@click.option("--refreshes", default=1000, help="How many the comparison upkeep does.")
@click.option("--steps", is_flag=True, help="Print what each statement of a refresh took.")
def main(
    scale: tuple[float, ...],
    only: tuple[str, ...],
    rounds: int,
    warm_up: int,
    learn: int,
    whole: bool,
    side: tuple[str, ...],
    into: Path | None,
    refreshes: int,
    steps: bool,
    **chosen: tuple[str, ...],
) -> None:
    """Run the comparisons, print one table of ratios, keep what was measured."""
    console = Console(width=max(Console().width, 140))
    os.environ["DBT_QUIET"] = "true"
    # Views, percentages and layouts.
    grid_of = (chosen[name] or most for name, most in (WHOLE if whole else AFFORDABLE).items())
    choice = Choice(rounds, *grid_of, side, steps, refreshes, warm_up, learn)
    # A thousand refreshes of a handful of rows: alone, they need not compile what they run.
    conf = {**CONF, **QUICK} if set(only) == {"upkeep"} else CONF
    spark = engine.session(HOME / "engine", conf)
    spark.sparkContext.setLogLevel("FATAL")
    date = datetime.now(timezone.utc)
    command = " ".join(["python -m tests.bench.bench", *sys.argv[1:]])
    run = Run(f"{date:%Y-%m-%d %H:%M:%S}", commit(), command, machine(spark))
    into = into or HOME / "measured"
    before = read(into)
    with console.status("TPC-H") as status:
        root = HOME / "project"
        shutil.rmtree(root, ignore_errors=True)
        project = Project(root, "bench", spark)
        project.artifacts = True  # as users run it
        project.configure(vars={"dbt_mview:small_source_bytes": 16 * 1024 * 1024})  # so is this
        tpch = {factor: load(spark, HOME, factor) for factor in scale}
        bench = Bench(project, tpch, choice, lambda text: status.update(text), console.print)
        for name in only or COMPARISONS:
            for result in COMPARISONS[name](bench):
                run.results.append(result)
                write(into, [*before, run])  # each time: a run may be ended
                console.print(table([result], headings=False))
        project.drop()
    console.print(table(run.results))
    console.print(f"kept in {into}")
    spark.stop()


def table(results: list[Result], headings: bool = True) -> Table:
    """The table of ratios."""
    found = Table(*HEADINGS, show_header=headings, box=None)
    for result in results:
        found.add_row(*result.cells(), style="red" if result.met is False else None)
    return found


if __name__ == "__main__":
    main()
