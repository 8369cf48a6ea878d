"""Several dbt processes on one thrift server: losers, the dead, the undead."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator

import pytest

from dbt_mview.thrift import ThriftServer
from tests.support.project import Project, expire, stopped_at
from tests.support.session import Session

pytestmark = [pytest.mark.thrift, pytest.mark.in_turn]

# Sleeps in a task, and leaves the processor to the other tests: for longer than another run needs
# to begin, to take the lock and to publish where three tests share two busy processors (33 s were
# seen before it had the lock).
SLOW = "select java_method('java.lang.Thread', 'sleep', 75000L) as who from range(0, 1, 1, 1)"

# Costs a minute of computing for a row with n = 20000, and only where the value is needed:
# the stage holds keys alone, the MERGE computes the group again.
SLOW_GROUPS = (
    "select who, count(distinct levenshtein(repeat(who, n), repeat('x', 5 * n))) as n"
    " from {schema}.src group by who"
)


@pytest.fixture(scope="module")
def shared(server: ThriftServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One project on the server: parsing is what costs."""
    target = {"method": "thrift", "host": "127.0.0.1", "port": server.port}
    root = tmp_path_factory.mktemp("concurrency") / "p"
    project = Project(root, "concurrency", Session(server.port), target)
    project.sql("create schema @")
    yield project
    project.drop()


@pytest.fixture
def project(shared: Project) -> Project:
    """The shared project, its models gone, its source as every test expects it."""
    shared.forget()
    shared.sql("create or replace table @.src using delta as select 'first' as who")
    return shared


@pytest.fixture
def view(request: pytest.FixtureRequest) -> str:
    """A view name of the test's own."""
    return "v_" + "_".join(re.findall(r"\w+", request.node.name))[5:60].lower()


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that must not outlive their test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            process.kill()


def finish(process: subprocess.Popen[str]) -> str:
    """Lets a process go on to its end. Returns its output, on one line."""
    os.kill(process.pid, signal.SIGCONT)
    return " ".join(process.communicate(timeout=300)[0].split())


def refreshes(project: Project, view: str) -> list[str]:
    """The job ids of all refreshes that the view's Delta history holds."""
    metas = [commit.userMetadata or "" for commit in project.commits(view)]
    return [meta.split('"refresh_job_id": "')[1][:32] for meta in metas if "refresh_job_id" in meta]


