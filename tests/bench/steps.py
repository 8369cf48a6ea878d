"""What each statement of a dbt run took, from what dbt says and when it says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

SENT = re.compile(r"^On \S+: (?:/\* \{.*?\} \*/\s*)?(.*)", re.DOTALL)
STEP = re.compile(r"/\* dbt_mview step=(\w+)")


def steps(said: Iterable[tuple[float, str]]) -> Iterator[tuple[str, float]]:
    """Name each statement of a run of one model and say what it took.

    With `method: session` dbt calls a statement done («SQL status») before it fetches rows, which
    is when Spark looks for them: what counts is when dbt goes on.

    Args:
        said: when dbt said something, in seconds, and what, debug messages included.

    Yields:
        The step of the protocol, or the begin of the statement, and seconds.
    """
    sent, since, is_done = "", 0.0, False
    for at, message in said:
        if sent and is_done:
            yield name(sent), at - since
            sent, is_done = "", False
        if found := SENT.match(message):
            sent, since = found[1], at
        elif message.startswith("SQL status: "):
            is_done = True


def name(statement: str) -> str:
    """What a statement is called."""
    found = STEP.search(statement)
    return found[1] if found else " ".join(statement.split())[:60]
