"""What dbt is doing when it dies: every kind of refresh, the log, the purge, the operations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from dbt_mview.thrift import ThriftServer
from tests.crash import lake, process
from tests.crash.death import Death, Way
from tests.crash.lake import Rows
from tests.crash.process import Ended, Running
from tests.support.project import ROOT, Project
from tests.support.session import Session

TOTALS = "select k, count(*) as n, sum(n) as total, min(n) as lo from @.src group by k"
Picture = Mapping[str, Rows | None]  # of all tables that a scene looks at

SOMEBODYS: Picture = {"v": Counter({("somebody's",): 1})}
COMPLETE = {"refresh": "complete"}
FAST = {"refresh": "fast"}
AUDITED = {**COMPLETE, "audit": ["n > 0"], "unique_key": "k"}
GROUP = {"v": TOTALS, "w": "select id, n from @.src where k < 3"}
FEED = "delta.enableChangeDataFeed = true"
FILL = "select cast(id as int) as id, cast(id % 4 as int) as k, cast(id as int) as n from range(12)"


def on_server(server: ThriftServer, root: Path, schema: str, package: Path = ROOT) -> Project:
    """A project on a server, whose statements come one after the other."""
    target = {"method": "thrift", "host": "127.0.0.1", "port": server.port}
    quick = {"threads": 1, "poll_interval": 1}
    return Project(root, schema, Session(server.port), {**target, **quick}, package=package)


class Scene:
    """One view `v` over one table `src`, refreshed COMPLETE; the others differ in what they say.

    Args:
        project: a project of its own, on the server.
        warehouse: the directory of the server's tables.
    """

    query = TOTALS
    config: Mapping[str, Any] = COMPLETE
    args: tuple[str, ...] = ("run",)
    views: tuple[str, ...] = ("v",)
    logs: tuple[str, ...] = ()
    tables: frozenset[str] = frozenset({"src", "v"})
    fails = False  # the command fails by itself, at its publish
    broken = False  # a cell failed in it, or left something that the next one must not see
    minutes = 0  # how far the clock of dbt's machine is ahead

    def __init__(self, project: Project, warehouse: Path) -> None:
        self.project, self.warehouse, self.turn = project, warehouse, 0
        self.sql = project.sql
        self.manifest: Any = None

    @property
    def watched(self) -> tuple[str, ...]:
        """The tables that must be old or new."""
        return self.views + self.logs

    def begin(self) -> None:
        """Once: the source, the models, the first build."""
        self.sql("create schema @")
        self.fill()
        self.models()
        self.parse()
        self.dbt("run")

    def fill(self) -> None:
        """Creates the source."""
        self.sql(f"create table @.src using delta tblproperties ({FEED}) as {FILL}")

    def models(self) -> None:
        """Writes the models."""
        self.project.model("v", self.at_schema(self.query), **self.config)

    def reset(self) -> None:
        """Before each cell: all is well, and there is something to do."""
        self.change()

    def change(self) -> None:
        """One commit on the source: rows change, and move to another group."""
        self.turn += 1
        self.sql(f"update @.src set k = (k + 1) % 5, n = n + 1 where id % 5 = {self.turn % 5}")

    def repair(self) -> None:
        """Takes away why the command failed by itself."""

    def expected(self, view: str, at: int | None = None) -> Rows:
        """What a view must hold by that version of the source, or by the newest."""
        return lake.query(self.query.replace("@.src", "src"), at, src=self.place("src"))

    def place(self, table: str) -> Path:
        """The directory of a table."""
        return self.warehouse / f"{self.project.schema}.db" / table

    def seen(self) -> Picture:
        """What readers see of each view now."""
        return {table: self.seen_of(table) for table in self.watched}

    def seen_of(self, view: str) -> Rows | None:
        """The rows under one name; None if there is nothing."""
        if not self.sql(f"show tables in @ like '{view}'"):
            return None
        if lake.is_table(self.place(view)):
            return lake.query("select * from v", v=self.place(view))
        return lake.counted(self.sql(f"select * from @.{view}"))

    def allowed(self, old: Picture, new: Picture) -> list[Picture]:
        """All that readers may ever see while the command runs and dies."""
        return [old] if self.fails else [old, new]

    def settled(self, old: Picture, new: Picture) -> list[Picture]:
        """What they may see once the dead were recovered."""
        return self.allowed(old, new)

    def goal(self, old: Picture, new: Picture) -> Picture:
        """What they see after a success."""
        return new

    def free(self, recover: bool) -> None:
        """Frees the locks of the dead: by mview_recover of all views, or as time does."""
        held = [f"'%.{view}'" for view in self.views if self.is_held(view)]
        if recover and held:
            for view in self.views:
                self.op("mview_recover", view=view)
        elif held:
            self.sql(
                "update @_mview.mview_refresh_info set lease_until = current_timestamp()"
                f" - interval 1 second where mview_id like any ({', '.join(held)})"
            )

    def is_held(self, view: str) -> bool:
        """Whether somebody holds the lock of a view."""
        rows = self.state("mview_refresh_info", view)
        return any(row["lock_owner"] for row in rows)

    def is_leased(self, view: str) -> bool:
        """Whether others must wait for somebody who holds the lock of a view."""
        now = datetime.now(timezone.utc)
        rows = self.state("mview_refresh_info", view)
        return any(row["lock_owner"] and row["lease_until"] > now for row in rows)

    def state(self, table: str, name: str) -> list[dict[str, Any]]:
        """The rows of a table of state about a view or log."""
        return lake.records(self.warehouse / f"{self.project.state}.db" / table, name)

    def heal(self) -> Ended:
        """What a user does after a crash, once the locks are free: the same again."""
        self.repair()
        return self.dbt("run")

    def again(self) -> Ended:
        """The same once more, when there is nothing to do."""
        return self.dbt("run")

    def parse(self) -> None:
        """Reads the models that are written now."""
        parsed = dbtRunner().invoke(["parse", *self.project.where()])
        assert parsed.success, parsed.exception
        self.manifest = parsed.result
        process.warm(self.manifest)

    def dbt(self, *args: str, death: Death | None = None, ok: bool | None = True) -> Ended:
        """Runs dbt in a process of its own.

        Args:
            args: dbt's arguments.
            death: what happens to it.
            ok: whether it must succeed; None: whatever.
        """
        ended = self.launch(*args, death=death).end()
        assert ok is None or ended.success == ok, ended.log
        return ended

    def launch(self, *args: str, death: Death | None = None) -> Running:
        """Begins what `dbt` runs to its end."""
        return process.start(self.project, self.manifest, args, death, self.minutes)

    def op(self, name: str, ok: bool | None = True, **args: Any) -> Ended:
        """A run-operation."""
        return self.dbt("run-operation", name, "--args", json.dumps(args), ok=ok)

    def at_schema(self, query: str) -> str:
        """A query of this scene as it stands in a model."""
        return query.replace("@", self.project.schema)

    def forget_view(self) -> None:
        """No table, no row in state: as if the view had never been built."""
        self.sql("drop table if exists @.v")
        self.sql("delete from @_mview.mview_refresh_info where mview_id like '%.v'")


class Complete(Scene):
    """Same columns, same layout: one INSERT."""


class FirstBuild(Scene):
    """Nothing is there yet."""

    def reset(self) -> None:
        self.forget_view()
        self.change()


class Elsewhere(Scene):
    """Partitioned, at a location of its own."""

    def models(self) -> None:
        self.config = {
            **COMPLETE,
            "partition_by": ["k"],
            "location_root": str(self.project.root / "elsewhere"),
        }
        super().models()

    def place(self, table: str) -> Path:
        elsewhere = self.project.root / "elsewhere" / table
        return elsewhere if table == "v" else super().place(table)


class NewSchema(Scene):
    """A column comes: the table is replaced."""

    def begin(self) -> None:
        super().begin()
        self.before = self.manifest
        self.query = self.query.replace(" from", ", max(n) as hi from")
        self.models()
        self.parse()
        self.after = self.manifest

    def reset(self) -> None:
        self.manifest = self.before
        self.dbt("run")
        self.manifest = self.after
        self.change()


class Altered(NewSchema):
    """Table properties that changed, and data that changed."""

    def begin(self) -> None:
        Scene.begin(self)
        self.before = self.manifest
        self.config = {**self.config, "tblproperties": {"team": "a"}}
        self.models()
        self.parse()
        self.after = self.manifest


class Audited(Scene):
    """Staged, audited, published from the stage."""

    config = AUDITED


class Fails(Scene):
    """A query that fails when it is executed."""

    query = "select k, max(n) as hi from @.src group by k"
    fails = True

    def models(self) -> None:
        checked = "if(max(n) > 999, raise_error('a bad row'), max(n))"
        query = self.at_schema(self.query.replace("max(n)", checked))
        self.project.model("v", query, **self.config)

    def reset(self) -> None:
        self.change()
        self.sql("insert into @.src values (99, 1, 1000)")

    def repair(self) -> None:
        self.sql("delete from @.src where id = 99")


class FastGroups(Scene):
    """Groups follow the changes, one of them by recomputing it."""

    config = FAST


class FastSums(Scene):
    """Counts and sums of a small view follow the changes without a stage."""

    query = "select k, count(*) as n, sum(n) as total from @.src group by k"
    config = FAST


class FastKeyed(Scene):
    """Rows with a key follow the changes."""

    query = "select id, k, row_number() over (partition by k order by n, id) as place from @.src"
    config = FAST


class FastRows(Scene):
    """Rows without a key: all copies of a row go, and those that are left come back. Two or three
    rows that each go on by one of five values never cancel out."""

    query = "select k from @.src"
    config = FAST


class FastAppends(Scene):
    """Rows only come."""

    query = "select id, n from @.src"
    config = FAST

    def change(self) -> None:
        self.turn += 1
        self.sql(f"insert into @.src values ({100 + self.turn}, {self.turn % 4}, 1)")


class OverView(Scene):
    """The name is taken by a view of somebody else: the rename chain."""

    tables = frozenset({"src", "v"})

    def allowed(self, old: Picture, new: Picture) -> list[Picture]:
        """Between the two renames the name is missing."""
        return [SOMEBODYS, {"v": None}, new]

    def settled(self, old: Picture, new: Picture) -> list[Picture]:
        return [SOMEBODYS, new]

    def reset(self) -> None:
        self.clear()
        self.change()
        self.occupy()

    def clear(self) -> None:
        """Whatever has the name goes."""
        kind = "view" if self.sql("show views in @ like 'v'") else "table"
        self.sql(f"drop {kind} if exists @.v")
        self.sql("delete from @_mview.mview_refresh_info where mview_id like '%.v'")

    def occupy(self) -> None:
        """Somebody's object takes the name."""
        self.sql('create view @.v as select "somebody\'s" as who')


