"""The lock again, for one more batch."""

from __future__ import annotations

import pytest

from ...kit.log_scenes import LOG, a_log, a_purge, log_engine, logged


@pytest.mark.parametrize(
    ("owner", "token", "kept"), [("me", 3, True), ("me", 4, False), ("other", 3, False)]
)
def test_kept(owner: str, token: int, kept: bool) -> None:
    dbt = logged(1)
    log_engine(dbt).log_rows[LOG] = {"lock_owner": owner, "lock_token": token, "lease_until": 1}
    assert dbt("_keep_lock", a_log(dbt), a_purge()) is kept


def test_a_dry_run_keeps_what_it_never_had() -> None:
    dbt = logged(1)
    assert dbt("_keep_lock", a_log(dbt), a_purge(dry_run=True)) is True
