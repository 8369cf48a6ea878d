"""A capture of a materialized view log, beside the bare INSERT of the same rows of the feed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from statistics import median

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.steps import steps
from tests.bench.timing import above, in_turn

PERCENT = 0.1
LOG, BARE = "lineitem_log", "@.lineitem_bare"
GOAL = 1.3


def compare(bench: Bench) -> Iterator[Result]:
    """A log of lineitem, at each scale and layout of changes."""
    for scale, layout in product(bench.tpch, bench.choice.layouts):
        yield from one_layout(bench, scale, layout)


def one_layout(bench: Bench, scale: float, layout: str) -> Iterator[Result]:
    """Both sides take in the same changes."""
    changes, project = bench.begin(scale, layout), bench.project
    base = f"{project.schema}.lineitem"
    project.model(LOG, f"select * from {base}", materialized="materialized_view_log")
    project.model("empty", "select 1 as id", materialized="view")
    bench.run()
    project.sql(f"create table {BARE} using delta as select * from @.{LOG}")
    captures: list[float] = []
    done = newest(bench)

    def capture() -> None:
        took = dict(steps(bench.run(LOG).said))
        captures.append(took["capture"])

    def bare() -> None:
        nonlocal done
        first, done = done + 1, newest(bench)
        feed = f"table_changes('{base}', {first}, {done})"
        project.sql(f"insert into {BARE} by name select * from {feed}")

    def change() -> None:
        changes.make(layout, PERCENT)

    # Who comes first after a change reads the base's new version for both: as often the one as the
    # other, and nobody between them.
    rounds = bench.choice.rounds + bench.choice.rounds % 2
    times = in_turn({"capture": capture, "bare": bare}, rounds, change, each=False)
    times |= in_turn({"empty": bench.runs("empty")}, rounds)
    held = [project.sql(f"select count(*) from {name}")[0][0] for name in (f"@.{LOG}", BARE)]
    assert held[0] == held[1] > 0, f"the log holds {held[0]} rows, the other table {held[1]}"
    empty, theirs = median(times["empty"]), times["bare"]
    label = f"capture of {PERCENT:g} % {layout}"
    note = f"a run of one empty view takes {empty:.2f} s"
    for what, ours, goal in (
        ("whole run", times["capture"], None),
        ("above an empty run", above(times["capture"], times["empty"]), GOAL),
        ("its statement alone", captures[-len(theirs) :], None),
    ):
        side = "materialized_view_log"
        name = f"{label}, {what}"
        yield Result("capture", name, scale, side, "bare INSERT", ours, theirs, goal, note=note)


def newest(bench: Bench) -> int:
    """The newest version of the base."""
    return int(bench.project.commits("lineitem")[0].version)
