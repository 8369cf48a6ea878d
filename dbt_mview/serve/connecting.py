"""Connections to the SQL database: which kinds there are, and that none of them waits for ever."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any, TypeAlias

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError

# Seconds. A server that accepts what it is sent and never answers (a pooler without its database,
# a disk that hangs) is given up after PATIENCE; one that answers ends what it waits for by itself.
WAIT = 5
PATIENCE = 8.0
FORMS = "give sqlite:////path/to/file or postgresql://user@host/database"


# Microseconds since the epoch. SQLite has them from 3.42 on; its julianday is exact to some 40.
CLOCKS = {
    "sqlite": "cast((julianday('now') - 2440587.5) * 86400000000 as integer)",
    "postgresql": "cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)",
}
Insert: TypeAlias = sqlite.Insert | postgresql.Insert
INSERTS: dict[str, Callable[[Table], Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}
_POSTGRES_OPTIONS: dict[str, Any] = {
    "connect_timeout": WAIT,
    "application_name": "dbt-mview",
    # After a failover, a name may still lead to a replica.
    "target_session_attrs": "read-write",
    # Poolers lose prepared statements.
    "prepare_threshold": None,
}


def connect(url: str) -> tuple[Engine, Path | None]:
    """An engine, and the file if it is SQLite's.

    Raises:
        ValueError: it is neither SQLite's nor PostgreSQL's.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ValueError(f"--database is not a URL: {FORMS}") from error
    file: Path | None = None
    options: dict[str, Any] = {}
    name = parsed.drivername
    if name in ("sqlite", "sqlite+pysqlite") and parsed.database not in (None, "", ":memory:"):
        file = Path(str(parsed.database)).absolute()
        # Where the file is gone, SQLite would make an empty one.
        query = {"timeout": str(WAIT), **parsed.query, "mode": "rw", "uri": "true"}
        parsed = URL.create("sqlite", database=file.as_uri(), query=query)
    elif name in ("postgres", "postgresql", "postgresql+psycopg"):
        parsed = parsed.set(drivername="postgresql+psycopg")
        options = {key: at for key, at in _POSTGRES_OPTIONS.items() if key not in parsed.query}
    else:
        raise ValueError(f"--database is of '{name}', which is not served: {FORMS}")
    engine = create_engine(parsed, connect_args=options, pool_timeout=WAIT, hide_parameters=True)
    if file is None:
        event.listen(engine, "begin", _begin_postgresql)
    else:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine, file


def _begin_postgresql(sql: Connection) -> None:
    """Bounds the transaction: poolers refuse or forget what is set for a session.

    The second one frees the rows of a node that was stopped or cut off in the middle.
    """
    wait = text(
        "select set_config('statement_timeout', :wait, true), "
        "set_config('idle_in_transaction_session_timeout', :idle, true)"
    )
    sql.execute(wait, {"wait": f"{WAIT}s", "idle": f"{2 * WAIT}s"})


def _begin_sqlite(sql: Connection) -> None:
    """A reader that begins to write is told "locked" at once; a writer waits for its turn."""
    sql.exec_driver_sql("begin immediate")


def _set_up_sqlite(raw: sqlite3.Connection, _: object) -> None:
    """Leaves transactions to SQLAlchemy, and has readers not wait for writers."""
    raw.isolation_level = None
    # Of two that switch a new file at once, one is told "locked" without a wait: the other does it.
    with suppress(sqlite3.OperationalError):
        raw.execute("pragma journal_mode = wal").close()


@contextmanager
def shut_after(number: int, seconds: float) -> Iterator[None]:
    """Shuts a socket down if what is done meanwhile takes longer: then that fails.

    Args:
        number: of its file descriptor.
        seconds: how long it may take.
    """

    def shut() -> None:
        connected = socket.socket(fileno=number)
        # It fails where the other side was quicker.
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)
        connected.detach()

    timer = Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        # The number may soon be another socket's.
        timer.join()
