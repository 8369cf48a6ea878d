"""Two who work on the same tables at once: who they are, and in which orders they meet.

A schedule has few changes of turn: one command stands still before one of its statements, the other
goes on to its end or to a statement of its own; then the first goes to its end, then the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.crash import lake
from tests.crash.cells import points
from tests.crash.lake import Rows
from tests.crash.process import Ended
from tests.crash.scenes import (
    FAST,
    FEED,
    FILL,
    Capture,
    Complete,
    FastGroups,
    FastRows,
    FastSums,
    Picture,
    Purge,
    Scene,
)

MAPPED = "alter table @.src set tblproperties ('delta.columnMapping.mode' = 'name')"


@dataclass(frozen=True)
class Statement:
    """What somebody else does to the base.

    Args:
        sql: the statements; `{turn}` is another number each time.
        harmless: whether every refresh must succeed beside it.
        spoils: whether the base is made anew afterwards, and views built on it.
        forgets: whether the base cannot be read afterwards as it was.
        but_before: a refresh may fail where it stands before one of these statements.
    """

    sql: tuple[str, ...]
    harmless: bool = True
    spoils: bool = True
    forgets: bool = False
    but_before: tuple[str, ...] = ()

    def must_succeed(self, point: str) -> bool:
        """Whether a refresh must that stands before this statement."""
        return self.harmless and point not in self.but_before


BASE = {
    "insert": Statement(
        ("insert into @.src (id, k, n) values (100 + {turn}, 1, 1)",), spoils=False
    ),
    "update": Statement(("update @.src set n = n + 1, k = k + 1 where id % 3 = 0",), spoils=False),
    "delete": Statement(("delete from @.src where id = 99 + {turn}",), spoils=False),
    "merge": Statement(
        (
            "merge into @.src t using (select 1000 + {turn} as id union all select 1) s"
            " on t.id = s.id when matched then update set n = t.n + 1"
            " when not matched then insert (id, k, n) values (s.id, 2, 2)",
        ),
        spoils=False,
    ),
    "optimize": Statement(("optimize @.src",), spoils=False),
    "truncate": Statement(("truncate table @.src",)),
    "restore": Statement(("restore table @.src to version as of {before}",)),
    "replace": Statement(
        (f"create or replace table @.src using delta tblproperties ({FEED}) as {FILL}",),
        harmless=False,
    ),
    # The plan has a column then that the look had not: `refresh: fast` refuses what is unknown.
    "add_column": Statement(
        ("alter table @.src add columns (extra int)",), but_before=("explain",)
    ),
    "drop_column": Statement((MAPPED, "alter table @.src drop column n"), harmless=False),
    "rename_column": Statement((MAPPED, "alter table @.src rename column n to m"), harmless=False),
    "vacuum": Statement(
        ("update @.src set n = n + 1", "vacuum @.src retain 0 hours"),
        harmless=False,
        forgets=True,
    ),
}


@dataclass(frozen=True)
class Schedule:
    """One order of two commands, or of a command and a statement.

    Args:
        scene: the name of the class here.
        point: the statement before which the first command stands still.
        other: the name in BASE of what somebody else does; None: the scene's other command runs.
        over: whether the first one's lease is over by then.
        then: the statement before which the other command stands still, until the first one has
            ended; None: it goes to its end first.
    """

    scene: str
    point: str
    other: str | None = None
    over: bool = False
    then: str | None = None

    @property
    def name(self) -> str:
        """The name within its scene."""
        words = (self.point, self.other, "over" if self.over else None, self.then)
        return "-".join(word for word in words if word)


class OnMovingBase(Scene):
    """A refresh, and somebody who writes to its base meanwhile."""

    def expected(self, view: str, at: int | None = None) -> Rows:
        """By Spark: delta-rs does not read tables with mapped columns."""
        version = "" if at is None else f" version as of {at}"
        return lake.counted(self.sql(self.query.replace("@.src", f"@.src{version} as src")))

    def mend(self) -> None:
        """The base as it was at first, and the view built on it."""
        self.sql("drop table @.src")
        self.fill()
        self.dbt("run", "--full-refresh")


class MovingComplete(OnMovingBase, Complete):
    """COMPLETE."""


class MovingFast(OnMovingBase, FastGroups):
    """FAST."""


class MovingSums(OnMovingBase, FastSums):
    """FAST without a stage: the changes are read when they are published."""


class Twins(Scene):
    """A command, and another one on the same tables."""

    other: tuple[str, ...] = ("run",)


class TwoRefreshes(Twins, Complete):
    """Two runs, COMPLETE."""


class TwoFastRefreshes(Twins, FastRows):
    """Two runs, FAST."""


class TwoSums(Twins, FastSums):
    """Two runs, FAST without a stage."""


class TwoCaptures(Twins, Capture):
    """Two runs of one log."""


class TwoPurges(Twins, Purge):
    """Two purges of one log."""

    other = Purge.args


class RefreshAndPurge(Twins, Purge):
    """A run of a log and its view, and a purge of the log. The base's own changes are gone, so the
    view needs those of the log."""

    args: tuple[str, ...] = ("run",)
    other = Purge.args
    query = "select n from @.src"
    config = FAST

    @property
    def watched(self) -> tuple[str, ...]:
        return self.views

    def reset(self) -> None:
        super().reset()
        self.sql("vacuum @.src retain 0 hours")

    def allowed(self, old: Picture, new: Picture) -> list[Picture]:
        return [old, new]

    def again(self) -> Ended:
        return self.dbt("run")


class PurgeAndRefresh(RefreshAndPurge):
    """The same, and the purge stands still."""

    args = Purge.args
    other = ("run",)


# What the scenes come by that has to do with the base; a test holds them to it.
TOUCHING = {
    "MovingComplete": "explain properties describe_history.2 describe_query publish",
    "MovingFast": ("explain properties describe_history.2 describe_query columns stage publish"),
}


def schedules() -> list[Schedule]:
    """All of them. What comes before `clock`, or `log_row`, looks for the tables of state only."""
    known = {scene: [point for point, _ in steps] for scene, steps in points().items()}
    complete, fast = after("clock", known["Complete"]), after("clock", known["FastRows"])
    found = [
        Schedule(scene, point, other)
        for scene, touching in TOUCHING.items()
        for point in touching.split()
        for other in BASE
    ]
    found += [Schedule("TwoRefreshes", point) for point in complete]
    found += [
        Schedule("TwoRefreshes", point, over=True, then=then)
        for point in after("acquire", complete)[1:]
        for then in after("state", known["Finish" if is_published(point) else "TakeOver"])
    ]
    found += [Schedule("TwoFastRefreshes", point) for point in fast]
    found += [
        Schedule("TwoFastRefreshes", point, over=True, then=then)
        for point in ("stage", "publish")
        for then in ("acquire", "fence", "recover", "stage", "publish", "sweep", "record")
    ]
    found += [Schedule("MovingSums", "publish", other) for other in BASE]
    found += [
        Schedule("TwoSums", "publish", over=True, then=then)
        for then in (None, "acquire", "fence", "recover", "publish", "record")
    ]
    found += [Schedule("TwoCaptures", point) for point in after("clock", known["Capture"])]
    found += [
        Schedule("TwoCaptures", point, then="capture")
        for point in before("describe_history.3", after("clock", known["Capture"]))
    ]
    purge = after("log_row", known["Purge"])
    found += [Schedule("TwoPurges", point) for point in purge]
    found += [Schedule("TwoPurges", point, over=True) for point in after("acquire_log", purge)[1:]]
    found += [Schedule("PurgeAndRefresh", point) for point in purge]
    both = "clock note_capture logs acquire stage publish sweep record"
    found += [Schedule("RefreshAndPurge", point) for point in both.split()]
    return found


def after(point: str, steps: list[str]) -> list[str]:
    """The points from this one on."""
    return steps[steps.index(point) :]


def before(point: str, steps: list[str]) -> list[str]:
    """The points that come earlier than this one."""
    return steps[: steps.index(point)]


def is_published(point: str) -> bool:
    """Whether a COMPLETE refresh that stands before this statement has published."""
    return point.startswith(("describe_history.3", "record"))