class OverParquet(OverView):
    """The name is taken by a parquet table."""

    def occupy(self) -> None:
        self.sql('create table @.v using parquet as select "somebody\'s" as who')


class Group(Scene):
    """Two members of a refresh group, one staged with its rows, one with its changes."""

    views = ("v", "w")
    tables = frozenset({"src", "v", "w"})

    def models(self) -> None:
        for view, refresh in (("v", "complete"), ("w", "fast")):
            query = self.at_schema(GROUP[view])
            self.project.model(view, query, refresh=refresh, refresh_group="g")

    def allowed(self, old: Picture, new: Picture) -> list[Picture]:
        """After the decision one member is published after the other."""
        return [{"v": v["v"], "w": w["w"]} for v in (old, new) for w in (old, new)]

    def settled(self, old: Picture, new: Picture) -> list[Picture]:
        return [old, new]

    def expected(self, view: str, at: int | None = None) -> Rows:
        query = GROUP[view].replace("@.src", "src")
        return lake.query(query, at, src=self.place("src"))


class RollForward(Scene):
    """A recovery, after a run that was killed when it had published."""

    args = ("run-operation", "mview_recover", "--args", "{view: v}")
    killed_at = Death("publish", Way.AFTER)

    def reset(self) -> None:
        self.change()
        assert self.dbt("run", death=self.killed_at, ok=None).killed


