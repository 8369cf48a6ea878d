"""The layout of state."""

from __future__ import annotations

from ..engine import STATE_COLUMNS
from ..harness import Dbt

INFO = """mview_id definition definition_hash sources last_successful_refresh_read_time
    last_refresh_result last_refresh_type last_refresh_time last_refresh_failed_reason
    target_version next_time lock_owner lock_token lease_until""".split()
HIST = """refresh_job_id mview_id refresh_method refresh_reason refresh_time refresh_endtime
    refresh_rows refresh_status refresh_failed_reason sources invocation_id""".split()


def test_public_columns() -> None:
    """The columns that users, tests and schedulers rely on."""
    tables = Dbt()("_state_layout")["tables"]
    info = [name for name, _ in tables["mview_refresh_info"]]
    hist = [name for name, _ in tables["mview_refresh_hist"]]
    assert [name for name in info if name in INFO] == INFO
    assert [name for name in hist if name in HIST] == HIST
    assert [*info, "lease_over"] == STATE_COLUMNS


def test_layout_has_a_number() -> None:
    assert Dbt()("_state_layout")["version"] == 1, "a change of columns takes a new number"
