"""Track points, what keeps tables readable, restoring a view and differences, on the engine."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.support.macros import Change
from tests.support.on_spark import on_spark, relation
from tests.support.project import Project
from tests.unit.kit.harness import Dbt, DbtError
from tests.unit.kit.sown import sow

pytestmark = [pytest.mark.spark, pytest.mark.in_turn]

S = "{{ target.schema }}."
DAY = 86400
POINTS = "select * from @_mview.mview_trackpoints order by trackpoint_time, relation"


@pytest.fixture(autouse=True)
def anew(module_project: Project) -> Iterator[None]:
    """Each test has a state of its own."""
    yield
    module_project.sql("drop schema if exists @_mview cascade")


def dbt(project: Project, **variables: Any) -> Dbt:
    """An invocation of the macros, without dbt."""
    return on_spark(project.spark, project.schema, **variables)


def points(project: Project) -> list[tuple[str, int, bool]]:
    """Table, version and key frame of each row, oldest first."""
    rows = project.sql(POINTS)
    return [(row.relation.split(".")[2], row.version, row.key_frame) for row in rows]


def status(printed: list[str]) -> dict[str, str]:
    """What mview_flashback_status has printed."""
    return dict(re.split(r" {2,}", line, maxsplit=1) for line in printed if "  " in line)


def shown(at: datetime) -> str:
    """A moment as the package prints it."""
    return at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + "Z"


def written(project: Project, *versions: tuple[float, dict[str, int]]) -> list[int]:
    """Track points of so many seconds ago, by the statement that writes them; their times."""
    one = dbt(project)
    one("_ensure_flashback_state")
    now, times = time.time_ns() // 1000, []
    for ago, tables in versions:
        at = now - round(ago * 1_000_000)
        rows = [
            {"relation": f"spark_catalog.{project.schema}.{name}", "table_id": f"id of {name}",
             "version": version, "commit_time": at - 1_000_000}
            for name, version in tables.items()
        ]  # fmt: skip
        sql = one("_insert_trackpoint_sql", at, one("_iso", at)[:10], rows, not times)
        project.spark.sql(sql)
        times.append(at)
    return times


# Track points


def test_the_window(module_project: Project) -> None:
    """Three track points: the newest before the window says what the tables were, and stays."""
    project = module_project
    _, second, third = written(project, (8000, {"a": 1, "b": 5}), (5000, {"a": 2}), (100, {"a": 3}))
    told = status(dbt(project).operation("mview_flashback_status"))
    assert (told["history_views"], told["history_length"]) == ("3", "4")
    dbt(project, window=3000).operation("mview_trackpoint_clean")
    assert points(project) == [("b", 5, True), ("a", 2, False), ("a", 3, False)]
    told = status(dbt(project).operation("mview_flashback_status"))
    moment = dbt(project)
    assert told["up_time"] == moment("_moment_text", second)
    assert told["low_time"] == moment("_moment_text", third)
    assert (told["history_views"], told["history_length"]) == ("2", "3")
    dbt(project, window=2).operation("mview_trackpoint_clean")
    assert points(project) == [("b", 5, True), ("a", 3, False)]
    told = status(dbt(project).operation("mview_flashback_status"))
    assert told["up_time"] == told["low_time"] == moment("_moment_text", third)
    assert "readable" not in " ".join(dbt(project, window=2).operation("mview_trackpoint_clean"))


def test_the_limit_beats_the_window_and_never_a_reader(module_project: Project) -> None:
    """Ten versions, limit 5: the oldest go. What somebody reads stays, with what it says."""
    project = module_project
    times = written(project, *((100 - 10 * n, {"a": n}) for n in range(10)))
    reader = dbt(project)
    reader("_register_reader", times[2], "x")
    dbt(project, history_limit=5).operation("mview_trackpoint_clean")
    assert [version for _, version, _ in points(project)] == list(range(2, 10))
    told = status(dbt(project).operation("mview_flashback_status"))
    assert (told["readers"], told["history_length"]) == ("1", "8")
    reader("_release_reader")
    dbt(project, history_limit=5).operation("mview_trackpoint_clean")
    assert [version for _, version, _ in points(project)] == list(range(5, 10))
    told = status(dbt(project).operation("mview_flashback_status"))
    assert (told["up_time"], told["history_length"]) == (reader("_moment_text", times[5]), "5")
    with pytest.raises(DbtError, match="is outside of the window, which begins at"):
        reader("_register_reader", times[5] - 1000, "x")
    reader("_release_reader")
    dbt(project, enable=False).operation("mview_trackpoint_clean")
    assert points(project) == [], "off: all that nobody reads"


FAULTS_OF_CLEANING = {
    "a_clean_ignores_readers": Change("_live_readers_sql", "until > current_timestamp()", "false"),
    "the_limit_beats_what_is_in_use": Change(
        "_cleaning_sql",
        "coalesce(max(r.low_time), timestamp'9999-12-31 00:00:00Z')",
        "timestamp'9999-12-31 00:00:00Z'",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", FAULTS_OF_CLEANING)
def test_a_fault_of_cleaning_is_caught(
    module_project: Project, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sow(FAULTS_OF_CLEANING[name], monkeypatch, tmp_path)
    with pytest.raises(AssertionError):
        test_the_limit_beats_the_window_and_never_a_reader(module_project)


@pytest.mark.nightly
def test_off_leaves_what_is_in_use(module_project: Project) -> None:
    project = module_project
    times = written(project, *((100 - 10 * n, {"a": n}) for n in range(4)))
    dbt(project)("_register_reader", times[2], "x")
    project.sql(
        "insert into @_mview.mview_flashback_readers"
        " select 'dead', timestamp'2020-01-01', current_timestamp() - interval 1 second"
    )
    dbt(project, enable=False).operation("mview_trackpoint_clean")
    assert [version for _, version, _ in points(project)] == [2, 3], "a lease that is over is over"


@pytest.mark.nightly
def test_what_a_late_one_writes_is_dropped(module_project: Project) -> None:
    project = module_project
    written(project, (10, {"a": 1}))
    written(project, (10000, {"a": 7}))
    assert points(project) == [("a", 1, True)]


def test_versions_of_a_time(module_project: Project) -> None:
    """By track points, and the same by the table's own history."""
    project = module_project
    project.sql("create table @.t (id int) using delta")
    for n in range(4):
        project.sql(f"insert into @.t values ({n})")
    name = f"spark_catalog.{project.schema}.t"
    commits = {one.version: one.timestamp for one in project.commits("t")}
    at = {version: round(when.timestamp() * 1_000_000) for version, when in commits.items()}
    one = dbt(project)
    one("_ensure_flashback_state")
    for version in (1, 2, 4):
        row = {"relation": name, "table_id": "id", "version": version, "commit_time": at[version]}
        moment = at[version] + 20_000
        sql = one("_insert_trackpoint_sql", moment, one("_iso", moment)[:10], [row], False)
        project.spark.sql(sql)
    said = {
        moment: dbt(project)("_stored_version", name, moment)
        for version in range(5)
        for moment in (at[version] - 15_000, at[version] + 15_000)
    }
    assert sum(found is not None for found in said.values()) >= 4
    for moment, found in said.items():
        if found is not None:
            assert found["version"] == max(one for one, when in at.items() if when <= moment)
    project.sql("drop table @.t")


