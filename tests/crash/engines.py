"""Sparks that share one metastore in PostgreSQL and one directory of tables."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from dbt_mview import thrift
from tests.support import log_store
from tests.support.postgres import Postgres
from tests.support.quick import INTERRUPTED


class Engines:
    """One metastore; as many Sparks as are started.

    Args:
        home: a directory for all of it.
    """

    def __init__(self, home: Path) -> None:
        self.home, self.hold = home, home / "hold"
        self.hold.mkdir()
        self.metastore = Postgres(home)
        store = log_store.settings(home, self.hold)
        self.settings = {**INTERRUPTED, **self.metastore.settings(), **store}
        self.running = [self.start()]
        self.metastore.one_of_each_name()

    @property
    def warehouse(self) -> Path:
        """The directory of the tables."""
        return self.home / "warehouse"

    def start(self, port: int | None = None) -> thrift.ThriftServer:
        """One more Spark, or one again that was killed."""
        return thrift.start(self.home, port, settings=self.settings)

    def stop(self) -> None:
        """Ends all of it."""
        for engine in self.running:
            engine.kill()
        self.metastore.kill()


def freeze(engine: thrift.ThriftServer) -> None:
    """The whole JVM stands still."""
    os.kill(engine.pid, signal.SIGSTOP)


def thaw(engine: thrift.ThriftServer) -> None:
    """It goes on as if nothing had been."""
    os.kill(engine.pid, signal.SIGCONT)
