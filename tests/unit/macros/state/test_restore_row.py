"""The row of a view, restored from the view's own history."""

from __future__ import annotations

from collections.abc import Callable

from ...kit.engine import outcome_rows
from ...kit.harness import Dbt
from ...kit.parsing import parse


def test_restore_row(golden: Callable[[str, str], None]) -> None:
    dbt = Dbt()
    meta = {
        "refresh_job_id": "j", "lock_token": 4, "method": "complete", "read_time": 5,
        "definition_hash": "h", "sources": [{"relation": "c.s.t", "version": 1}],
    }  # fmt: skip
    commit = {"version": 9, "commit_time": 6, "meta": meta}
    sql = dbt("_restore_row_sql", {"mview_id": "c.s.v'"}, commit).strip()
    golden("restore_row", sql)
    assert parse(sql)
    (row,) = outcome_rows(sql)
    assert (row["mview_id"], row["token"], row["target_version"]) == ("c.s.v'", 4, 9)
    assert row["definition"] is None and row["sources"] == meta["sources"]