class TakeOver(Scene):
    """A run that finds the lock of one that was killed before it published, its lease over."""

    killed_at = Death("publish", Way.BEFORE)

    def reset(self) -> None:
        self.change()
        assert self.dbt("run", death=self.killed_at, ok=None).killed
        self.free(recover=False)


class Finish(TakeOver):
    """The same, killed when it had published."""

    killed_at = Death("publish", Way.AFTER)


class RollBack(RollForward):
    """A recovery, after a run that was killed when it had staged."""

    config = AUDITED
    killed_at = Death("stage", Way.AFTER)

    def goal(self, old: Picture, new: Picture) -> Picture:
        return old


class SwapBack(OverView):
    """A recovery between the two renames of the chain."""

    args = RollForward.args

    def goal(self, old: Picture, new: Picture) -> Picture:
        return SOMEBODYS

    def reset(self) -> None:
        super().reset()
        assert self.dbt("run", death=Death("swap_out", Way.AFTER), ok=None).killed


class GroupForward(Group):
    """A recovery of a group that was decided upon and of which nothing was published."""

    args = RollForward.args

    def settled(self, old: Picture, new: Picture) -> list[Picture]:
        return [new]

    def goal(self, old: Picture, new: Picture) -> Picture:
        """The recovery of one member publishes that one."""
        return {"v": new["v"], "w": old["w"]}

    def reset(self) -> None:
        self.change()
        assert self.dbt("run", death=Death("decide", Way.AFTER), ok=None).killed


