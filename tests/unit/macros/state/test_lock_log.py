"""The lock of a log, whatever the condition."""

from __future__ import annotations

from ...kit.harness import Dbt
from ...kit.log_scenes import a_purge


def test_lease() -> None:
    dbt = Dbt(variables={"dbt_mview:lease_seconds": 60})
    assert dbt("_lease_sql") == "make_interval(0, 0, 0, 0, 0, 0, 60)"
    sql = dbt("_lock_log_sql", {"mlog_id": "c.s.l"}, a_purge(), "1 = 1", 9)
    assert "current_timestamp() + make_interval(0, 0, 0, 0, 0, 0, 60)\n" in sql
    assert "when 1 = 1 then 'me'\n" in sql and "lock_token = 9,\n" in sql