# What stays readable


def aged(project: Project, name: str, days: float = 60, since: int = 0) -> None:
    """Sets the times of commits back."""
    newest = project.commits(name)[0].version
    for version in range(since, newest + 1):
        at = time.time() - days * DAY + version
        os.utime(project.commit_file(name, version), (at, at))
    forget(project)


def forget(project: Project) -> None:
    """Delta looks at the log anew."""
    project.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def quiet(project: Project, name: str, commits: int) -> None:
    """A table that flashback keeps readable, of so many commits, all of them 60 days old."""
    project.sql(f"create table @.{name} (id int) using delta")
    for n in range(commits - 1):
        project.sql(f"insert into @.{name} values ({n})")
    aged(project, name)
    one = dbt(project)
    one("_ensure_state")
    project.sql(
        "insert into @_mview.mview_refresh_info (mview_id, target_version)"
        f" values ('spark_catalog.{project.schema}.{name}', 0)"
    )


def count(project: Project, name: str, version: int) -> int | str:
    """The rows of a version, or why Delta refuses it."""
    try:
        return len(project.sql(f"select * from @.{name} version as of {version}"))
    except Exception as error:
        found = re.search(r"\[(DELTA_\w+)", str(error))
        assert found, error
        return found[1]


REFUSED = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"


