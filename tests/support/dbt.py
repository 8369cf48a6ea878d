"""dbt in a process of its own: ``python -m tests.support.dbt run ...``.

``DBT_MVIEW_STOP_AT=publish:before`` stops the process (SIGSTOP) right before the statement of
that step is sent, ``publish:after`` right after it returned; ``publish:sent`` lets it go on. A file
named by ``DBT_MVIEW_STOPPED`` says that the point was reached. So a test can kill the process
there, or let it go on as a zombie.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from dbt.adapters.sql import SQLConnectionManager
from dbt.cli.main import dbtRunner


def stop_at(point: str, marker: Path, manager: type[SQLConnectionManager]) -> None:
    """Makes dbt stop itself at one statement of the protocol."""
    step, side = point.split(":")
    plain = manager.add_query

    def here() -> None:
        marker.write_text(str(os.getpid()))
        if side != "sent":
            os.kill(os.getpid(), signal.SIGSTOP)
            # The signal may be taken by another thread; this one must not get past it meanwhile.
            time.sleep(0.5)

    def add_query(self: Any, sql: str, *args: Any, **kwargs: Any) -> Any:
        mine = f"/* dbt_mview step={step} " in sql and not marker.exists()
        if mine and side in ("before", "sent"):
            here()
        result = plain(self, sql, *args, **kwargs)
        if mine and side == "after":
            here()
        return result

    manager.add_query = add_query  # type: ignore[method-assign]


def main(manager: type[SQLConnectionManager] = SQLConnectionManager) -> None:
    """Runs dbt.

    Args:
        manager: the class through which the adapter sends its statements.
    """
    if point := os.environ.get("DBT_MVIEW_STOP_AT"):
        stop_at(point, Path(os.environ["DBT_MVIEW_STOPPED"]), manager)
    result = dbtRunner().invoke(sys.argv[1:])
    if result.exception:
        print(result.exception, flush=True)  # noqa: T201
    sys.exit(0 if result.success else 1)


if __name__ == "__main__":
    main()
