"""The lock of a log, NOWAIT."""

from __future__ import annotations

from typing import Any

import pytest

from ..engine import micros
from ..harness import Dbt, DbtError
from ..log_scenes import LOG, a_log, a_purge, log_engine, logged


def job(dbt: Dbt, **values: Any) -> dict[str, Any]:
    return a_purge(row=dbt("_read_log_row", LOG), **{"token": None, **values})


def test_acquired() -> None:
    dbt = logged(1)
    one = job(dbt)
    dbt("_acquire_log", a_log(dbt), one)
    assert (one["token"], one["took_over"]) == (1, False)
    assert log_engine(dbt).log_rows[LOG]["lock_owner"] == "me"


def test_taken_over_from_the_dead() -> None:
    dbt = logged(1)
    row = {"lock_owner": "dead", "lock_token": 4, "lease_until": 1}
    log_engine(dbt).log_rows[LOG] = row
    one = job(dbt)
    dbt("_acquire_log", a_log(dbt), one)
    assert (one["token"], one["took_over"]) == (5, True)


def test_held() -> None:
    dbt = logged(1)
    row = {"lock_owner": "other", "lock_time": micros(1), "lease_until": micros(10**5)}
    log_engine(dbt).log_rows[LOG] = row
    with pytest.raises(DbtError, match=r"another run \(other, since 2024-.* nothing was purged"):
        dbt("_acquire_log", a_log(dbt), job(dbt))


def test_somebody_else_is_quicker_every_time() -> None:
    dbt = logged(1)

    def changed(_: str) -> None:
        row = log_engine(dbt).log_rows[LOG]
        row["lock_token"] = (row.get("lock_token") or 0) + 1

    dbt.engine.on["acquire_log"] = changed
    with pytest.raises(DbtError, match="could not be taken in 20 tries"):
        dbt("_acquire_log", a_log(dbt), job(dbt))