@pytest.mark.parametrize("kept_alive", [True, False])
def test_yesterday_of_a_quiet_table(module_project: Project, kept_alive: bool) -> None:
    """Delta refuses it once there is another commit; with a keep-alive before, it does not."""
    project, name = module_project, f"quiet_{kept_alive}".lower()
    quiet(project, name, 4)
    protect = "keep_alive" if kept_alive else "none"
    (said,) = dbt(project, protect=protect).operation("mview_trackpoint_create")
    newest = project.commits(name)[0]
    assert (newest.operation == "VACUUM END") is kept_alive, said
    told = status(dbt(project).operation("mview_flashback_status"))
    assert told["not_guaranteed"] == ("0" if kept_alive else "1")
    project.sql(f"update @.{name} set id = 100")
    forget(project)
    assert count(project, name, newest.version) == (3 if kept_alive else REFUSED)
    assert count(project, name, 3) == REFUSED, "the version itself: as_of steps forward"


@pytest.mark.nightly
@pytest.mark.parametrize("kept_alive", [True, False])
def test_a_commit_does_not_destroy_its_own_undo(module_project: Project, kept_alive: bool) -> None:
    """v10 writes a checkpoint and cleans a log of 60 days: what was before is gone, or is not."""
    project, name = module_project, f"undo_{kept_alive}".lower()
    quiet(project, name, 8 if kept_alive else 10)
    if kept_alive:
        dbt(project).operation("mview_trackpoint_create")
        aged(project, name, 3, since=8)
    project.sql(f"delete from @.{name}")
    forget(project)
    history = [one.version for one in project.commits(name)]
    if kept_alive:
        assert history == list(range(10, -1, -1)) and count(project, name, 9) == 7
    else:
        assert history == [10]


@pytest.mark.nightly
def test_properties_are_set_and_taken_back(module_project: Project) -> None:
    project = module_project
    quiet(project, "short", 2)
    project.sql("alter table @.short set tblproperties ('delta.logRetentionDuration' = '8 days')")

    def kept() -> dict[str, str]:
        rows = project.sql("show tblproperties @.short")
        return {row.key: row.value for row in rows if "Retention" in row.key}

    before = kept()
    dbt(project, window=30 * DAY, protect="set").operation("mview_trackpoint_create")
    hours = f"interval {(31 * DAY + 3600) // 3600} hours"
    assert kept() == {
        "delta.deletedFileRetentionDuration": hours, "delta.logRetentionDuration": hours
    }  # fmt: skip
    dbt(project, enable=False).operation("mview_trackpoint_clean")
    assert kept() == before


def test_vacuum_of_registered_tables(module_project: Project) -> None:
    project = module_project
    quiet(project, "swept", 2)
    printed = dbt(project).operation("mview_vacuum")
    assert printed[1].split() == [f"{project.schema}.swept", "done"]
    assert project.commits("swept")[0].operation == "VACUUM END"
    dbt(project).operation("mview_vacuum", table=f"{project.schema}.swept", full=True)
    assert project.commits("swept")[0].version == 5


# Differences


FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"


def rows_of(project: Project, sql: str) -> Counter[tuple[Any, ...]]:
    return Counter(map(tuple, project.spark.sql(f"select * from {sql}").collect()))


