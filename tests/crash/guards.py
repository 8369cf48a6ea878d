"""What the macros hold against crashes, one guard after the other, and the cell that needs it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.crash.death import Death, Way
from tests.support.macros import Change


@dataclass(frozen=True)
class Guard:
    """A cell, and the change of a macro that takes away what it needs.

    Args:
        scene, death: the cell.
        macro, right, wrong: see `Change`.
        shows: what the cell says then.
    """

    scene: str
    death: Death
    macro: str
    right: str
    wrong: str
    shows: str

    @property
    def change(self) -> Change:
        """What is done to the macros."""
        return Change(self.macro, self.right, self.wrong)


GUARDS = {
    "a_merge_of_rows_takes_away_what_it_brings": Guard(
        "FastRows",
        Death("publish", Way.TWICE),
        "_row_delta_sql",
        "'delete' as _mview_op\nfrom {{ dbt_mview._stage_name(job.id) }}\n",
        "'delete' as _mview_op\nfrom {{ dbt_mview._stage_name(job.id) }}\nwhere _mview_n < 0\n",
        "allowed",
    ),
    "a_lock_may_be_ours_already": Guard(
        "Complete",
        Death("acquire", Way.TWICE),
        "_is_ours",
        "state is not none and state.lock_owner and state.refresh_job_id == job.id",
        "false",
        "another run",
    ),
    "history_is_written_once": Guard(
        "Complete",
        Death("record", Way.TWICE),
        "_insert_history_sql",
        "where mview_id in",
        "where false and mview_id in",
        "recorded more than once",
    ),
    "a_purge_is_opened_once": Guard(
        "Purge",
        Death("open_purge", Way.TWICE),
        "_insert_purge_sql",
        "where not exists (",
        "where true or not exists (",
        "purge_job_id",
    ),
    "a_capture_looks_what_is_there": Guard(
        "Capture",
        Death("capture", Way.TWICE),
        "_capture_sql",
        "not exists (",
        "true or not exists (",
        "allowed",
    ),
    "recovery_looks_for_what_was_published": Guard(
        "RollForward",
        Death("record.2", Way.AFTER),
        "_recover",
        "{%- set published = dbt_mview._published(job.target, holder.job_id) -%}",
        "{%- set published = none -%}",
        "refresh_status",
    ),
    "recovery_drops_the_stage": Guard(
        "Audited",
        Death("stage", Way.AFTER),
        "_recover",
        '{%- do dbt_mview._drop_stage("recover", holder.job_id, job, published is not none) -%}',
        "",
        "tables left",
    ),
    "recovery_undoes_the_rename": Guard(
        "SwapBack",
        Death("record", Way.TWICE),
        "_replay_rename_chain",
        'here == "missing" and backup != "missing"',
        "false",
        "a success, and",
    ),
    "recovery_publishes_what_was_decided": Guard(
        "GroupForward",
        Death("record", Way.TWICE),
        "_recover",
        "{%- set redone = dbt_mview._publish_decided(spec, job, holder) -%}",
        "{%- set redone = false -%}",
        "a success, and",
    ),
    "a_failure_looks_for_what_was_published": Guard(
        "Complete",
        Death("describe_history.3", Way.ERROR),
        "_failed_outcome",
        "{%- set published = dbt_mview._undo(job, message) -%}",
        "{%- set published = none -%}",
        "refresh_status",
    ),
    "a_purge_stops_at_what_views_need": Guard(
        "Purge",
        Death("purge_batch", Way.AFTER),
        "_safe_version",
        'dependents) | sort(attribute="version") | first',
        'dependents) | sort(attribute="version") | last',
        "not made good",
    ),
    "the_stage_is_swept": Guard(
        "FastRows",
        Death("acquire", Way.TWICE),
        "_sweep",
        "job.staged",
        "false",
        "tables left",
    ),
}
