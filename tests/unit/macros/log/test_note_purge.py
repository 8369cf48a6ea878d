"""A log begins later before its rows go."""

from __future__ import annotations

import pytest

from ..log_scenes import a_log, a_purge, logged


@pytest.mark.parametrize(
    ("version", "later", "noted"), [(4, 1, True), (2, 1, False), (1, 1, False), (4, -1, False)]
)
def test_noted(version: int, later: int, noted: bool) -> None:
    dbt = logged(1)
    log_ = a_log(dbt)
    time = log_["coverage"]["start"]["commit_time"] + later
    safe = {"version": version, "commit_time": time, "dependents": [1]}
    dbt("_note_purge", log_, a_purge(safe=safe))
    start = a_log(dbt)["coverage"]["start"]
    assert ("note_purge" in dbt.engine.steps) is noted
    assert start == ({"version": 4, "commit_time": time} if noted else log_["coverage"]["start"])