class Refresh(Scene):
    """The run-operation, from the stored definition."""

    args = ("run-operation", "mview_refresh", "--args", "{view: v}")


class Capture(Scene):
    """A log follows its base."""

    views: tuple[str, ...] = ()
    logs = ("l",)
    tables = frozenset({"src", "l"})

    def models(self) -> None:
        body = self.at_schema("select id, n from @.src")
        self.project.model("l", body, materialized="materialized_view_log")

    def begin(self) -> None:
        super().begin()
        self.start = lake.version(self.place("src")) + 1

    def expected(self, view: str, at: int | None = None) -> Rows:
        if lake.version(self.place("src")) < self.start:
            return Counter()
        feed = self.sql(
            "select id, n, _change_type, _commit_version"
            f" from table_changes('{self.project.schema}.src', {self.start})"
        )
        return Counter((row[0], row[1], row[2], int(row[3])) for row in feed)

    def seen_of(self, view: str) -> Rows | None:
        columns = "id, n, _change_type, _commit_version"
        return lake.query(f"select {columns} from l", l=self.place("l"))


class Purge(Capture):
    """A log of three versions of which a view has read two; each is a batch of its own."""

    views = ("v",)
    tables = frozenset({"src", "l", "v"})
    args = ("run-operation", "mlog_purge", "--args", "{log: l, batch_size: 1}")

    def models(self) -> None:
        Scene.models(self)
        super().models()

    @property
    def watched(self) -> tuple[str, ...]:
        return self.logs

    def reset(self) -> None:
        self.change()
        self.change()
        self.dbt("run")
        self.read = lake.version(self.place("src"))
        self.change()
        self.dbt("run", "--select", "l")

    def expected(self, view: str, at: int | None = None) -> Rows:
        if view in self.views:
            return Scene.expected(self, view, at)
        needed = super().expected(view, at)
        return Counter({row: n for row, n in needed.items() if row[3] > self.read})

    def seen_of(self, view: str) -> Rows | None:
        return Scene.seen_of(self, view) if view in self.views else super().seen_of(view)

    def allowed(self, old: Picture, new: Picture) -> list[Picture]:
        """Whole versions go, the oldest first, and none that the view has not read."""
        held = old["l"] or Counter()
        versions = sorted({row[3] for row in held if row[3] <= self.read})
        steps = [Counter({row: n for row, n in held.items() if row[3] > v}) for v in versions]
        return [old, *({"l": step} for step in steps)]

    def free(self, recover: bool) -> None:
        self.sql(
            "update @_mview.mlog_purge_info set lease_until = current_timestamp()"
            " - interval 1 second where lock_owner is not null"
        )

    def heal(self) -> Ended:
        return self.dbt(*self.args)

    def again(self) -> Ended:
        return self.dbt(*self.args)


SCENES: dict[str, type[Scene]] = {
    scene.__name__: scene
    for scene in (
        FirstBuild, Complete, Elsewhere, NewSchema, Altered, Audited, Fails, FastGroups, FastSums,
        FastKeyed, FastRows, FastAppends, OverView, OverParquet, Group, Refresh, TakeOver, Finish,
        RollForward, RollBack, SwapBack, GroupForward, Capture, Purge,
    )
}  # fmt: skip
