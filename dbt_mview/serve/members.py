"""The SQL database that the nodes share: heartbeats, runs, the outbox, settings, commands.

Who is alive is judged by the database's clock alone: no two nodes have to agree on the time. All
but the outbox may be lost: heartbeats come again, and runs are recovered when their leases end.

Two services may not share one: each would take the other's nodes for its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    RowMapping,
    Table,
    delete,
    func,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from dbt_mview import __version__
from dbt_mview.serve import connecting
from dbt_mview.serve import messages as m
from dbt_mview.serve.connecting import CLOCKS, INSERTS, connect, shut_after
from dbt_mview.serve.report import NodeLine, RunLine
from dbt_mview.serve.ring import STALE
from dbt_mview.serve.tables import (
    ATTEMPT,
    COMMAND,
    LAYOUT,
    LAYOUTS,
    METADATA,
    NODE,
    RUN,
    SETTING,
    UPGRADES,
)
from dbt_mview.serve.times import MINUTE, SECOND

NODE_KEPT = 24 * 60 * MINUTE
COMMAND_LIVES = MINUTE
COMMAND_KEPT = 10 * MINUTE
RUNS_KEPT = 200
RUNS_SHOWN = 50
# Any number: whoever else locks it in this database waits for a `prepare`.
_PREPARE_LOCK = 4_190_734_881


class DatabaseGone(OSError):
    """The database cannot be reached, or does not do what it is asked."""


class NodeInUse(ValueError):
    """Another process is this node. After 30 seconds without a heartbeat it no longer is."""


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody asked for by the command line or the page.

    Args:
        id: its number.
        verb: run, cancel, pause, resume, reset, drain.
        subject: id of a view or log; of a node for drain.
        by: who asked.
    """

    id: int
    verb: str
    subject: str
    by: str


