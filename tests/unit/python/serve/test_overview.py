"""What is shown of each view and log: of this node, of others, of other projects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve import overview
from dbt_mview.serve.core import Core
from dbt_mview.serve.log_state import Detail
from dbt_mview.serve.project import Project, Table, Tables
from dbt_mview.serve.report import ViewLine
from dbt_mview.serve.ring import Ring
from dbt_mview.serve.times import MINUTE, SECOND, Hold

NOW = 1_800_000_000 * SECOND
HOUR = 60 * MINUTE


def project(*models: m.Model) -> Project:
    tables = Tables(Table("views", None), None)
    known = {model.id: model for model in models}
    selects = {id_: f"shop.{id_}" for id_ in known}
    return Project("shop", "dev", "thrift", {}, known, selects, {}, {}, {}, tables, 3, 3600, NOW)


def seen(
    *rows: m.Row, models: tuple[m.Model, ...] = (), nodes: tuple[str, ...] = ("a",), **more: Any
) -> overview.Seen:
    """What node a sees of views that are models, unless they are given."""
    settings = more.pop("settings", m.Settings(broken_after=3))
    core = Core("a", "boot", settings)
    models = models or tuple(m.Model(row.id) for row in rows)
    known = {model.id: model for model in models}
    # While memory is short, what is due is queued, and nothing starts.
    is_high = more.pop("is_memory_high", False)
    beats = m.Beats(0, dict.fromkeys(nodes, 0))
    core.step(0, [beats, m.Project(known), m.Memory(is_high)])
    actions = core.step(1, [])
    fetch = next((one for one in actions if isinstance(one, m.Fetch)), m.Fetch(1, True))
    core.step(2, [m.Fetched(fetch.number, rows, True, clock=m.Clock(NOW, 2))])
    core.step(3, more.pop("events", []))
    given = {"running": (), "problems": {}, "details": {}, **more}
    return overview.Seen(core, project(*models), {row.id: row for row in rows}, now=NOW, **given)


def line(found: overview.Seen, id_: str = "v") -> ViewLine:
    return next(one for one in overview.view_lines(found) if one.id == id_)


def elsewhere(id_: str = "v") -> str:
    """A node such that the ring gives it a unit, and not a."""
    names = (f"n{number}" for number in range(100))
    return next(name for name in names if Ring(("a", name)).owner(id_) == name)


def test_one_that_is_not_due_is_idle() -> None:
    found = line(seen(m.Row("v", 1, NOW + HOUR, ended=5, took=2.5)))
    assert (found.condition, found.due, found.late) == ("idle", NOW + HOUR, 0.0)
    assert (found.node, found.model, found.unit, found.ended) == ("a", "shop.v", "v", 5)
    assert (found.took, found.problem, found.kind, found.priority) == (2.5, "", "view", 3)


def test_one_that_is_due_runs_or_is_queued() -> None:
    row = m.Row("v", 1, NOW - MINUTE)
    running, queued = line(seen(row)), line(seen(row, is_memory_high=True))
    assert (running.condition, running.late) == ("running", 0.0)
    assert (queued.condition, queued.late) == ("queued", 60.0)


def test_one_that_waits_for_its_parent_is_waiting() -> None:
    models = (m.Model("p"), m.Model("v", parents=("p",)))
    rows = (m.Row("p", 1, NOW - MINUTE, took=1.0), m.Row("v", 1, NOW - MINUTE, took=300.0))
    found = line(seen(*rows, models=models))
    assert (found.condition, found.late) == ("waiting", 60.0)


def test_one_that_is_paused_or_broken_is_never_due() -> None:
    paused = line(seen(m.Row("v", 1, NOW - MINUTE, paused_time=NOW - HOUR)))
    assert (paused.condition, paused.due, paused.late) == ("paused", None, 0.0)
    assert paused.paused_time == NOW - HOUR
    row = m.Row("v", 1, NOW - MINUTE, failures=3)
    broken = line(seen(row, problems={"v": "division by zero"}))
    assert (broken.condition, broken.due, broken.failures) == ("broken", None, 3)
    assert broken.problem == "division by zero", "BROKEN comes with its last failure"
    assert broken.paused_time is None


def test_a_member_of_a_group_is_paused_since_another_one_is() -> None:
    models = (m.Model("v", group="g"), m.Model("w", group="g"))
    rows = (m.Row("v", 1, NOW - MINUTE), m.Row("w", 1, NOW - MINUTE, paused_time=NOW - HOUR))
    found = line(seen(*rows, models=models))
    assert (found.condition, found.paused_time) == ("paused", NOW - HOUR)


def test_one_that_is_held_says_so() -> None:
    hold = Hold("* * * * *", "UTC", HOUR)
    row = m.Row("v", 1, NOW - MINUTE)
    held = line(seen(row, settings=m.Settings(holds=(hold,))))
    assert (held.condition, held.due, held.late) == ("held", NOW - MINUTE, 60.0)
    later = line(seen(replace(row, next_time=NOW + HOUR), settings=m.Settings(holds=(hold,))))
    assert later.condition == "idle"


def test_one_that_listens_is_due_when_a_source_changes() -> None:
    row = m.Row("v", 1, NOW - HOUR, at_most_every=MINUTE)
    idle = line(seen(row))
    assert (idle.condition, idle.due) == ("idle", None)
    assert line(seen(replace(row, next_time=NOW + HOUR))).due == NOW + HOUR
    queued = line(seen(row, events=[m.SourcesChanged(("v",))], is_memory_high=True))
    assert (queued.condition, queued.late) == ("queued", 0.0), "since when is not known"
    retried = line(seen(replace(row, failures=1, retry_time=NOW + MINUTE)))
    assert NOW + MINUTE <= (retried.due or 0) <= NOW + 2 * MINUTE


@pytest.mark.parametrize(
    ("row", "condition", "due"),
    [
        (m.Row("v", 1, NOW + HOUR), "idle", NOW + HOUR),
        (m.Row("v", 1, None), "idle", None),
        (m.Row("v", 1, NOW - HOUR, paused_time=7), "paused", None),
        (m.Row("v", 1, NOW - HOUR, failures=3), "broken", None),
        (m.Row("v", 1, NOW - HOUR, at_most_every=MINUTE), "idle", None),
        (m.Row("v", 1, NOW - HOUR), "unknown", NOW - HOUR),
    ],
)
def test_of_another_node_s_state_says_what_it_can(
    row: m.Row, condition: str, due: int | None
) -> None:
    found = line(seen(row, nodes=("a", elsewhere())))
    assert (found.condition, found.due) == (condition, due)
    assert found.node == elsewhere()
    running = line(seen(row, nodes=("a", elsewhere()), running=("v",)))
    assert running.condition == "running"


def test_a_pool_of_fewer_slots_than_nodes_is_one_node_s() -> None:
    other = elsewhere("small")
    settings = m.Settings(pools={"small": 1})
    names = [f"v{number}" for number in range(20)]
    models = tuple(m.Model(name, pool="small") for name in names)
    found = seen(
        *(m.Row(name, 1, NOW + HOUR) for name in names),
        models=models,
        nodes=("a", other),
        settings=settings,
    )
    assert {one.node for one in overview.view_lines(found)} == {other}
    assert {one.pool for one in overview.view_lines(found)} == {"small"}


def test_one_of_another_project_is_listed_only() -> None:
    details = {"w": Detail("log", '{"every": 60}', "")}
    found = line(seen(m.Row("w", 1, NOW - HOUR), models=(m.Model("v"),), details=details), "w")
    assert (found.model, found.node, found.condition, found.kind) == (None, None, "idle", "log")
    assert found.schedule == '{"every": 60}'


def test_one_that_was_never_built_says_how_it_is() -> None:
    found = line(seen(models=(m.Model("v", kind="log"),)))
    assert (found.condition, found.due, found.kind) == ("unknown", None, "log")
    assert found.problem == "never built: dbt run --select shop.v"


def test_a_group_is_one_unit() -> None:
    models = (m.Model("v", group="both"), m.Model("w", group="both", priority=5))
    rows = (m.Row("v", 1, NOW - MINUTE), m.Row("w", 1, NOW + HOUR))
    lines = overview.view_lines(seen(*rows, models=models))
    assert [(one.unit, one.condition) for one in lines] == [("group:both", "running")] * 2


def test_problems() -> None:
    failed = m.Row("v", 1, NOW + HOUR, retry_time=NOW + MINUTE, failures=2)
    assert line(seen(failed)).problem == "2 failures: mview_info has the last one"
    assert line(seen(failed, problems={"v": "no such table"})).problem == "no such table"
    fine = m.Row("v", 1, NOW + HOUR)
    assert line(seen(fine, problems={"v": "no such table"})).problem == "", "it is over"
    cron = m.Row("v", 1, None, cron=m.Cron("0 0 30 2 *", "UTC"))
    assert "Bad day" in line(seen(cron)).problem


def test_what_is_wrong_with_state_is_named() -> None:
    details = {"v": Detail("view", "{every", "", "no JSON"), "(views without an id)": Detail(
        "view", "", "", "nobody's: 1"), "w": Detail("log", "", "")}  # fmt: skip
    found = seen(m.Row("v", 1, None), details=details)
    assert line(found).problem == "no JSON"
    nobodys = line(found, "(views without an id)")
    assert (nobodys.problem, nobodys.condition, nobodys.node) == ("nobody's: 1", "idle", None)
    assert {one.id for one in overview.view_lines(found)} == {"v", "(views without an id)"}


def test_a_pool_that_is_none_is_named() -> None:
    models = (m.Model("v", pool="large"), m.Model("w", pool="small"))
    rows = (m.Row("v", 1, NOW + HOUR), m.Row("w", 1, NOW + HOUR))
    found = seen(*rows, models=models, settings=m.Settings(pools={"small": 1}))
    assert line(found).problem.startswith("pool 'large' is none of those in dbt_mview.yml")
    assert line(found, "w").problem == ""


def test_what_is_due_first_comes_first() -> None:
    rows = (m.Row("b", 1, None), m.Row("z", 1, NOW + 1), m.Row("a", 1, NOW + 2))
    assert [one.id for one in overview.view_lines(seen(*rows))] == ["z", "a", "b"]
