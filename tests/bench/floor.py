"""The statements alone that a refresh cannot do without: no dbt, no macro of the package.

What they take no release of dbt_mview can go below on this engine. They are what the protocol is
made of: who has the lock and what was read last, the source's newest version, the lock, a publish
that asserts it, history, the record; of a capture: what the log holds, asserted by the INSERT. Run
after the package built the views, on its own state.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median

from tests.bench.many import VIEWS
from tests.bench.results import Result
from tests.bench.setup import Bench
from tests.bench.timing import Times, above, in_turn
from tests.bench.views import LABELS, query

INFO, HISTORY = "@_mview.mview_refresh_info", "@_mview.mview_refresh_hist"
THREADS = 4
VIEW = "suppliers"
# What FAST adds up, by hand: the sums of the view, of the signed changes.
SUMS = """
merge into @.{view} as v
using (
    select l_suppkey, sum(sign) as lines, sum(sign * l_quantity) as quantity,
        sum(sign * l_extendedprice) as price
    from (
        select *, if(_change_type in ('insert', 'update_postimage'), 1, -1) as sign
        from table_changes('@.lineitem', {first}, {last})
    )
    group by l_suppkey
    union all
    select null, null, null, null where {guard}
) as s
on v.l_suppkey = s.l_suppkey
when matched and v.lines + s.lines = 0 then delete
when matched then update set
    lines = v.lines + s.lines, quantity = v.quantity + s.quantity, price = v.price + s.price
