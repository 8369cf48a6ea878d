"""What must hold after every cell, whatever died. I1 to I8 are the eight of docs/reliability.md."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.crash import lake
from tests.crash.process import Ended
from tests.crash.scenes import Picture, Scene

STATE = {"mview_refresh_info", "mview_refresh_hist", "mlog_purge_info", "mlog_purge_hist"}


def nothing_is_torn(scene: Scene, pictures: list[Picture]) -> Picture:
    """I1, I6: every view is exactly the old or exactly the new one, all of a group the same; a log
    holds each change once and every one that is needed.

    Returns:
        What readers see now.
    """
    seen = scene.seen()
    assert seen in pictures, f"{seen}\nallowed: {pictures}"
    return seen


def readers_saw_nothing_else(scene: Scene, since: dict[str, int], pictures: list[Picture]) -> None:
    """I3: every version that a reader could have met is an old or a new one, not only the last.
    Readers of Delta see one version whole, so no others exist."""
    for view, first in since.items():
        place = scene.place(view)
        for version in range(max(first, 0), lake.version(place) + 1):
            seen = lake.query("select * from v", version, v=place)
            assert seen in [one[view] for one in pictures], f"{view} v{version}: {seen}"


def nothing_is_denied(scene: Scene, ended: Ended) -> None:
    """I8: state and history call nothing «failed» that was published."""
    for view in scene.views:
        if lake.is_table(scene.place(view)):
            known = lake.refreshes(scene.place(view))
            rows = scene.state("mview_refresh_hist", view)
            failed = [row for row in rows if row["refresh_status"] == "failed"]
            denied = [row for row in failed if row["refresh_job_id"] in known]
            assert not denied, f"{denied}\n{ended.log}"


def all_is_well(
    scene: Scene, *, twice: bool = False, unknown: frozenset[str] | None = None
) -> None:
    """I2, I4, I5: what state says is what the tables hold, once, and nothing is left over.

    Args:
        twice: whether a publish was sent twice: then it may be there twice, with the same rows.
        unknown: of an engine that was killed or lost its metastore: refreshes that it committed
            and that the catalog never knew, which were built again. It may leave directories of
            tables as well that it was about to create; no SQL can find those.
    """
    for view in scene.views:
        (row,) = scene.state("mview_refresh_info", view)
        assert row["last_refresh_result"] == "success" and row["lock_owner"] is None, row
        version = row["sources"][0]["version"]
        assert scene.seen_of(view) == scene.expected(view, version), "not what it says it read"
        known = lake.refreshes(scene.place(view))
        assert max(known.values()) <= 1 + twice, f"published more than once: {known}"
        ended = scene.state("mview_refresh_hist", view)
        told = Counter(one["refresh_job_id"] for one in ended if is_success(one))
        assert set(told.values()) == {1}, f"recorded more than once: {told}"
        assert set(known) - (unknown or set()) <= set(told), "published and not recorded"
    for log in scene.logs:
        (row,) = scene.state("mlog_purge_info", log)
        assert row["lock_owner"] is None, row
        purges = scene.state("mlog_purge_hist", log)
        assert not [one for one in purges if is_running(one)], purges
        assert len({one["purge_job_id"] for one in purges}) == len(purges), purges
    nothing_is_left(scene, directories=unknown is None)


def is_success(row: dict[str, Any]) -> bool:
    """Whether a row of mview_refresh_hist tells of a success."""
    return bool(row["refresh_status"] == "success")


def is_running(row: dict[str, Any]) -> bool:
    """Whether a row of mlog_purge_hist tells of a purge that has not ended."""
    return bool(row["purge_status"] == "running")


def nothing_is_left(scene: Scene, directories: bool) -> None:
    """I5: no stage, no backup, no directory that no table owns."""
    schemas = ((scene.project.schema, set(scene.tables)), (scene.project.state, STATE))
    for schema, tables in schemas:
        left = {row.tableName for row in scene.sql(f"show tables in {schema}")} - tables
        assert not left, f"tables left in {schema}: {left}"
        left = {one.name for one in (scene.warehouse / f"{schema}.db").iterdir()} - tables
        assert not left or not directories, f"directories left in {schema}: {left}"


def unknown_to_the_catalog(scene: Scene) -> frozenset[str]:
    """The refreshes of tables whose directory is there, and whose name is not."""
    found: set[str] = set()
    for view in scene.views:
        if lake.is_table(scene.place(view)) and scene.seen_of(view) is None:
            found |= set(lake.refreshes(scene.place(view)))
    return frozenset(found)


def nothing_more_happens(scene: Scene) -> None:
    """I7: the same again changes nothing."""
    before = [lake.version(scene.place(table)) for table in scene.watched]
    again = scene.again()
    told = [again.message[view] for view in scene.watched if view in again.message]
    assert all(text.startswith("SKIP") for text in told), again.log
    assert [lake.version(scene.place(table)) for table in scene.watched] == before, again.log


def is_made_good(
    scene: Scene, *, twice: bool = False, unknown: frozenset[str] | None = None
) -> Picture:
    """Once the locks are free, the command brings the newest, and all is as it should be.

    Args:
        twice, unknown: as in `all_is_well`.

    Returns:
        What readers see now.
    """
    scene.heal()
    new = {table: scene.expected(table) for table in scene.watched}
    assert scene.seen() == new, f"not made good: {scene.seen()}\nbut {new}"
    all_is_well(scene, twice=twice, unknown=unknown)
    nothing_more_happens(scene)
    return new