@pytest.mark.always
def test_the_second_run_stops_at_once(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    project.model(view, f"select who from {project.schema}.src")
    first = stopped_at(project, "publish:before", "run")
    processes.append(first)
    second = project.run(expect=False)
    busy = f"is refreshing spark_catalog.{project.schema}.{view}"
    assert "another run (" in second.text(view) and busy in second.text(view)
    assert project.info(view).last_refresh_result == "running"
    assert "Completed successfully" in finish(first)
    assert project.rows(view) == [("first",)]
    assert [row.refresh_status for row in project.history(view)] == ["success"]


def test_a_run_skips_what_another_refreshes_or_waits_for_it(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    query = f"select who from {project.schema}.src"
    project.model(view, query, on_lock="skip")
    project.run()
    project.sql("update @.src set who = 'second'")
    first = stopped_at(project, "publish:before", "run")
    processes.append(first)
    assert "is refreshing it" in project.run().text(view)
    assert project.rows(view) == [("first",)]
    assert project.info(view).last_refresh_result == "running"
    project.model(view, query, on_lock="wait", lock_wait=1)
    assert "another run (" in project.run(expect=False).text(view)
    project.model(view, query, on_lock="wait", lock_wait=120)
    second = stopped_at(project, "nap:before", "run")
    processes.append(second)
    assert "Completed successfully" in finish(first)
    assert "SKIP nothing changed" in finish(second)
    assert project.rows(view) == [("second",)]


def test_two_runs_at_the_same_moment(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    project.model(view, f"select who, current_timestamp() as at from {project.schema}.src")
    project.run()
    pair = [stopped_at(project, "acquire:before", "run") for _ in range(2)]
    processes.extend(pair)
    for process in pair:
        os.kill(process.pid, signal.SIGCONT)
    outputs = [" ".join(process.communicate(timeout=180)[0].split()) for process in pair]
    winners = [output for output in outputs if "Completed successfully" in output]
    losers = [output for output in outputs if "Completed successfully" not in output]
    assert winners and all("another run (" in output for output in losers), outputs
    assert len(refreshes(project, view)) == 1 + len(winners)
    assert project.info(view).lock_owner is None


def test_eight_views_on_four_threads(project: Project) -> None:
    project.op("mview_info")
    before = project.sql("describe history @_mview.mview_refresh_info limit 1")[0].version
    for index in range(8):
        project.model(f"v{index}", f"select who, {index} as n from {project.schema}.src")
    outcome = project.run()
    assert {outcome.status[f"v{index}"] for index in range(8)} == {"success"}
    for index in range(8):
        info = project.info(f"v{index}")
        assert info.last_refresh_result == "success" and info.lock_owner is None
    after = project.sql("describe history @_mview.mview_refresh_info limit 1")[0].version
    assert after - before == 8 + 1, "eight locks and one commit for all outcomes"


def test_fast_on_a_server(project: Project, view: str) -> None:
    """A server sends maps as texts whose quotes are not escaped: commits are read all the same."""
    properties = "'delta.enableChangeDataFeed' = 'true', 'team' = 'me', 'note' = 'a, (b'"
    project.sql(f"alter table @.src set tblproperties ({properties})")
    query = f"select who, count(*) as n from {project.schema}.src group by who"
    project.model(view, query, refresh="fast", tblproperties={"delta.enableChangeDataFeed": True})
    project.run()
    for count in (2, 3):
        project.sql("insert into @.src values ('first')")
        assert "(aggregate delta, 1 changed rows)" in project.run().text(view)
        assert project.rows(view) == [("first", count)]
        assert project.info(view).last_refresh_type == "fast"
    assert project.run().text(view).startswith("SKIP")
    assert len(refreshes(project, view)) == 1, "the other two are in the conditions of a MERGE"


@pytest.mark.parametrize(
    "published",
    [False, pytest.param(True, marks=pytest.mark.always)],
)
def test_the_dead_are_recovered(
    project: Project, processes: list[subprocess.Popen[str]], view: str, published: bool
) -> None:
    """Killed with the lock in hand: refused until recovered; recorded if it had published."""
    project.model(view, f"select who from {project.schema}.src", unique_key="who")
    project.run()
    project.sql("update @.src set who = 'second'")
    dead = stopped_at(project, "publish:after" if published else "publish:before", "run")
    dead.kill()
    dead.wait()
    if published:
        for n in range(25):  # whatever came after it: OPTIMIZE, VACUUM, ALTER
            project.sql(f"alter table @.{view} set tblproperties ('n' = '{n}')")
        again = project.run()
        assert again.text(view).startswith("SKIP nothing changed")
    else:
        assert "another run (" in project.run(expect=False).text(view)
        assert project.rows(view) == [("first",)]
        assert "undid the unfinished refresh" in project.op("mview_recover", view=view).log
        assert project.info(view).lock_owner is None
        project.op("mview_recover", view=view)
        project.run()
    assert project.rows(view) == [("second",)]
    statuses = [row.refresh_status for row in project.history(view)]
    assert sorted(statuses) == (["success"] * 2 if published else ["failed", "success", "success"])
    assert project.info(view).last_refresh_result == "success"
    assert not project.sql("show tables in @_mview like 'mview_stage_*'")


def test_what_looked_first_replaces_nothing_newer(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """A failure before the lock and a skip, written after another run has refreshed the view."""
    project.model(view, f"select who from {project.schema}.src")
    project.run()
    project.sql(  # a skip is written once an hour
        "update @_mview.mview_refresh_info set last_refresh_time = last_refresh_time"
        f" - interval 1 hour where mview_id like '%.{view}'"
    )
    project.model(view, f"select who from {project.schema}.{view}")
    failed = stopped_at(project, "record:before", "run")
    processes.append(failed)
    project.model(view, f"select who from {project.schema}.src")
    skipped = stopped_at(project, "record:before", "run")
    processes.append(skipped)
    project.model(view, f"select upper(who) as who from {project.schema}.src")
    assert project.run().text(view).startswith("COMPLETE")
    newer = project.info(view)
    assert "the query reads the view itself" in finish(failed)
    assert "SKIP nothing changed" in finish(skipped)
    now = project.info(view)
    assert (now.last_refresh_result, now.last_refresh_type) == ("success", "complete")
    assert (now.last_refresh_time, now.failures) == (newer.last_refresh_time, None)
    assert project.run().text(view).startswith("SKIP")


@pytest.mark.parametrize(
    ("moment", "kind"),
    [
        # The guard is the same text in all three statements; a rename asks on its own.
        ("before", "insert"),
        ("before", "swap"),
        ("sent", "create"),
        ("sent", "insert"),
        ("sent", "replace"),
        ("sent", "merge"),
        ("sent", "swap"),
    ],
)
def test_the_undead_publish_nothing(
    project: Project,
    processes: list[subprocess.Popen[str]],
    view: str,
    kind: str,
    moment: str,
) -> None:
    """A run that outlives its lease, about to publish or in the middle of it, is fenced."""
    if kind == "swap":
        project.sql(f"create view @.{view} as select 'old' as who")
    elif kind == "merge":
        project.sql("create or replace table @.src using delta as select 'first' as who, 1 as n")
        project.sql("alter table @.src set tblproperties ('delta.enableChangeDataFeed' = 'true')")
        project.model(view, SLOW_GROUPS.format(schema=project.schema), refresh="fast")
        project.run()
        project.sql("insert into @.src values ('first', 20000)")
    elif kind != "create":
        project.model(view, f"select who from {project.schema}.src")
        project.run()
    slow = SLOW if moment == "sent" else f"select upper(who) as who from {project.schema}.src"
    if kind != "merge":
        project.model(view, slow, tblproperties={"a": "1"})
    args = ("run", "--full-refresh") if kind == "replace" else ("run",)
    zombie = stopped_at(project, f"publish:{moment}", *args)
    processes.append(zombie)
    expire(project, view)
    project.model(
        view,
        f"select distinct concat(who, '!') as who from {project.schema}.src",
        refresh="complete",
    )
    survivor = project.run()
    assert survivor.text(view).startswith("COMPLETE")
    output = finish(zombie)
    assert zombie.returncode != 0, output
    if moment == "before":
        assert "lock lost" in output, output
    assert project.rows(view) == [("first!",)]
    assert project.info(view).last_refresh_result == "success"
    assert project.info(view).lock_owner is None
    assert project.op("mview_verify", view=view).log.count("equal") == 1
    assert project.run().text(view).startswith("SKIP")
    assert not project.sql("show tables in @ like 'dbt_mview_*'")


def test_a_run_that_another_one_overtakes_skips(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """It began before the other one, and finds the view further than it would read itself."""
    project.model(view, f"select who from {project.schema}.src")
    project.run()
    project.sql("update @.src set who = 'second'")
    first = stopped_at(project, "acquire:before", "run")
    processes.append(first)
    project.sql("update @.src set who = 'third'")
    project.run()
    ahead = project.info(view)
    output = finish(first)
    read = project.sql("describe history @.src limit 1")[0].version
    further = f"{project.schema}.src v{read}, not v{read - 1}"
    said = f"SKIP another run has read further meanwhile: {further}"
    assert said in output and first.returncode == 0, output
    assert project.rows(view) == [("third",)]
    assert project.info(view) == ahead
    assert len(refreshes(project, view)) == 2


def test_the_doctor_of_a_server(project: Project) -> None:
    """All that it tries works, and nothing of it stays."""
    said = project.op("mview_doctor").log
    tried = [line for line in said.splitlines() if line.endswith("  ok")]
    assert len(tried) == said.count("mview_doctor tries") == 10, said
    assert stages(project) == set()


def stages(project: Project) -> set[str]:
    """The names of all stages."""
    return {row.tableName for row in project.sql("show tables in @_mview like 'mview_stage_*'")}


def test_a_stage_of_the_dead_that_is_finished_late_goes(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """Its run was killed and recovered while the server went on with the statement: what that makes
    is made by hand, because a statement that ends in the middle of the recovery makes nothing. A
    later run drops it when a lease has passed, and leaves alone what a run stages that goes on.
    """
    project.model(view, f"select who from {project.schema}.src", unique_key="who")
    dead = stopped_at(project, "stage:before", "run")
    dead.kill()
    dead.wait()
    job = project.info(view).refresh_job_id
    expire(project, view)
    assert "undid the unfinished refresh" in project.run().log
    late = f"{project.state}.mview_stage_{job}"
    project.sql(f"create table {late} using delta as select 'late' as who")
    project.model("live", f"select who from {project.schema}.src", unique_key="who")
    live = stopped_at(project, "publish:before", "run", "--select", "live")
    processes.append(live)
    others = {f"mview_stage_{project.info('live').refresh_job_id}"}
    assert stages(project) == others | {f"mview_stage_{job}"}
    assert project.run(view).text(view).startswith("SKIP")
    assert len(stages(project)) == 2, "no lease has passed"
    outcome = project.run(view, args=("--vars", "{dbt_mview:lease_seconds: 1}"))
    assert "dropped 1 stage that dead runs left" in outcome.log
    assert stages(project) == others, "older than that lease, but a lock names it"
    assert "Completed successfully" in finish(live)
    assert project.rows("live") == project.rows(view) == [("first",)]
    assert stages(project) == set()


def a_log(project: Project, view: str) -> str:
    """A table with an unread change, and a log of it that has begun. Returns the log's name."""
    base = f"{view}_base"
    project.sql(f"create or replace table @.{base} using delta as select 1 as id")
    log = f"select id from {project.schema}.{base}"
    project.model(view, log, materialized="materialized_view_log")
    project.run()
    project.sql(f"insert into @.{base} values (2), (3)")
    return base


def captured(project: Project, view: str) -> list[int]:
    """The ids that a log holds, with as many copies as it holds them."""
    return [row.id for row in project.sql(f"select id from @.{view} order by id")]


def test_two_captures_at_the_same_moment(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """Each change is captured once, though one capture knows of more than the other."""
    base = a_log(project, view)
    first = stopped_at(project, "capture:before", "run")
    processes.append(first)
    project.sql(f"insert into @.{base} values (4)")
    second = stopped_at(project, "capture:before", "run")
    processes.append(second)
    for process in (first, second):
        os.kill(process.pid, signal.SIGCONT)
    outputs = [" ".join(process.communicate(timeout=180)[0].split()) for process in processes]
    assert all("Completed successfully" in output for output in outputs), outputs
    project.run()
    assert captured(project, view) == [2, 3, 4]


@pytest.mark.parametrize(
    "point",
    [
        "capture:before",
        "capture:after",
        "start_log:after",
    ],
)
def test_a_capture_is_killed(
    project: Project, processes: list[subprocess.Popen[str]], view: str, point: str
) -> None:
    """The next run captures what is missing, and nothing twice."""
    base = a_log(project, view)
    args = ("run", "--full-refresh") if point.startswith("start_log") else ("run",)
    dead = stopped_at(project, point, *args)
    dead.kill()
    dead.wait()
    kept = [] if point.startswith("start_log") else [2, 3]
    assert captured(project, view) == (kept if point == "capture:after" else [])
    project.sql(f"insert into @.{base} values (4)")
    project.run()
    assert captured(project, view) == [*kept, 4]


def a_purge(project: Project, view: str) -> tuple[str, ...]:
    """A log of three versions, and a view that has read the first. Returns dbt's arguments."""
    base = a_log(project, view)
    project.run()
    project.model(f"{view}_mv", f"select id from {project.schema}.{base}", unique_key="id")
    project.run(f"{view}_mv")
    for number in (4, 5):
        project.sql(f"insert into @.{base} values ({number})")
    project.run(view)
    return ("run-operation", "mlog_purge", "--args", f"{{log: {view}, batch_size: 1}}")


def purges(project: Project, view: str) -> list[str]:
    """How the purges of a log ended, oldest first."""
    rows = project.sql(
        "select purge_status from @_mview.mlog_purge_hist"
        f" where mlog_id like '%.{view}' order by purge_time"
    )
    return [row.purge_status for row in rows]


def test_a_purge_is_killed(project: Project, view: str) -> None:
    """What the view needs is there, and the next purge ends what the dead one began."""
    dead = stopped_at(project, "purge_batch:after", *a_purge(project, view))
    dead.kill()
    dead.wait()
    assert set(captured(project, view)) >= {4, 5}
    assert "is purging" in project.op("mlog_purge", expect=False, log=view).log
    project.sql(
        "update @_mview.mlog_purge_info set lease_until = current_timestamp() - interval 1 second"
        f" where mlog_id like '%.{view}'"
    )
    project.op("mlog_purge", log=view)
    assert captured(project, view) == [4, 5]
    assert purges(project, view) == ["failed", "success"]
    project.run(f"{view}_mv")
    project.op("mlog_purge", log=view)
    assert captured(project, view) == []
    assert project.op("mview_verify", view=f"{view}_mv").log.count("equal") == 1


def test_a_purge_beside_a_capture_a_refresh_and_a_purge(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """It deletes what it set out to delete; the others neither wait nor lose a row."""
    args = a_purge(project, view)
    purge = stopped_at(project, "purge_batch:before", *args)
    processes.append(purge)
    assert "is purging" in project.op("mlog_purge", expect=False, log=view).log
    project.sql(f"insert into @.{view}_base values (6)")
    project.run(view)
    project.run(f"{view}_mv")
    output = finish(purge)
    assert purge.returncode == 0, output
    assert captured(project, view) == [4, 5, 6] and purges(project, view) == ["success"]
    assert project.op("mview_verify", view=f"{view}_mv").log.count("equal") == 1


@pytest.mark.parametrize(
    "point",
    [
        "decide:after",
        "decide:before",
        "publish:after",
    ],
)
def test_a_group_whose_run_dies(
    project: Project, processes: list[subprocess.Popen[str]], view: str, point: str
) -> None:
    """All members old before the decision, all new after it."""
    names = [f"{view[-40:]}_{n}" for n in (1, 2)]
    for name in names:
        project.model(name, f"select who from {project.schema}.src", refresh_group=view)
    project.run()
    project.sql("update @.src set who = 'second'")
    dead = stopped_at(project, point, "run")
    dead.kill()
    dead.wait()
    for name in names:
        project.op("mview_recover", view=name)
    now = "first" if point == "decide:before" else "second"
    assert [project.rows(name) for name in names] == [[(now,)], [(now,)]]
    assert {project.info(name).lock_owner for name in names} == {None}
    skips = [text.startswith("SKIP") for text in map(project.run().text, names)]
    assert skips == [now == "second"] * 2
    assert [project.rows(name) for name in names] == [[("second",)], [("second",)]]
    assert [len(refreshes(project, name)) for name in names] == [2, 2]


def test_a_takeover_that_fails_gives_the_lock_back(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """What a dead run decided cannot be published: the row tells of it as it did, however often
    others try, and --full-refresh is the way out.
    """
    names = [f"{view[-40:]}_{n}" for n in (1, 2)]
    awkward = "'it\\'s \"${x}\"\\n\\u00e9'"
    for name in names:
        query = f"select who, {awkward} as said from {project.schema}.src"
        project.model(name, query, refresh_group=view)
    project.run()
    project.sql("update @.src set who = 'second'")
    dead = stopped_at(project, "decide:after", "run")
    dead.kill()
    dead.wait()
    before = {name: project.info(name) for name in names}
    for (stage,) in [
        row[1:2] for row in project.sql("show tables in @_mview like 'mview_stage_*'")
    ]:
        project.sql(f"drop table @_mview.`{stage}`")
    for _ in range(2):
        for name in names:
            expire(project, name)
        assert "mview_stage_" in project.run(expect=False).log
        for name in names:
            now, was = project.info(name), before[name]
            assert now.lock_token > was.lock_token and now.last_refresh_result == "failed"
            assert json.loads(now.intent) == json.loads(was.intent)
            for column in ("refresh_job_id", "lock_owner", "lock_time"):
                assert getattr(now, column) == getattr(was, column), column
            assert project.sql(
                "select lease_until <= current_timestamp() from @_mview.mview_refresh_info"
                f" where mview_id = 'spark_catalog.{project.schema}.{name}'"
            )[0][0]
    project.run(args=("--full-refresh",))
    assert [project.info(name).lock_owner for name in names] == [None, None]
    assert [project.rows(name)[0][0] for name in names] == ["second", "second"]


def test_a_group_that_is_taken_over_after_its_decision(
    project: Project, processes: list[subprocess.Popen[str]], view: str
) -> None:
    """Its own run wakes up when all is published: it publishes nothing a second time."""
    project.sql("alter table @.src set tblproperties ('delta.enableChangeDataFeed' = 'true')")
    names = [f"{view[-40:]}_{n}" for n in (1, 2)]
    query = f"select who, count(*) as n from {project.schema}.src group by who"
    for name in names:
        project.model(name, query, refresh="fast", refresh_group=view)
    project.run()
    project.sql("insert into @.src values ('first')")
    slow = stopped_at(project, "publish:before", "run")
    processes.append(slow)
    for name in names:
        assert "published and recorded" in project.op("mview_recover", view=name).log
    assert [project.rows(name) for name in names] == [[("first", 2)], [("first", 2)]]
    assert "lock lost" in finish(slow)
    assert [project.rows(name) for name in names] == [[("first", 2)], [("first", 2)]]
    assert {project.info(name).last_refresh_result for name in names} == {"success"}
