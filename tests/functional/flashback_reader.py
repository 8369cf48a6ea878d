"""A process that reads tables at random times, until it is killed; see test_flashback_stability."""

from __future__ import annotations

import json
import random
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from tests.support.on_spark import OnSpark, relation
from tests.support.session import Session
from tests.unit.kit.harness import Dbt

LEASE = 6  # seconds
WINDOW = 25
SETTLED = 1.0  # a commit is dated before others can see it
VARS = {
    "dbt_mview:lease_seconds": LEASE,
    "dbt_mview:flashback_window": WINDOW,
    "dbt_mview:flashback_history_limit": 120,
    "dbt_mview:flashback_protect": "set",
}


def invocation(session: Any, schema: str, enable: bool) -> Dbt:
    """The macros as one invocation has them."""
    variables = {
        **VARS,
        "dbt_mview:state_schema": f"{schema}_mview",
        "dbt_mview:flashback_enable": enable,
    }
    return Dbt(OnSpark(session), variables=variables, invocation_id=str(uuid.uuid4()))


def read(session: Session, schema: str, table: str, at: float, enable: bool) -> dict[str, Any]:
    """One read, as an invocation of its own.

    Args:
        session: where.
        schema: of the table.
        table: its name.
        at: seconds since the epoch.
        enable: the switch.

    Returns:
        What came: rows, or the error.
    """
    dbt = invocation(session, schema, enable)
    moment = datetime.fromtimestamp(at, timezone.utc).isoformat(sep=" ", timespec="milliseconds")
    found: dict[str, Any] = {"table": table, "at": at}
    try:
        sql = dbt("as_of", relation(schema, table), moment)
        rows = session.sql(f"select id, n from {sql}").collect()
        return {**found, "rows": [list(row) for row in rows]}
    except Exception as error:
        return {**found, "error": str(error)}
    finally:
        dbt("_release_reader")


def main(port: str, schema: str, place: str, name: str, *tables: str) -> None:
    """Reads until it is killed, and writes a line of JSON for each read.

    Args:
        port: of the thrift server.
        schema: of the tables.
        place: a directory, in which the file `switch` says on or off.
        name: of the file that it writes there.
        tables: what is read.
    """
    chance, session, began = random.Random(name), Session(int(port)), time.time()
    with (Path(place) / name).open("a") as told:
        while True:
            now = time.time() - SETTLED
            # What has just been, what may still be readable, and what never was or is cleaned.
            since = chance.choice((now - 5, now - 5, now - WINDOW, began - WINDOW))
            at = chance.uniform(since, now)
            enable = (Path(place) / "switch").read_text() == "on"
            found = read(session, schema, chance.choice(tables), round(at, 3), enable)
            told.write(json.dumps(found) + "\n")
            told.flush()
            if not enable:
                time.sleep(0.5)  # that is refused at once


if __name__ == "__main__":
    main(*sys.argv[1:])