class Database:
    """What a node and the command line do in it. May be called from any thread.

    Every method raises `DatabaseGone` if the database does not answer, within 20 seconds, and works
    again when it does. Then it has done nothing, unless the connection broke at the very end: all
    but `ask` and `take` may be called again.
    """

    def __init__(
        self,
        url: str,
        node: str,
        boot: str,
        address: str = "",
        version: str = __version__,
        service: str = "",
    ) -> None:
        """Connects to nothing yet.

        Args:
            url: SQLAlchemy's, of a SQLite file or a PostgreSQL database.
            node: id of this node.
            boot: differs at each start of the node. Without "/".
            address: where its HTTP listens, or empty.
            version: of dbt_mview.
            service: which service the database is of, such as its project, target and state
                schema; empty for one that takes part in any, such as the command line.

        Raises:
            ValueError: the URL is of neither.
        """
        self.node, self.boot, self.address = node, boot, address
        self._version = version
        self._service = service
        self._engine, self._file = connect(url)
        dialect = self._engine.dialect.name
        self._clock = literal_column(CLOCKS[dialect], BigInteger)
        self._insert = INSERTS[dialect]
        self._is_member = False
        self._membership = Lock()

    # The database itself

    def prepare(self) -> None:
        """Makes what is missing: the file of SQLite, the tables.

        Raises:
            OSError: the file cannot be made, or the database does not answer.
            ValueError: the tables are of a newer release, or of another service.
        """
        if self._file is not None:
            # Whoever closes a file gives up all locks that its process has on it: SQLite's as well,
            # whose next client would then take itself for the last one, and delete the log of ours.
            if not self._file.exists():
                os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
            self._file.chmod(0o600)
        with self._transaction() as sql:
            if self._file is None:
                sql.execute(select(func.pg_advisory_xact_lock(_PREPARE_LOCK)))
            LAYOUTS.create(sql, checkfirst=True)
            found = sql.execute(select(LAYOUTS)).mappings().first()
            if found is None:
                sql.execute(LAYOUTS.insert().values(layout=LAYOUT, service=self._service))
            else:
                self._check(sql, found)
            METADATA.create_all(sql)

    def _check(self, sql: Connection, found: RowMapping) -> None:
        """Upgrades older tables; refuses newer ones, and those of another service."""
        if found["layout"] > LAYOUT:
            raise ValueError(
                f"the database has layout {found['layout']}, this release of dbt_mview knows up to "
                f"{LAYOUT}. Upgrade dbt_mview"
            )
        for layout in range(found["layout"] + 1, LAYOUT + 1):
            sql.execute(text(UPGRADES[layout]))
            sql.execute(LAYOUTS.update().values(layout=layout))
        if not found["service"]:
            sql.execute(LAYOUTS.update().values(service=self._service))
        elif self._service and found["service"] != self._service:
            raise ValueError(
                f"the database is of the service '{found['service']}', this one is "
                f"'{self._service}': give it a --database of its own"
            )

    def belong_to(self, service: str) -> None:
        """Says which service this node is of, once that is known.

        Args:
            service: see `__init__`.

        Raises:
            OSError: the database does not answer.
            ValueError: it is of another one.
        """
        self._service = service
        self.prepare()

    def close(self) -> None:
        """Closes its connections."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """One transaction, in bounded time.

        Raises:
            DatabaseGone: the database does not answer, or refuses a statement.
        """
        try:
            with self._begin() as sql, self._bounded(sql):
                yield sql
                sql.commit()
        except (DBAPIError, PoolTimeout) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            where = self._file or self._engine.url.render_as_string(hide_password=True)
            raise DatabaseGone(f"the database {where}: {' '.join(str(cause).split())}") from error

    def _begin(self, is_again: bool = False) -> Connection:
        """A connection with a transaction begun, which is the first statement that is sent."""
        sql = self._engine.connect()
        try:
            with self._bounded(sql):
                sql.begin()
            return sql
        except DBAPIError as error:
            sql.close()
            if is_again or not error.connection_invalidated:
                raise
        # It had died in the pool of connections, which is empty now.
        return self._begin(is_again=True)

    def _bounded(self, sql: Connection) -> AbstractContextManager[None]:
        """Ends the connection if what is done meanwhile takes too long."""
        if self._file is not None:
            return nullcontext()  # its own timeout bounds it
        raw: Any = sql.connection.dbapi_connection
        return shut_after(raw.fileno(), connecting.PATIENCE)

    # Nodes

    def register(self, starting: str = "") -> None:
        """Takes the id of this node.

        Args:
            starting: as `beat`.

        Raises:
            NodeInUse: another process has it; for SQLite, there is another node.
        """
        with self._membership:
            with self._transaction() as sql:
                if self._file is not None:
                    self._refuse_others(sql)
                is_free = or_(NODE.c.boot == self.boot, NODE.c.beat < self._clock - STALE)
                if not self._write_beat(sql, is_free, 0, 0, starting):
                    age = sql.scalar(
                        select(self._clock - NODE.c.beat).where(NODE.c.name == self.node)
                    )
                    raise NodeInUse(
                        f"node '{self.node}' is in use by a process that was alive "
                        f"{_seconds(age)} ago: give another --node-id, or wait 30 seconds"
                    )
            self._is_member = True

    def _refuse_others(self, sql: Connection) -> None:
        """SQLite is one node's."""
        other = sql.execute(
            select(NODE.c.name, self._clock - NODE.c.beat)
            .where(NODE.c.name != self.node, NODE.c.beat >= self._clock - STALE)
            .limit(1)
        ).first()
        if other is not None:
            raise NodeInUse(
                f"SQLite serves one node, and node '{other[0]}' was alive {_seconds(other[1])} "
                "ago: use --database postgresql://... for several, or wait 30 seconds"
            )

    def _write_beat(
        self, sql: Connection, is_free: Any, owned: int, running: int, starting: str
    ) -> bool:
        """Writes this node's row, unless another process has it and `is_free` is false."""
        values = {
            "address": self.address,
            "version": self._version,
            "boot": self.boot,
            "beat": self._clock,
            "owned": owned,
            "running": running,
            "starting": starting,
        }
        written = sql.execute(
            self._insert(NODE)
            .values(name=self.node, **values)
            .on_conflict_do_update(index_elements=[NODE.c.name], set_=values, where=is_free)
            .returning(NODE.c.name)
        )
        return written.first() is not None

    def beat(self, owned: int, running: int, starting: str = "") -> m.Beats:
        """Writes this node's heartbeat, while it is registered, and reads all; each 5 seconds.

        Nodes that were stale for a day and commands of ten minutes ago are deleted.

        Args:
            owned: how many units it owns.
            running: how many of its runs have not ended.
            starting: why it takes no work yet, so that no unit is its own; empty once it does.

        Raises:
            NodeInUse: another process has taken the id, as this one did not write for so long.
        """
        with self._membership, self._transaction() as sql:
            if self._is_member and not self._write_beat(
                sql, NODE.c.boot == self.boot, owned, running, starting
            ):
                raise NodeInUse(
                    f"another process has become node '{self.node}', as this one was stopped for "
                    "longer than 30 seconds: it ends. Give each its own --node-id"
                )
            sql.execute(delete(NODE).where(NODE.c.beat < self._clock - NODE_KEPT))
            sql.execute(delete(COMMAND).where(COMMAND.c.asked < self._clock - COMMAND_KEPT))
            rows = sql.execute(select(NODE.c.name, NODE.c.beat, NODE.c.starting)).all()
            starts = frozenset(row.name for row in rows if row.starting)
            return m.Beats(self._now(sql), {row.name: row.beat for row in rows}, starts)

    def leave(self) -> None:
        """Deletes this node's heartbeat. From now on `beat` only reads, even if this fails."""
        with self._membership:
            self._is_member = False
            with self._transaction() as sql:
                sql.execute(delete(NODE).where(NODE.c.name == self.node, NODE.c.boot == self.boot))

    def be_lost(self) -> None:
        """Leaves a stale heartbeat instead: the others look for the runs of this node."""
        with self._membership, self._transaction() as sql:
            self._is_member = False
            values = {"beat": self._clock - 2 * STALE}
            self._write_beat(sql, NODE.c.boot == self.boot, 0, 0, "")
            sql.execute(update(NODE).where(NODE.c.name == self.node).values(values))

    def nodes(self) -> list[NodeLine]:
        """All nodes that have not left, also stale ones, by name."""
        with self._transaction() as sql:
            rows = sql.execute(select(NODE).order_by(NODE.c.name)).all()
            now = self._now(sql)
        return [
            NodeLine(
                name=row.name,
                address=row.address,
                version=row.version,
                age=max(0, now - row.beat) / SECOND,
                owned=row.owned,
                running=row.running,
                is_alive=now - row.beat <= STALE,
                starting=row.starting,
            )
            for row in rows
        ]

    def _now(self, sql: Connection) -> int:
        """The database's clock, in microseconds."""
        return int(sql.execute(select(self._clock)).scalar_one())

    # Runs

    def begin_run(self, run: str, kind: m.Kind, ids: tuple[str, ...], at: int) -> None:
        """Writes the row of a run; nothing if there is one.

        Args:
            run: its name, <node>/<boot>/<number>.
            kind: of all that it refreshes.
            ids: of its views or logs.
            at: microseconds by the engine's clock.
        """
        node, boot = _maker(run)
        with self._transaction() as sql:
            sql.execute(
                self._insert(RUN)
                .values(run=run, node=node, boot=boot, kind=kind, ids=ids, began=at)
                .on_conflict_do_nothing()
            )

    def name_run(self, run: str, invocation: str) -> None:
        """Says which owner the locks of a run have.

        Args:
            run: its name; one without a row stays without.
            invocation: dbt's invocation id.
        """
        with self._transaction() as sql:
            sql.execute(update(RUN).where(RUN.c.run == run).values(invocation=invocation))

    def invocation_of(self, run: str) -> str | None:
        """dbt's invocation id of a run; None if it has none: then it has held no lock yet."""
        with self._transaction() as sql:
            return sql.scalar(select(RUN.c.invocation).where(RUN.c.run == run)) or None

    def end_run(
        self, run: str, how: str, outcomes: Mapping[str, str], problem: str, at: int
    ) -> None:
        """Makes a run history, and deletes what the outbox has of it. The first end counts.

        Args:
            run: its name.
            how: done, error, died, cancelled.
            outcomes: by id, see `RunLine`.
            problem: the first line of its error, or empty.
            at: microseconds by the engine's clock.
        """
        with self._transaction() as sql:
            sql.execute(
                update(RUN)
                .where(RUN.c.run == run, RUN.c.ended.is_(None))
                .values(ended=at, how=how, outcomes=dict(outcomes), problem=problem)
            )
            sql.execute(delete(ATTEMPT).where(ATTEMPT.c.run == run))
            has_ended = RUN.c.ended.is_not(None)
            newest = select(RUN.c.run).where(has_ended).order_by(*_NEWEST).limit(RUNS_KEPT)
            sql.execute(delete(RUN).where(has_ended, RUN.c.run.not_in(newest)))

    def find_runs(self, action: m.FindRuns) -> m.Orphans:
        """Reads the runs of a node that have not ended, of this node those of other starts.

        A run whose row could not be written is among them if the outbox has something of it.
        """
        with self._transaction() as sql:
            begun = {
                row.run: m.Orphan(row.run, tuple(row.ids))
                for row in sql.execute(
                    select(RUN.c.run, RUN.c.ids).where(
                        RUN.c.ended.is_(None), *self._left_by(RUN, action)
                    )
                )
            }
            found = dict(begun)
            for row in sql.execute(select(ATTEMPT).where(*self._left_by(ATTEMPT, action))):
                one = m.Orphan(row.run, tuple(row.ids), row.charge, row.reason)
                run = begun.get(row.run, one)
                if set(one.units) < set(run.units):
                    one = replace(one, units=run.units, charged=one.units)
                found[row.run] = one
        return m.Orphans(action.node, tuple(found.values()))

    def _left_by(self, table: Table, action: m.FindRuns) -> list[Any]:
        """Which rows are of the node that is asked for, and of a process that is gone.

        A node that starts anew may take work between the heartbeat that said it does not and this
        look: what its process runs is not lost.
        """
        if action.node == self.node:
            return [table.c.node == self.node, table.c.boot != self.boot]
        is_alive = NODE.c.beat >= self._clock - STALE
        boots = select(NODE.c.boot).where(NODE.c.name == action.node, is_alive)
        return [table.c.node == action.node, table.c.boot.not_in(boots)]

    def runs(self) -> list[RunLine]:
        """Those that have not ended, and the last 50 that have; newest first."""
        with self._transaction() as sql:
            has_ended = RUN.c.ended.is_not(None)
            running = sql.execute(select(RUN).where(~has_ended).order_by(RUN.c.began.desc()))
            over = sql.execute(select(RUN).where(has_ended).order_by(*_NEWEST).limit(RUNS_SHOWN))
            rows = [*running, *over]
        return [
            RunLine(
                run=row.run,
                node=row.node,
                invocation=row.invocation,
                kind=row.kind,
                ids=tuple(row.ids),
                began=row.began,
                ended=row.ended,
                how=row.how,
                outcomes=row.outcomes,
                problem=row.problem,
            )
            for row in rows
        ]

    def keep_attempt(self, run: str, ids: tuple[str, ...], charge: m.Charge, reason: str) -> None:
        """Keeps in the outbox what state could not be told of a run, until the run is ended.

        Args:
            run: its name.
            ids: of its views or logs; where all are charged, of those that are.
            charge: for whom a failure is to be written down.
            reason: of that failure.
        """
        node, boot = _maker(run)
        values = {"node": node, "boot": boot, "ids": ids, "charge": charge, "reason": reason}
        with self._transaction() as sql:
            sql.execute(
                self._insert(ATTEMPT)
                .values(run=run, **values)
                .on_conflict_do_update(index_elements=[ATTEMPT.c.run], set_=values)
            )

    # Settings

    def settings(self) -> dict[str, str]:
        """What was set for all nodes, by name, as it is given on the command line."""
        with self._transaction() as sql:
            rows = sql.execute(select(SETTING).order_by(SETTING.c.name)).all()
        return {row.name: row.value for row in rows}

    def set(self, name: str, value: str) -> None:
        """Sets something for all nodes. They validate it: the database takes any text."""
        with self._transaction() as sql:
            sql.execute(
                self._insert(SETTING)
                .values(name=name, value=value)
                .on_conflict_do_update(index_elements=[SETTING.c.name], set_={"value": value})
            )

    # Commands

    def ask(self, verb: str, subject: str, by: str) -> int:
        """Asks the nodes for something; see `Command`. It is offered for a minute.

        Returns:
            Its number, for `answer_of`.
        """
        with self._transaction() as sql:
            return int(
                sql.execute(
                    self._insert(COMMAND)
                    .values(verb=verb, subject=subject, asker=by, asked=self._clock)
                    .returning(COMMAND.c.id)
                ).scalar_one()
            )

    def request(
        self, verb: str, subject: str, by: str, within: float, pause: float = 0.1
    ) -> tuple[bool, str]:
        """Asks, and waits for the answer.

        Args:
            verb: see `Command`, as the next two.
            subject: of it.
            by: who asks.
            within: seconds that it waits.
            pause: seconds between two looks.

        Returns:
            Whether it was done, and what is to be said.

        Raises:
            TimeoutError: no node has answered.
        """
        number = self.ask(verb, subject, by)
        until = time.monotonic() + within
        while (answer := self.answer_of(number)) is None:
            if time.monotonic() > until:
                raise TimeoutError(f"no node has answered to {verb} {subject}")
            time.sleep(pause)
        return answer

    def commands(self) -> list[Command]:
        """What was asked within the last minute and no node has taken, oldest first."""
        with self._transaction() as sql:
            rows = sql.execute(
                select(COMMAND)
                .where(
                    COMMAND.c.taker.is_(None),
                    COMMAND.c.asked >= self._clock - COMMAND_LIVES,
                )
                .order_by(COMMAND.c.id)
            ).all()
        return [Command(row.id, row.verb, row.subject, row.asker) for row in rows]

    def take(self, id_: int) -> bool:
        """Takes a command. Whoever is told True does it and answers; one node is, once."""
        with self._transaction() as sql:
            taken = sql.execute(
                update(COMMAND)
                .where(COMMAND.c.id == id_, COMMAND.c.taker.is_(None))
                .values(taker=self.node)
            )
            return taken.rowcount == 1

    def answer(self, id_: int, is_done: bool, said: str) -> None:
        """Answers a command.

        Args:
            id_: its number.
            is_done: or refused.
            said: what the asker is told.
        """
        with self._transaction() as sql:
            sql.execute(
                update(COMMAND).where(COMMAND.c.id == id_).values(is_done=is_done, answer=said)
            )

    def answer_of(self, id_: int) -> tuple[bool, str] | None:
        """Whether a command was done, and what was said; None while nobody has answered."""
        with self._transaction() as sql:
            row = sql.execute(
                select(COMMAND.c.is_done, COMMAND.c.answer).where(
                    COMMAND.c.id == id_, COMMAND.c.is_done.is_not(None)
                )
            ).first()
        return None if row is None else (row.is_done, row.answer)


_NEWEST = (RUN.c.ended.desc(), RUN.c.run.desc())


def _maker(run: str) -> tuple[str, str]:
    """The node and its boot that a run's name has; the node's id may have slashes."""
    node, boot, _ = run.rsplit("/", 2)
    return node, boot


def _seconds(age: int | None) -> str:
    """A duration in words."""
    seconds = round(max(0, age or 0) / SECOND)
    return "1 second" if seconds == 1 else f"{seconds} seconds"
