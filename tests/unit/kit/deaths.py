"""How a run dies, or its engine fails, at one of its statements."""

from __future__ import annotations

from typing import Any

from .harness import Dbt
from .scenes import OTHER, again


class Killed(BaseException):
    """The end of the process: nothing catches it, no hook runs."""


def stop_at(dbt: Dbt, number: int, done: bool, error: BaseException) -> None:
    """Lets the engine raise at the (number+1)-th writing statement."""
    engine, execute, count = dbt.engine, dbt.engine.execute, [0]

    def stopping(step: str, sql: str) -> Any:
        if step.startswith("read_"):
            return execute(step, sql)
        count[0] += 1
        if count[0] != number + 1:
            return execute(step, sql)
        if done:
            execute(step, sql)
        raise error

    engine.execute = stopping  # type: ignore[method-assign]


def restart(dbt: Dbt, minutes: float = 0) -> Dbt:
    """The next run, on an engine that works again."""
    del dbt.engine.execute
    dbt.engine.minute += minutes
    return again(dbt, invocation_id=OTHER)