when not matched then insert *
"""
FEED = "insert into @.{name} by name select * from table_changes('@.lineitem', {first}, {last})"
ONCE = " where not exists (select 1 from @.{name} where _commit_version >= {first})"


class Bare:
    """The statements of one refresh, in plain SQL."""

    def __init__(self, bench: Bench, source: str = "lineitem") -> None:
        self.sql, self.schema, self.source = bench.project.sql, bench.project.schema, source
        self.begin, self.seen = self.newest(source), dict[str, int]()

    def newest(self, table: str) -> int:
        """The newest version of a table."""
        return int(self.sql(f"describe history @.{table} limit 1")[0].version)

    def versions(self, name: str, last: int) -> dict[str, int]:
        """Those that came to the source since something followed it last."""
        first, self.seen[name] = self.seen.get(name, self.begin) + 1, last
        return {"first": first, "last": last}

    def where(self, *views: str) -> str:
        """The rows of some views in state."""
        names = ", ".join(f"'spark_catalog.{self.schema}.{view}'" for view in views)
        return f"mview_id in ({names})"

    def look(self, view: str, source: str) -> int:
        """Who has the lock, what was read last, and what there is to read: the newest version."""
        rows = f"select lock_owner, lock_token, sources from {INFO} where {self.where(view)}"
        assert len(self.sql(rows)) == 1, view
        return self.newest(source)

    def skip(self, view: str, source: str) -> None:
        """Nothing to do, which is written down in one commit."""
        self.look(view, source)
        self.sql(f"update {INFO} set last_refresh_type = 'skip' where {self.where(view)}")

    def publish(self, view: str, source: str, statement: str) -> None:
        """Look, lock, and the one commit with the data, which asserts the lock."""
        versions = self.versions(view, self.look(view, source))
        lock = "lock_owner = 'bare', lock_token = lock_token + 1, lock_time = current_timestamp()"
        self.sql(f"update {INFO} set {lock} where {self.where(view)}")
        held = f"select count(*) = 1 from {INFO} where {self.where(view)} and lock_owner = 'bare'"
        guard = f"case when ({held}) then false else raise_error('lock lost') end"
        self.sql(statement.format(view=view, guard=guard, **versions))

    def record(self, *views: str) -> None:
        """History, then the end of the refreshes."""
        ids = f"select uuid(), mview_id from {INFO} where {self.where(*views)}"
        self.sql(f"insert into {HISTORY} (refresh_job_id, mview_id) {ids}")
        self.end(*views)

    def end(self, *views: str) -> None:
        """The end of refreshes, in one commit."""
        self.sql(
            f"update {INFO} set lock_owner = null, last_refresh_result = 'success',"
            f" last_refresh_time = current_timestamp() where {self.where(*views)}"
        )

    def refresh(self, view: str, source: str, statement: str) -> None:
        """All of it."""
        self.publish(view, source, statement)
        self.record(view)

    def follow(self, name: str, statement: str) -> None:
        """Put into a table what came to the source since it was done last."""
        versions = self.versions(name, self.newest(self.source))
        self.sql(statement.format(name=name, **versions))

    def capture(self, name: str) -> None:
        """The same, exactly once: what the table holds, asserted by the INSERT."""
        self.newest(name)
        self.follow(name, FEED + ONCE)


def compare(bench: Bench) -> Iterator[Result]:
    """COMPLETE, FAST, many tiny views, a skip, a capture."""
    for scale, tpch in bench.tpch.items():
        yield from results(scale, one_scale(bench, scale, tpch))


def one_scale(bench: Bench, scale: float, tpch: str) -> Times:
    """All sides take turns, after the same change."""
    changes, project = bench.begin(scale, "localised"), bench.project
    project.model("empty", "select 1 as id", materialized="view")
    text = query(VIEW, project.schema, tpch)
    bench.models(VIEW, text, "complete", "fast", "auto", "table")
    project.sql("create table @.tiny using delta as select 1 as id")
    tiny = f"select id from {project.schema}.tiny"
    names = [bench.models(f"tiny_{one}", tiny, "complete", "table") for one in range(VIEWS)]
    bench.run()
    bare = Bare(bench)
    columns = f"select * from table_changes('@.lineitem', {bare.begin})"
    for name, layout in (("held", "partitioned by (_commit_version)"), ("plain", "")):
        project.sql(f"create table @.{name} using delta {layout} as {columns} where false")
    insert = "insert into @.{view} replace where 1 = 1 "
    whole = insert + text.strip() + " union all select null, null, null, null where {guard}"
    small = insert + tiny + " union all select null where {guard}"

    def many() -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            publish = partial(bare.publish, source="tiny", statement=small)
            list(pool.map(publish, [ours for ours, _ in names]))
        bare.record(*[ours for ours, _ in names])

    def change() -> None:
        changes.make("localised", 0.1)
        project.sql("update @.tiny set id = id + 1")

    times = in_turn(
        {
            "skip": lambda: bare.skip(f"{VIEW}_auto", "lineitem"),
            "complete": lambda: bare.refresh(f"{VIEW}_complete", "lineitem", whole),
            "fast": lambda: bare.refresh(f"{VIEW}_fast", "lineitem", SUMS),
            "table": bench.runs(f"{VIEW}_table"),
            "capture": lambda: bare.capture("held"),
            "feed": lambda: bare.follow("plain", FEED),
            "many": many,
            "tables": bench.runs(*[theirs for _, theirs in names]),
            "empty": bench.runs("empty"),
        },
        bench.choice.rounds,
        change,
        each=False,
    )
    same = f"select count(*) from (table @.{VIEW}_fast except all table @.{VIEW}_complete)"
    assert project.sql(same)[0][0] == 0, "FAST by hand is wrong"
    counts = [project.sql(f"select count(*) from @.{name}")[0][0] for name in ("held", "plain")]
    assert counts[0] == counts[1] > 0, counts
    return times


def results(scale: float, times: Times) -> Iterator[Result]:
    """Each beside building anew, compared as the package is, with the ratio that is its goal."""
    empty = median(times["empty"])
    for side, what, against, goal in (
        ("complete", f"COMPLETE, {LABELS[VIEW]}", "table", "1.05 at SF10"),
        ("fast", f"FAST, {LABELS[VIEW]}, 0.1 % localised", "table", "0.2 at SF10"),
        ("many", f"{VIEWS} tiny views, {THREADS} threads", "tables", "2"),
    ):
        label = f"{what}: bare statements and an empty run"
        ours, note = [one + empty for one in times[side]], f"the goal is {goal}"
        yield Result("floor", label, scale, "bare", "table", ours, times[against], note=note)
    label = f"skip, {LABELS[VIEW]}: bare statements, above an empty run"
    theirs, note = above(times["table"], times["empty"]), "the goal is 0.1 at SF1, and 0.5 s"
    yield Result("floor", label, scale, "bare", "table", times["skip"], theirs, note=note)
    label = "capture of 0.1 % localised, exactly once: bare statements"
    ours, theirs, note = times["capture"], times["feed"], "the goal is 1.3"
    yield Result("floor", label, scale, "bare", "INSERT", ours, theirs, note=note)
