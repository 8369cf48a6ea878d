"""What each statement of a dbt run took, from dbt's own log."""

from __future__ import annotations

import re
from collections.abc import Iterator

SENT = re.compile(r"^On \S+: (?:/\* \{.*?\} \*/\s*)?(.*)", re.DOTALL)
TOOK = re.compile(r"^SQL status: .* in ([\d.]+) seconds")
STEP = re.compile(r"/\* dbt_mview step=(\w+)")


def steps(log: str) -> Iterator[tuple[str, float]]:
    """Name each statement of a run of one model and say what it took.

    Args:
        log: dbt's messages, one after another, debug ones included.

    Yields:
        The step of the protocol, or the begin of the statement, and seconds.
    """
    parts = re.split(r"\n(?=On \S+: |SQL status: )", log)
    sent = ""
    for part in parts:
        if found := SENT.match(part):
            sent = found[1]
        elif found := TOOK.match(part):
            yield name(sent), float(found[1])


def name(statement: str) -> str:
    """What a statement is called."""
    found = STEP.search(statement)
    return found[1] if found else " ".join(statement.split())[:60]
