"""Old versions that Delta may refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.engine import micros
from ...kit.harness import Dbt

WEEK = 7 * 24 * 60
KEPT = "delta.deletedFileRetentionDuration"


@pytest.mark.parametrize(
    ("properties", "minutes"),
    [
        ({}, WEEK),
        ({KEPT: "interval 1 week"}, WEEK),
        ({KEPT: "interval 30 minutes"}, 30),
        ({KEPT: "INTERVAL 2 DAYS"}, 2 * 24 * 60),
        ({KEPT: "48 hours"}, 2 * 24 * 60),
        ({KEPT: "what nobody knows"}, 0),
    ],
)
def test_how_long_files_are_kept(properties: dict[str, str], minutes: int) -> None:
    assert Dbt()("_kept_micros", properties) == minutes * 60_000_000


@pytest.mark.parametrize(("minute", "asked"), [(720 - 31, True), (720 - 29, False), (None, True)])
@pytest.mark.parametrize("there", [True, False])
def test_the_engine_is_asked_about_old_ones(minute: Any, asked: bool, there: bool) -> None:
    """And about those that history does not hold."""
    dbt = Dbt()
    dbt.engine.feed_is_there = there
    commit = None if minute is None else {"commit_time": micros(minute)}
    refused = dbt("_is_refused", "t version as of 3", commit, {KEPT: "interval 30 minutes"})
    assert refused is (asked and not there)
    assert ("read_feed" in dbt.engine.steps) == asked
    assert not asked or "select 1 from t version as of 3 where false" in dbt.engine.sql("read_feed")
