"""A log begins later before its rows go."""

from __future__ import annotations

import pytest

from ...kit.log_scenes import a_log, a_purge, logged


@pytest.mark.parametrize(
    ("version", "later", "noted"), [(4, 1, True), (2, 1, False), (1, 1, False), (4, -1, True)]
)
def test_noted(version: int, later: int, noted: bool) -> None:
    """Also where the clock went back since the log began."""
    dbt = logged(1)
    log_ = a_log(dbt)
    began = log_["coverage"]["start"]["commit_time"]
    safe = {"version": version, "commit_time": began + later, "dependents": [1]}
    dbt("_note_purge", log_, a_purge(safe=safe))
    start = a_log(dbt)["coverage"]["start"]
    assert ("note_purge" in dbt.engine.steps) is noted
    raised = {"version": 4, "commit_time": began + max(later, 0)}
    assert start == (raised if noted else log_["coverage"]["start"])
