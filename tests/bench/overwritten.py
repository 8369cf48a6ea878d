"""What the change feed of a view costs, and what a source costs that was overwritten with nearly
the same rows: `python -m tests.bench.overwritten`. Prints seconds of the refresh itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from dbt_mview import engine
from tests.support.project import Project

ROWS, CHANGED, PUBLISHED = 1_000_000, 100, 100_000
TURNS = 2  # the first one warms up
ROUNDS = 3  # of what is measured side by side; one more warms up
SOURCE = "select id, id % 5000 as k, cast(id % 997 as decimal(10, 2)) as amt from range({rows})"
GROUPS = "select k, count(*) as n, sum(amt) as total from {schema}.big group by k"
KEPT = "select id, k, amt from {schema}.big where id % 2 = 0"
FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
WAYS = {
    "complete": {"refresh": "complete"},
    "difference": {"refresh": "complete"},
    "compared": {"refresh": "fast"},
}


def seconds(project: Project, view: str) -> float:
    """How long the newest refresh of a view took."""
    (row,) = project.sql(
        "select unix_micros(refresh_endtime) - unix_micros(refresh_time) as us from"
        f" @_mview.mview_refresh_hist where mview_id = 'spark_catalog.@.{view}'"
        " order by refresh_time desc limit 1"
    )
    return float(row.us) / 1e6


def side_by_side(
    project: Project, views: Mapping[tuple[str, str], str], change: Callable[[int], None]
) -> None:
    """Builds views, (what, way) -> name, and prints the median of their refreshes by each way.

    Args:
        project: theirs.
        views: of each thing one by `complete` and one by `fast`.
        change: of the tables, in a round.
    """
    project.run(*views.values())
    taken: dict[tuple[str, str], list[float]] = {one: [] for one in views}
    for turn in range(ROUNDS + 1):
        change(turn)
        done = project.run(*views.values(), args=("--threads", "1"))
        for one, name in views.items():
            assert done.text(name).startswith(one[1].upper()), done.text(name)
            if turn:
                taken[one].append(seconds(project, name))
    for what in dict.fromkeys(what for what, _ in views):
        complete, fast = (median(taken[what, way]) for way in ("complete", "fast"))
        print(  # noqa: T201
            f"{what}: COMPLETE {complete:.1f} s, FAST {fast:.1f} s, {fast / complete:.2f}",
            flush=True,
        )


def refresh(project: Project, views: list[str]) -> None:
    """One after the other, and what each took and said."""
    done = project.run(*views, args=("--threads", "1"))
    for view in views:
        print(f"{view}: {seconds(project, view):.1f} s, {done.text(view)}")  # noqa: T201


def feed(project: Project) -> None:
    """Two views alike but for their feed: all rows published anew, and a quarter merged."""
    project.sql(f"create table @.rows using delta {FEED} as {SOURCE.format(rows=4 * PUBLISHED)}")
    body = f"select * from {project.schema}.rows where id >= 0"
    for name, on in [("with_feed", True), ("without_feed", False)]:
        project.model(name, body, change_feed=on, refresh="fast")
        project.model(f"{name}_complete", body, change_feed=on, refresh="complete")
    project.run()
    names = [f"{name}{way}" for way in ["", "_complete"] for name in ["with_feed", "without_feed"]]
    for turn in range(TURNS):
        project.sql(f"update @.rows set amt = amt + 1 where id % 4 = {turn}")
        refresh(project, names)


def overwritten(project: Project) -> None:
    """Each way through three loads of the whole table."""
    table = "create or replace table @.big using delta as "
    project.sql(table + SOURCE.format(rows=ROWS))
    for name, query in [("groups", GROUPS), ("kept", KEPT)]:
        for way, config in WAYS.items():
            view = f"{name}_{way}"
            project.model(view, query.format(schema=project.schema), **config)
            if way == "difference":
                project.model(f"over_{view}", f"select count(*) as n from {{{{ ref('{view}') }}}}")
    project.run()
    for turn in range(TURNS):
        more = f"cast(amt + if(id % {ROWS // CHANGED} = {turn}, 1, 0) as decimal(10, 2)) as amt"
        project.sql(f"{table} select id, k, {more} from @.big")
        refresh(project, [f"{name}_{way}" for name in ["groups", "kept"] for way in WAYS])


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        session = engine.session(Path(home), {"spark.sql.ansi.enabled": "false"})
        session.sql("create schema if not exists overwritten")
        for play in [feed, overwritten]:
            project = Project(Path(home) / play.__name__, "overwritten", session)
            play(project)
        session.stop()


if __name__ == "__main__":
    main()
