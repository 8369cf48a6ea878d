"""The row of a log."""

from __future__ import annotations

import pytest

from ...kit.harness import DbtError
from ...kit.log_scenes import LOG, log_engine, logged
from ...kit.parsing import parse


def test_read() -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": "o", "lock_token": 2, "lease_until": 1}
    row = dbt("_read_log_row", LOG)
    assert (row["lock_owner"], row["lock_token"], row["lease_over"]) == ("o", 2, True)
    assert row["last_purged_version"] is None and row["base"].endswith(".orders")


def test_never_locked() -> None:
    row = logged(1)("_read_log_row", LOG)
    assert (row["lock_token"], row["lock_owner"], row["lease_over"]) == (0, None, True)


def test_none() -> None:
    dbt = logged(1)
    with pytest.raises(DbtError, match=r"mlog purge lock row does not exist for c\.s\.l"):
        dbt("_read_log_row", "c.s.l")
    assert parse(dbt("_read_log_row_sql", "c.s.l"))
