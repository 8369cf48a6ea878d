"""A scene: random tables, views over them, and what happens between refreshes: the tables change,
and days begin, which some filters ask for.

`play` takes it through dbt and compares every view with its query after every refresh. `smaller`
makes scenes out of one that failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from random import Random

from tests.differential.queries import SHAPES, Queries, Query
from tests.differential.tables import Changes, tables
from tests.support.day import as_of, set_day
from tests.support.project import Project

# Views that other views are built on; of a join of joins there would be too many rows.
FEW_ROWS = ("rows", "keyed_rows", "counted", "extremes", "distinct", "ranked")
TWICE = ("counted", "other_values", "ranked", "joined_sums", "preserved")
FIRST = date(2024, 2, 28)  # when views are built; the dates of the tables are the next ones
TODAY = "set today = "
REFUSED = "refresh is 'fast' and this refresh cannot be: "


@dataclass(frozen=True)
class View:
    """A materialized view of a random shape."""

    name: str
    shape: str
    query: Query
    config: dict[str, object] = field(hash=False)

    def parents(self) -> set[str]:
        """The materialized views that it reads."""
        return set(re.findall(r"@\.(v\d+)", self.query.sql))

    def model(self) -> str:
        """The query as dbt reads it."""
        sql = re.sub(r"@\.(v\d+)", r"{{ ref('\1') }}", self.query.sql)
        return sql.replace("@.", "{{ target.schema }}.")


@dataclass(frozen=True)
class Scene:
    """What is set up, which views there are, and the statements before each refresh."""

    setup: tuple[str, ...]
    views: tuple[View, ...]
    rounds: tuple[tuple[str, ...], ...]


@dataclass
class Case:
    """One refresh of one view."""

    shape: str
    text: str

    @property
    def method(self) -> str:
        """COMPLETE, SKIP, or the strategy of FAST; `no` if the changes touched no row."""
        found = re.search(r"\((row delta|aggregate delta|affected keys|no)[, ]", self.text)
        method = self.text.split(" ")[0]
        return found[1] if found and method == "FAST" else method


class Differs(AssertionError):
    """A view that is not its query, or that failed; the number of rounds until then, and the
    models and statements that repeat it."""

    def __init__(self, view: str, rounds: int, why: str, script: str) -> None:
        super().__init__(f"{script}\n-- {view}: {why}")
        self.view, self.rounds = view, rounds


def scene(seed: int, rounds: int = 4) -> Scene:
    """The scene of a number: a view of each shape, and five more, some of them over other ones."""
    r = Random(seed)
    three = tables(r)
    queries = Queries(r, three)
    setup = [*(table.create() for table in three), queries.view("w0"), queries.view("w1")]
    views: list[View] = []
    for shape in [*r.sample(list(SHAPES), len(SHAPES)), *TWICE]:
        name = f"v{len(views)}"
        view = View(name, shape, queries.draw(shape), {})
        views.append(replace(view, config=_config(r, view)))
        if shape in FEW_ROWS and len(queries.tables) < 8:
            queries.offer(name, view.query)
    changes, day, happened = Changes(r, three), FIRST, []
    for _ in range(rounds):
        moved = r.choice([0, 1, 1, 2])
        day += timedelta(days=moved)
        happened.append((*[f"{TODAY}'{day}'"] * bool(moved), *changes.round()))
    return Scene(tuple(setup), tuple(views), tuple(happened))


def begin(whole: Scene, views: int, rounds: int) -> Scene:
    """The first views of a scene, which read no later ones, and its first rounds."""
    return replace(whole, views=whole.views[:views], rounds=whole.rounds[:rounds])


def _config(r: Random, view: View) -> dict[str, object]:
    """Half of the views insist on FAST, so that bulk statements are followed, too."""
    config: dict[str, object] = {"refresh": r.choice(["auto", "fast"])}
    config["tblproperties"] = {"delta.enableChangeDataFeed": "true"}
    if view.query.unique and r.random() < 0.3:
        config["unique_key"] = list(view.query.unique)
    split = [c.sql for c in view.query.columns if c.kind in ("key", "date", "boolean")]
    if len(view.query.columns) > 1 and split and r.random() < 0.15:
        config["partition_by"] = r.choice(split)
    return config


# Playing


def play(project: Project, scene: Scene, tell: Callable[[Case], None] = lambda case: None) -> None:
    """Builds all, changes tables, refreshes, compares.

    Raises:
        Differs: a view is not its query at the versions that it says it read.
    """
    run = _Run(project, scene, tell)
    for statement in scene.setup:
        run.sql(statement)
    run.refresh(0)
    for number, statements in enumerate(scene.rounds, 1):
        for statement in statements:
            run.sql(statement)
        run.refresh(number)


class _Run:
    """One scene in one project."""

    def __init__(self, project: Project, scene: Scene, tell: Callable[[Case], None]) -> None:
        self.project, self.scene, self.tell = project, scene, tell
        self.config = {view.name: dict(view.config) for view in scene.views}
        self.log: list[str] = []
        self.today(FIRST.isoformat())
        for view in scene.views:
            self.write(view)

    def write(self, view: View) -> None:
        self.project.model(view.name, view.model(), **self.config[view.name])

    def today(self, day: str) -> None:
        """Another day begins for dbt; the engine's own goes on, and is not asked."""
        self.day = day
        set_day(day)

    def sql(self, statement: str) -> None:
        """One statement; a table is restored to its version before the last one."""
        if statement.startswith(TODAY):
            self.log.append(f"-- {statement}")
            self.today(statement.removeprefix(TODAY).strip("'"))
            return
        found = re.match(r"restore table (\S+) to version as of <", statement)
        if found:
            version = self.project.sql(f"describe history {found[1]} limit 1")[0].version
            if not version:
                return
            statement = f"restore table {found[1]} to version as of {version - 1}"
        for one in statement.split(";\n"):
            self.log.append(f"{one};")
            self.project.sql(one)

    def differs(self, name: str, number: int, why: str) -> Differs:
        """The failure of a view, with what repeats it."""
        lines = []
        for view in self.scene.views:
            config = {"materialized": "mview", **self.config[view.name]}
            model = f"{{{{ config(**{config!r}) }}}}\n{view.model()}\n"
            lines += [f"-- models/{view.name}.sql", model]
        statements = "\n".join(self.log).replace("@.", f"{self.project.schema}.")
        return Differs(name, number, why, "\n".join([*lines, statements]))

    def refresh(self, number: int) -> None:
        """One dbt run, others for what cannot be FAST and is to be `auto`, and the comparison."""
        views = {view.name: view for view in self.scene.views}
        self.log.append("-- dbt run")
        texts: dict[str, str] = {}
        names = list(views)
        while names:
            done = self.project.run(*names, expect=None)
            assert done.status, done.log[-5000:]
            texts.update({name: done.text(name) for name in names})
            names = [name for name in names if done.status[name] != "success"]
            refused = [name for name in names if REFUSED in texts[name]]
            for name in names:
                if name not in refused and (done.status[name] != "skipped" or not refused):
                    raise self.differs(name, number, texts[name])
            for name in refused:
                self.config[name]["refresh"] = "auto"
                self.write(views[name])
        self.compare(number, texts)
        if number:
            for view in self.scene.views:
                self.tell(Case(view.shape, texts[view.name]))

    def compare(self, number: int, texts: dict[str, str]) -> None:
        """Every view against its query, and the versions it says it read against the newest."""
        rows = {row.mview_id.rsplit(".", 1)[-1]: row for row in self.info()}
        newest = {name: row.target_version for name, row in rows.items()}
        for relation in {s.relation for row in rows.values() for s in row.sources}:
            table = relation.rsplit(".", 1)[-1]
            if table not in newest:
                history = self.project.sql(f"describe history @.{table} limit 1")
                newest[table] = history[0].version
        for name, row in rows.items():
            read = {s.relation.rsplit(".", 1)[-1]: s.version for s in row.sources}
            wanted = {table: newest[table] for table in read}
            if read != wanted:
                raise self.differs(name, number, f"{texts[name]}\nread {read}, not {wanted}")
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(self.difference, self.scene.views))
        for view, different in zip(self.scene.views, found, strict=True):
            if different:
                lines = "\n".join(str(row) for row in different)
                raise self.differs(view.name, number, f"{texts[view.name]}\n{lines}")

    def info(self) -> list[object]:
        return self.project.sql("select mview_id, sources, target_version from"
                                " @_mview.mview_refresh_info")  # fmt: skip

    def difference(self, view: View) -> list[object]:
        """Some rows that the view lacks (_n > 0) or has too often (_n < 0)."""
        names = ", ".join(column.sql for column in view.query.columns)
        query = as_of(view.query.sql, self.day)
        return self.project.sql(
            f"select {names}, sum(_n) as _n from ("
            f"select {names}, 1 as _n from ({query})"
            f" union all select {names}, -1 from @.{view.name}"
            f") group by {names} having sum(_n) <> 0 limit 5"
        )


# Reducing


def smaller(scene: Scene, failure: Differs) -> Iterator[Scene]:
    """Scenes that are the same but for something that may not be needed."""
    needed = {failure.view}
    for view in reversed(scene.views):
        needed |= view.parents() if view.name in needed else set()
    views = tuple(view for view in scene.views if view.name in needed)
    rounds = scene.rounds[: failure.rounds]
    core = replace(scene, views=views, rounds=rounds)
    if core != scene:
        yield core
    for at, statements in enumerate(rounds):
        before, after = rounds[:at], rounds[at + 1 :]
        yield replace(core, rounds=before + after)
        for one in range(len(statements) if len(statements) > 1 else 0):
            fewer = statements[:one] + statements[one + 1 :]
            yield replace(core, rounds=(*before, fewer, *after))
    texts = [view.query.sql for view in views] + [sql for sqls in rounds for sql in sqls]
    for at, statement in enumerate(scene.setup):
        name = statement.split(" ")[2]
        if not any(f"{name} " in f"{text} " for text in [*texts, *scene.setup[at + 1 :]]):
            yield replace(core, setup=scene.setup[:at] + scene.setup[at + 1 :])
