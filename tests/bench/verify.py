"""Whether what was timed is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.views import LABELS, query

BY_HAND = ("incremental", "stream")


def verify(
    bench: Bench, scale: float, layout: str, sides: dict[str, Iterable[str]]
) -> Iterator[Result]:
    """Compare every FAST and AUTO result with its query, and what is written by hand as well.

    Args:
        bench: the run.
        scale: the scale factor.
        layout: how the sources changed.
        sides: the sides of each view.

    Yields:
        The number of wrong rows of all views of one side.

    Raises:
        AssertionError: a view of the package is not what its query gives.
    """
    views = [f"{view}_{side}" for view in sides for side in sides[view] if side in ("fast", "auto")]
    for view in views:
        bench.status(f"verifying {view}")
        said = bench.project.op("mview_verify", view=f"{bench.project.schema}.{view}").log
        assert " equal " in said, said
    if views:
        label = f"rows that mview_verify finds wrong in {len(views)} views, {layout}"
        yield Result("verify", label, scale, "mview", "right", [0.0], [0.0], unit="rows")
    for view in sides:
        for side in (side for side in BY_HAND if side in sides[view]):
            yield wrong_rows(bench, view, side, scale, f"at the end, {layout}")


def wrong_rows(bench: Bench, view: str, side: str, scale: float, when: str) -> Result:
    """Count the rows of one side that the view's query does not give, and those it lacks."""
    bench.status(f"wrong rows of {view}_{side}")
    schema = bench.project.schema
    truth = query(view, schema, bench.tpch[scale])
    columns = bench.project.spark.sql(truth).columns
    right = f"(select {', '.join(columns)} from ({truth}))"
    table = f"(select {', '.join(columns)} from {schema}.{view}_{side})"
    wrong = bench.project.sql(
        f"select (select count(*) from ({table} except all {right})),"
        f" (select count(*) from ({right} except all {table}))"
    )[0]
    label = f"wrong rows, {LABELS[view]}, {when}"
    note = f"{wrong[0]} that should not be there, {wrong[1]} missing"
    return Result(
        "verify", label, scale, side, "right", [float(sum(wrong))], [0.0], None, "rows", note
    )
