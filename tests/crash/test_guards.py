"""Negative controls: the matrix is able to fail.

Each guard is taken out of the macros, as somebody could do it by mistake; the cell that is named
must fail then. With the macros as they are it passes: test_matrix.py has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash.cells import Cell, cells
from tests.crash.death import Death, Way
from tests.crash.play import play
from tests.crash.scenes import SCENES, on_server
from tests.support.project import ROOT, copy_package


@dataclass(frozen=True)
class Guard:
    """A cell, the text of a macro file that it needs, and what stands there instead."""

    scene: str
    death: Death
    file: str
    right: str
    wrong: str
    shows: str  # what the cell says


GUARDS = {
    "a_merge_of_rows_takes_away_what_it_brings": Guard(
        "FastRows",
        Death("publish", Way.TWICE),
        "sql/merge_rows.sql",
        "'delete' as _mview_op\nfrom {{ dbt_mview._stage_name(job.id) }}\n",
        "'delete' as _mview_op\nfrom {{ dbt_mview._stage_name(job.id) }}\nwhere _mview_n < 0\n",
        "allowed",
    ),
    "a_lock_may_be_ours_already": Guard(
        "Complete",
        Death("acquire", Way.TWICE),
        "refresh/acquire.sql",
        "state is not none and state.lock_owner and state.refresh_job_id == job.id",
        "false",
        "another run",
    ),
    "history_is_written_once": Guard(
        "Complete",
        Death("record", Way.TWICE),
        "state/insert_history.sql",
        "    where mview_id in",
        "    where false and mview_id in",
        "recorded more than once",
    ),
    "a_purge_is_opened_once": Guard(
        "Purge",
        Death("open_purge", Way.TWICE),
        "state/purge_hist.sql",
        "where not exists (",
        "where true or not exists (",
        "purge_job_id",
    ),
    "a_capture_looks_what_is_there": Guard(
        "Capture",
        Death("capture", Way.TWICE),
        "sql/capture.sql",
        "    not exists (",
        "    true or not exists (",
        "allowed",
    ),
    "recovery_looks_for_what_was_published": Guard(
        "RollForward",
        Death("record.2", Way.AFTER),
        "refresh/recover.sql",
        "{%- set published = dbt_mview._published(job.target, holder.job_id) -%}",
        "{%- set published = none -%}",
        "refresh_status",
    ),
    "recovery_drops_the_stage": Guard(
        "Audited",
        Death("stage", Way.AFTER),
        "refresh/recover.sql",
        '{%- do dbt_mview._drop_stage("recover", holder.job_id, job, published is not none) -%}',
        "",
        "tables left",
    ),
    "recovery_undoes_the_rename": Guard(
        "SwapBack",
        Death("record", Way.TWICE),
        "refresh/replay_swap.sql",
        'here == "missing" and backup != "missing"',
        "false",
        "a success, and",
    ),
    "recovery_publishes_what_was_decided": Guard(
        "GroupForward",
        Death("record", Way.TWICE),
        "refresh/recover.sql",
        "{%- set redone = dbt_mview._publish_decided(spec, job, holder) -%}",
        "{%- set redone = false -%}",
        "a success, and",
    ),
    "a_failure_looks_for_what_was_published": Guard(
        "Complete",
        Death("describe_history.3", Way.ERROR),
        "hooks/failed_outcome.sql",
        "{%- set published = dbt_mview._undo(job, message) -%}",
        "{%- set published = none -%}",
        "refresh_status",
    ),
    "a_purge_stops_at_what_views_need": Guard(
        "Purge",
        Death("purge_batch", Way.AFTER),
        "log/safe_version.sql",
        'dependents) | sort(attribute="version") | first',
        'dependents) | sort(attribute="version") | last',
        "not made good",
    ),
    "the_stage_is_swept": Guard(
        "FastRows",
        Death("acquire", Way.TWICE),
        "refresh/sweep.sql",
        "job.staged",
        "false",
        "tables left",
    ),
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package."""
    return copy_package(tmp_path / "package")


@pytest.mark.unit
@pytest.mark.parametrize("name", GUARDS)
def test_the_guard_and_its_cell_are_there(name: str) -> None:
    """Macros change, and what looks for their text must not find nothing, unseen."""
    guard = GUARDS[name]
    assert (ROOT / "macros" / guard.file).read_text().count(guard.right) == 1
    assert Cell(guard.scene, guard.death) in cells()


@pytest.mark.crash
@pytest.mark.parametrize("name", GUARDS)
def test_without_the_guard_the_cell_fails(
    name: str, server: ThriftServer, package: Path, tmp_path: Path
) -> None:
    """And says what was to be expected without it."""
    guard = GUARDS[name]
    schema = f"guard_{list(GUARDS).index(name)}"
    project = on_server(server, tmp_path / "p", schema, package)
    scene = SCENES[guard.scene](project, server.home / "warehouse")
    file = package / "macros" / guard.file
    text = file.read_text()
    assert text.count(guard.right) == 1, guard
    scene.begin()
    file.write_text(text.replace(guard.right, guard.wrong))
    scene.parse()
    with pytest.raises(AssertionError, match=guard.shows):
        play(scene, guard.death)
