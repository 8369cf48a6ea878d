"""Faults of track points, readers and what keeps tables readable, as somebody could make them by
mistake: each is sown in one macro, and a test of it fails. Those of `as_of` are sown on the engine,
in tests/functional/test_flashback.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.macros import Change

from ..kit.sown import sow
from ..operations import test_restore
from . import test_guarantee, test_readers, test_trackpoints


def kept_alive() -> None:
    test_guarantee.test_a_quiet_table_is_kept_alive(3.4, 86400, kept_alive=True)


FAULTS: dict[str, tuple[Callable[..., Any], Change]] = {
    "the_moment_is_taken_after_the_looks": (
        test_trackpoints.test_a_commit_that_was_made_after_the_moment_is_not_in_it,
        Change("_trackpoint_time", "now - 2000000", "now"),
    ),
    "the_key_frame_of_a_day_is_missing": (
        test_trackpoints.test_the_first_of_a_day_has_all_tables,
        Change("_create_trackpoint", "last.day is none or day > last.day", "last.day is none"),
    ),
    "a_reader_is_registered_after_choosing": (
        test_readers.test_it_says_so_before_it_chooses_a_version,
        Change(
            "_check_flashback",
            "_register_reader(moment, object)",
            "_register_reader(dbt_mview._travel(object, moment, shown).commit_time, object)",
        ),
    ),
    "a_clean_ignores_readers": (
        test_readers.test_first_it_is_said_then_it_is_deleted,
        Change("_live_readers_sql", "until > current_timestamp()", "false"),
    ),
    "keeping_alive_is_skipped": (
        kept_alive,
        Change("_keep_readable", "age > most // 2 and may", "age > most and may"),
    ),
    "off_leaves_properties": (
        test_guarantee.test_off_takes_properties_back_that_are_still_ours,
        Change("_clean_trackpoints", "not settings.enable and not plan.readers", "false"),
    ),
    "what_is_restored_keeps_the_newest_sources": (
        test_restore.test_by_a_time_and_through_what_changes_no_row,
        Change("_restore_view", '"sources": meta.sources', '"sources": one.state.sources'),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shows, change = FAULTS[name]
    shows()
    sow(change, monkeypatch, tmp_path)
    with pytest.raises(AssertionError):
        shows()
