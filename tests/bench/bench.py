"""Side-by-side timings of COMPLETE, FAST, skip and bookkeeping against dbt-spark's `table`.

Every comparison runs its sides in turn, in one session, and prints the ratio of the medians.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from dbt_mview import engine
from tests.bench.data import load
from tests.support.project import Project

HOME = Path(__file__).resolve().parents[2] / ".bench"
CONF = {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "12g"}

SUPPLIERS = """
select l_suppkey, count(*) as lines, sum(l_quantity) as quantity, sum(l_extendedprice) as price
from {schema}.lineitem group by l_suppkey
"""
CUSTOMERS = """
select o_custkey, count(*) as lines, sum(l_extendedprice * (1 - l_discount)) as revenue
from {schema}.orders join {schema}.lineitem on l_orderkey = o_orderkey group by o_custkey
"""

KINDS = ("mview", "table")
TOUCH = "update {schema}.lineitem set l_linestatus = l_linestatus where l_orderkey = 1"
READ = "select sum(lines) from @.{table}"

console = Console(width=110)


@click.command(help=__doc__)
@click.option("--scale", type=float, multiple=True, default=(1.0,), help="Scale factor of TPC-H.")
@click.option("--rounds", default=3, help="How often each side is timed, after one warm-up.")
@click.option("--only", multiple=True, help="complete, skip, many or fast.")
def main(scale: tuple[float, ...], rounds: int, only: tuple[str, ...]) -> None:
    """Run the comparisons and print one table of ratios."""
    spark = engine.session(HOME / "engine", CONF)
    report = Table("comparison", "scale", "mview s", "table s", "ratio", "goal")
    for factor in scale:
        schema = load(spark, HOME, factor)
        with fresh_project(spark) as project:
            for name, compare in COMPARISONS.items():
                if not only or name in only:
                    for label, ours, theirs, goal in compare(project, schema, rounds):
                        ratio = f"{ours / theirs:.2f}"
                        cells = (label, f"{factor:g}", f"{ours:.2f}", f"{theirs:.2f}", ratio, goal)
                        console.print(*cells)
                        report.add_row(*cells)
    console.print(report)
    spark.stop()


Rows = Iterator[tuple[str, float, float, str]]


def complete(project: Project, schema: str, rounds: int) -> Rows:
    """COMPLETE after a change of the source, and reading what came of it."""
    for name, query in {"suppliers": SUPPLIERS, "customers": CUSTOMERS}.items():
        project.forget()
        models(project, name, query.format(schema=schema))
        times = in_turn(
            {kind: partial(project.run, f"{name}_{kind}") for kind in KINDS},
            rounds,
            partial(project.sql, TOUCH.format(schema=schema)),
        )
        yield f"COMPLETE {name}, whole run", times["mview"], times["table"], "1.05"
        reads = in_turn(
            {kind: partial(project.sql, READ.format(table=f"{name}_{kind}")) for kind in KINDS},
            2 * rounds,
        )
        yield f"reading {name}", reads["mview"], reads["table"], "1.0"


def skip(project: Project, schema: str, rounds: int) -> Rows:
    """A refresh with nothing to do, against building anew and against an empty model."""
    project.forget()
    models(project, "skipped", SUPPLIERS.format(schema=schema))
    project.model("empty", "select 1 as id", materialized="ephemeral")
    project.run()
    times = in_turn(
        {
            "mview": lambda: assert_skip(project, "skipped_mview"),
            "table": lambda: project.run("skipped_table"),
            "nothing": lambda: project.run("empty"),
        },
        rounds,
    )
    base = times["nothing"]
    yield "skip, above an empty run", times["mview"] - base, times["table"] - base, "0.1"
    yield "skip (s) against 0.5 s", times["mview"] - base, 0.5, "1.0"


def many(project: Project, schema: str, rounds: int) -> Rows:
    """Twenty tiny views on four threads."""
    project.forget()
    project.sql("create or replace table @.tiny using delta as select 1 as id")
    for index in range(20):
        models(
            project, f"tiny_{index}", f"select id, {index} as n from {{{{ target.schema }}}}.tiny"
        )
    names = {kind: [f"tiny_{index}_{kind}" for index in range(20)] for kind in KINDS}
    sides = {kind: partial(project.run, *names[kind]) for kind in KINDS}
    change = partial(project.sql, "update @.tiny set id = id + 1")
    times = in_turn(sides, rounds, change)
    yield "20 tiny views, 4 threads", times["mview"], times["table"], "2.0"


QUERIES = {
    "suppliers": SUPPLIERS,
    "customers": CUSTOMERS,
    "distinct": "select l_suppkey, count(distinct l_partkey) as parts from {schema}.lineitem"
    " group by l_suppkey",
}
SCATTERED = (
    "update {schema}.lineitem set l_quantity = l_quantity + 1"
    " where pmod(xxhash64(l_orderkey, l_linenumber, {turn}), 100000) < {percent} * 1000"
)


def fast(project: Project, schema: str, rounds: int) -> Rows:
    """FAST against COMPLETE and `table`, after updates scattered over all of lineitem."""
    for name, query in QUERIES.items():
        project.forget()
        text = query.format(schema=schema)
        project.model(f"{name}_fast", text, refresh="fast")
        models(project, name, text)
        project.run()
        for percent in (0.01, 0.1, 1):
            sides = {kind: partial(project.run, f"{name}_{kind}") for kind in ("fast", *KINDS)}
            times = {kind: [] for kind in sides}
            for turn in range(rounds):
                project.sql(SCATTERED.format(schema=schema, percent=percent, turn=turn))
                for kind, side in sides.items():
                    started = time.perf_counter()
                    side()
                    times[kind].append(time.perf_counter() - started)
            yield (
                f"FAST {name}, {percent} % changed",
                median(times["fast"]),
                median(times["table"]),
                "0.2",
            )
        project.op("mview_verify", view=f"{name}_fast")


def models(project: Project, name: str, query: str) -> None:
    """The same query as an mview, always COMPLETE, and as a table."""
    project.model(f"{name}_mview", query, refresh="complete")
    project.model(f"{name}_table", query, materialized="table", file_format="delta")


def assert_skip(project: Project, name: str) -> None:
    """Run a view that has nothing to do."""
    assert project.run(name).text(name).startswith("SKIP")


def in_turn(
    sides: dict[str, Callable[[], object]],
    rounds: int,
    before: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """Time each side in turn, after a warm-up of each. Returns medians in seconds."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, side in sides.items():
            before()
            started = time.perf_counter()
            side()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {name: median(values) for name, values in seconds.items()}


@contextmanager
def fresh_project(spark: object) -> Iterator[Project]:
    """A dbt project in the bench's own directory; its schemas go at the end."""
    root = HOME / "project"
    shutil.rmtree(root, ignore_errors=True)
    project = Project(root, "bench", spark)
    project.drop()
    project.sql("create schema @")
    yield project
    project.drop()


COMPARISONS = {"complete": complete, "skip": skip, "many": many, "fast": fast}

if __name__ == "__main__":
    main()