@pytest.mark.nightly
@pytest.mark.parametrize("feed", [FEED, pytest.param("", marks=pytest.mark.nightly)])
def test_differences_both_ways(module_project: Project, feed: str) -> None:
    """By the feed, and by comparing all rows: the same; what came and went meanwhile is none."""
    project = module_project
    project.sql(f"create or replace table @.d (id int, c string) using delta {feed}")
    project.sql("insert into @.d values (1, 'a'), (2, 'b'), (2, 'b'), (3, null)")
    first = project.commits("d")[0].version
    project.sql("update @.d set c = 'x' where id = 1")
    project.sql("insert into @.d values (9, 'z')")
    project.sql("delete from @.d where id in (3, 9)")
    project.sql("insert into @.d values (2, 'b')")
    last = project.commits("d")[0].version
    d = relation(project.schema, "d")
    forth = dbt(project)("diff", d, first, last)
    assert ("table_changes" in forth) is bool(feed)
    expected = Counter([("went", 1, "a"), ("came", 1, "x"), ("went", 3, None), ("came", 2, "b")])
    assert rows_of(project, forth) == expected
    assert rows_of(project, dbt(project)("diff", d, first, last, feed=False)) == expected
    turned = {"came": "went", "went": "came"}
    back = Counter({(turned[key[0]], *key[1:]): n for key, n in expected.items()})
    assert rows_of(project, dbt(project)("diff", d, last, first)) == back
    assert rows_of(project, dbt(project)("diff", d, last, last)) == Counter()


def test_versions_of_rows(module_project: Project) -> None:
    project = module_project
    project.sql(f"create or replace table @.r (id int, c string) using delta {FEED}")
    first = project.commits("r")[0].version
    project.sql("insert into @.r values (1, 'a'), (2, 'b')")
    project.sql("update @.r set c = 'x' where id = 1")
    project.sql("delete from @.r where id = 1")
    times = {one.version - first: one.timestamp for one in project.commits("r")}
    sql = dbt(project)("versions_between", relation(project.schema, "r"), first, first + 3, "id")
    assert rows_of(project, sql) == Counter(
        [
            (1, "a", times[1], times[2], "I"),
            (2, "b", times[1], None, "I"),
            (1, "x", times[2], times[3], "U"),
            (1, "x", times[3], None, "D"),
        ]
    )
    none = dbt(project)("versions_between", relation(project.schema, "r"), first, first, "id")
    assert rows_of(project, none) == Counter()


# With dbt


def test_a_scene_with_dbt(module_project: Project) -> None:
    """A run makes a track point; a bad one is taken back, with what has read it, and is held."""
    project = module_project
    project.forget()
    project.sql(f"create table @.orders (id int, k int, n int) using delta {FEED}")
    project.sql("insert into @.orders values (1, 1, 10), (2, 1, 20), (3, 2, 30)")
    query = f"select k, count(*) as c, sum(n) as total from {S}orders group by k"
    project.model("totals", query)
    project.model("top", "select max(total) as most from {{ ref('totals') }}")
    project.configure(vars={"dbt_mview:flashback_enable": True})
    time.sleep(2)
    project.run()
    assert ("orders", 1, True) in points(project)
    good = project.rows("totals")
    project.sql("update @.orders set n = -n")
    project.run()
    bad = project.rows("totals")
    assert bad != good and project.rows("top") == [(-30,)]
    plan = project.op("mview_restore", view="totals", version=0, cascade=True, dry_run=True).log
    assert "totals: to v0 of" in plan and "top: to v0 of" in plan
    assert project.rows("totals") == bad
    project.op("mview_restore", view="totals", version=0, cascade=True)
    assert project.rows("totals") == good and project.rows("top") == [(30,)]
    info = project.info("totals")
    assert [(one.relation.split(".")[2], one.version) for one in info.sources] == [("orders", 1)]
    held = project.run()
    for name in ("totals", "top"):
        assert held.text(name).startswith("SKIP held by mview_restore at v0 of")
    assert project.rows("totals") == good
    told = project.op("mview_verify").log
    assert told.count("equal") >= 2 and "DIFFERS" not in told
    assert "orders v1 -> v2" in project.op("mview_refresh", view="totals").log
    assert project.rows("totals") == bad
    assert project.run("totals").text("totals").startswith("SKIP nothing changed")
