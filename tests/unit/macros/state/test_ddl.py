"""The layout of state."""

from __future__ import annotations

from ...kit.engine import STATE_COLUMNS
from ...kit.harness import Dbt

INFO = """mview_id definition definition_hash sources last_successful_refresh_read_time
    last_refresh_result last_refresh_type last_refresh_time last_refresh_failed_reason
    target_version next_time lock_owner lock_token lease_until
    schedule failures retry_time paused_time""".split()
HIST = """refresh_job_id mview_id refresh_method refresh_reason refresh_time refresh_endtime
    refresh_rows refresh_status refresh_failed_reason sources invocation_id""".split()

PURGE_INFO = """mlog_id next_time last_purged_version lock_owner lock_token lock_time
    lease_until schedule failures retry_time paused_time""".split()
PURGE_HIST = """purge_job_id mlog_id purge_method purge_time purge_endtime purge_rows purge_status
    purge_failed_reason""".split()


def test_public_columns() -> None:
    """The columns that users, tests and schedulers rely on."""
    tables = Dbt()("_state_layout")["tables"]
    info = [name for name, _ in tables["mview_refresh_info"]]
    hist = [name for name, _ in tables["mview_refresh_hist"]]
    assert [name for name in info if name in INFO] == INFO
    assert [name for name in hist if name in HIST] == HIST
    assert [*info, "lease_over"] == STATE_COLUMNS


def test_public_columns_of_logs() -> None:
    tables = Dbt()("_state_layout")["tables"]
    assert [name for name, _ in tables["mlog_purge_info"] if name != "base"] == PURGE_INFO
    assert [name for name, _ in tables["mlog_purge_hist"]] == PURGE_HIST


def test_every_table_has_its_key_to_be_partitioned_by() -> None:
    for table, columns in Dbt()("_state_layout")["tables"].items():
        assert ("mlog_id" if table.startswith("mlog") else "mview_id") in dict(columns), table


def test_layout_has_a_number() -> None:
    assert Dbt()("_state_layout")["version"] == 5, "a change of columns takes a new number"
