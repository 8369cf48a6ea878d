"""The project that the service keeps fresh: each kind of plan, on views whose owners are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from dbt_mview.serve.ring import Ring
from tests.support.project import Project, copy_package

SCHEMA = "served"
STATE = f"{SCHEMA}_mview"
NODES = ("a", "b", "c")
BROKEN_AFTER = 4
# Tables that views read. `pace` says how many milliseconds a refresh of SLOW takes, `gate` whether
# FRAGILE fails.
TABLES = (
    "create or replace table @.src (n int) using delta",
    "create or replace table @.calm (n int) using delta",
    "create or replace table @.pace using delta as select 0L as ms",
    "create or replace table @.gate using delta as select false as bad",
    "insert into @.src values (1)",
    "insert into @.calm values (1)",
)
COUNTS = f"select n % 7 as k, count(*) as c, {{}} as t from {SCHEMA}.src group by n % 7"
GROUP = "group:pair"


def owned(stem: str, node: str) -> str:
    """A name of a view that this node owns, while all of them live."""
    ring = Ring(NODES)
    names = (stem if number == 0 else f"{stem}{number}" for number in count())
    return next(name for name in names if ring.owner(id_of(name)) == node)


def id_of(name: str) -> str:
    """The id of a view or log."""
    return f"spark_catalog.{SCHEMA}.{name}"


def owner(id_: str, nodes: Iterable[str] = NODES) -> str | None:
    """Which of these nodes owns a view or log; of a group, all of it."""
    return Ring(nodes).owner(GROUP if id_ in map(id_of, PAIR) else id_)


# Views that tests name, and the nodes that own them.
QUICK = owned("quick", "a")
PARENT, CHILD = owned("parent", "b"), owned("child", "c")
SLOW = owned("slow", "c")
LISTENS = owned("listens", "b")
CLOCK = owned("clock", "c")
FRAGILE = owned("fragile", "a")
PAIR = ("pair_one", "pair_two")
LOG = owned("src_log", "b")
# Views of the short form, which plays beside another worker of CI: with the log, one on each node.
SHORT = (QUICK, SLOW)
# Views of the long form, and the seconds between two refreshes of each. All views together are some
# twelve refreshes a minute, of six to nine seconds of a processor each: two processors are enough,
# and what is late is late because of a fault.
MORE = tuple(
    (owned(f"every_{seconds}_{node}", node), seconds)
    for node in NODES
    for seconds in (150, 180, 210, 240, 270)
)


class Views:
    """The views of a project.

    Attributes:
        every: by id, the seconds between two refreshes.
        ids: of all views.
        logs: ids of all logs.
    """

    def __init__(self, project: Project, *, is_long: bool) -> None:
        """Writes them."""
        self.every: dict[str, int] = {}
        self.ids: list[str] = []
        self.logs: list[str] = []
        self._project = project
        for name, query, plan in views():
            if is_long or name in SHORT:
                self._add(name, query, **plan)
        self._log(LOG, "src", 30)
        if is_long:
            for number, (name, seconds) in enumerate(MORE):
                self._add(name, COUNTS.format(100 + number), schedule={"every": seconds})
            self._log(owned("calm_log", "a"), "calm", 90)
            self._log(owned("gate_log", "c"), "gate", 120)

    @property
    def comparable(self) -> set[str]:
        """Ids of the views that can be compared with their queries: whose results are theirs."""
        return {*self.ids} - {id_of(SLOW), id_of(FRAGILE)}

    def _add(self, name: str, query: str, **config: Any) -> None:
        self._project.model(name, query, **config)
        self.ids.append(id_of(name))
        if every := config.get("schedule", {}).get("every"):
            self.every[id_of(name)] = every

    def _log(self, name: str, source: str, every: int) -> None:
        log = {"materialized": "materialized_view_log", "purge": {"every": every}}
        self._project.model(name, f"select * from {SCHEMA}.{source}", **log)
        self.logs.append(id_of(name))
        self.every[id_of(name)] = every


def views() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Name, query and config of each view that tests name."""
    sleeps = f"select java_method('java.lang.Thread', 'sleep', ms) as slept, ms from {SCHEMA}.pace"
    # The result of assert_true is of no type that a table has: nobody would ask for it.
    fails = "if(bad, cast(raise_error('it fails on purpose') as int), 1)"
    of_parent = f"select k, c + 1 as c from {{{{ ref('{PARENT}') }}}}"
    yield QUICK, COUNTS.format(1), {"schedule": {"every": 30}}
    yield PARENT, COUNTS.format(2), {"schedule": {"every": 90}}
    yield CHILD, of_parent, {"schedule": {"every": 90}}
    yield SLOW, sleeps, {"schedule": {"every": 30}}
    yield FRAGILE, f"select {fails} as fine, bad from {SCHEMA}.gate", {"schedule": {"every": 30}}
    yield LISTENS, COUNTS.format(3), {"schedule": {"on_update": True, "at_most_every": 45}}
    yield CLOCK, COUNTS.format(4), {"schedule": {"cron": "* * * * *", "time_zone_value": "UTC"}}
    for number, name in enumerate(PAIR, 5):
        plan = {"refresh_group": "pair", "schedule": {"every": 90}}
        yield name, COUNTS.format(number), plan


def make(root: Path, target: dict[str, Any], spark: Any) -> Project:
    """The project, without views."""
    # Of the working tree, a file of a test that is saved would be a change of the project.
    project = Project(root, SCHEMA, spark, target, copy_package(root.parent / "package"))
    project.configure(vars={"dbt_mview:broken_after": BROKEN_AFTER})
    return project
