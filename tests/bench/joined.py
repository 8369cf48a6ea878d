"""FAST and COMPLETE where several joined tables change at once: `python -m tests.bench.joined`, or
with `star`, `chain` or `mart`. Prints the median of the seconds of a refresh itself, and the ratio.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from dbt_mview import engine
from tests.bench.overwritten import FEED, side_by_side
from tests.support.project import Project

# A fact and its dimensions; tables of which each is a part of the one before; a table and what was
# summed up of others by its key, as a mart joins on the left.
SIZES = {
    "star": (2_000_000, 100_000, 20_000, 2_000, 200),
    "chain": (2_000_000, 1_000_000, 500_000, 250_000, 100_000),
    "mart": (1_000_000, 1_000_000, 1_000_000, 1_000_000),
}
# What changes of each: one row in so many has other values, and as many come anew, which rows of
# the table before, old and new, refer to already.
PART = 2_000
TURNS = 60
WAYS = ("complete", "fast")


def table(shape: str, index: int) -> str:
    """The name of a table."""
    return f"{shape}_{index}"


def few(shape: str, index: int) -> int:
    """How many rows of a table change in a round, and how many come."""
    return max(SIZES[shape][index] // PART, 1)


def rows(shape: str, index: int, start: int, count: int) -> str:
    """Rows of a table: its key, those of the tables that it is joined with, and values."""
    sizes = SIZES[shape]
    joins = (index == 0 and shape == "star") or shape == "chain"
    beyond = range(index + 1, len(sizes)) if joins else ()
    keys = "".join(
        f", id * 7919 % {sizes[other] + TURNS * few(shape, other)} as k{other}" for other in beyond
    )
    return (
        f"select id as k{keys}, cast(id % 997 as decimal(10, 2)) as amt, concat('v', id % 100) as v"
        f" from range({start}, {start + count})"
    )


def query(shape: str, count: int, *, grouped: bool) -> str:
    """The first so many tables joined: rows, or groups by a value of the last one."""
    last = count - 1
    kind = "left join" if shape == "mart" else "join"
    joins = [
        f" {kind} {{schema}}.{table(shape, one)} t{one} on t{one}.k ="
        f" t{one - 1 if shape == 'chain' else 0}.k{'' if shape == 'mart' else one}"
        for one in range(1, count)
    ]
    values = "".join(f", t{one}.v as v{one}" for one in range(1, count))
    source = f" from {{schema}}.{table(shape, 0)} t0{''.join(joins)}"
    if grouped:
        # Of a value of the optional side, nothing of the preserved one would be in the result.
        by = "t0.v" if shape == "mart" else f"t{last}.v"
        return f"select {by}, count(*) as n, sum(t{last}.amt) as total{source} group by {by}"
    return f"select t0.k, t0.amt{values}{source}"


def change(project: Project, shape: str, count: int, turn: int) -> None:
    """Values and new rows of the first so many tables."""
    for index in range(count):
        name, size = table(shape, index), SIZES[shape][index]
        some = few(shape, index)
        project.sql(
            f"update @.{name} set amt = amt + 1, v = concat(v, 'x') where k % {PART} = {turn}"
        )
        project.sql(f"insert into @.{name} {rows(shape, index, size + turn * some, some)}")


def measure(project: Project, shape: str, count: int) -> None:
    """Rows and groups over so many joined tables, all of which change in each round."""
    names = {}
    for kind in ("rows", "groups"):
        text = query(shape, count, grouped=kind == "groups").format(schema=project.schema)
        for way in WAYS:
            what = f"{shape}, {count} tables, {kind}"
            names[what, way] = f"{shape}_{count}_{kind}_{way}"
            project.model(names[what, way], text, refresh=way)
    # New keys each time.
    side_by_side(project, names, lambda turn: change(project, shape, count, 10 * count + turn))


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        conf = {"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "8g"}
        session = engine.session(Path(home), conf)
        session.sparkContext.setLogLevel("FATAL")
        session.sql("create schema if not exists joined")
        for shape in sys.argv[1:] or SIZES:
            for index, size in enumerate(SIZES[shape]):
                made = f"create table joined.{table(shape, index)} using delta {FEED} as "
                session.sql(made + rows(shape, index, 0, size))
            for count in range(2, len(SIZES[shape]) + 1):
                project = Project(Path(home) / f"{shape}_{count}", "joined", session)
                measure(project, shape, count)
        session.stop()


if __name__ == "__main__":
    main()
