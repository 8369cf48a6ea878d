"""Two at once: every order of a command and what somebody else does to its tables.

make crash CRASH=meetings                                  all of them
make crash CRASH="TestTwoRefreshes and publish-over-fence" one of them
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest

from dbt_mview.thrift import ThriftServer
from tests.crash import invariants, lake, meetings
from tests.crash.death import Death, Way
from tests.crash.meetings import BASE, TOUCHING, OnMovingBase, Schedule, Twins, schedules
from tests.crash.play import LOSES
from tests.crash.process import Ended, Running
from tests.crash.scenes import Scene, on_server

pytestmark = pytest.mark.crash


@pytest.fixture(scope="module")
def scene_of(
    server: ThriftServer, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Scene]:
    """The scenes, each begun when its first schedule asks for it."""
    begun: dict[str, Scene] = {}
    count = itertools.count()

    def scene(name: str) -> Scene:
        if name not in begun or begun[name].broken:
            root = tmp_path_factory.mktemp("meetings") / "p"
            project = on_server(server, root, f"meet_{name.lower()}_{next(count)}")
            begun[name] = getattr(meetings, name)(project, server.home / "warehouse")
            begun[name].begin()
        return begun[name]

    return scene


def standing(scene: Scene, args: tuple[str, ...], point: str) -> Running:
    """A command that stands still before this statement."""
    running = scene.launch(*args, death=Death(point, Way.STANDS))
    running.stands()
    return running


def woken(running: Running) -> Ended:
    """How a command ends that stood still."""
    running.go_on()
    return running.end()


def beside_a_statement(scene: OnMovingBase, schedule: Schedule) -> None:
    """A refresh, and one statement on its base in the middle of it."""
    assert schedule.other is not None
    statement = BASE[schedule.other]
    scene.broken = True
    scene.reset()
    before, since = (lake.version(scene.place(table)) for table in ("src", "v"))
    old, read = scene.seen(), scene.expected("v")
    first = standing(scene, scene.args, schedule.point)
    for text in statement.sql:
        scene.sql(text.format(turn=scene.turn, before=before - 1))
    ended = woken(first)
    assert ended.success or not statement.must_succeed(schedule.point), ended.log
    invariants.nothing_is_denied(scene, ended)
    invariants.readers_saw_nothing_else(scene, {"v": since}, [old, scene.seen()])
    if ended.success:
        (row,) = scene.state("mview_refresh_info", "v")
        at = row["sources"][0]["version"]
        assert at >= before, row
        if statement.forgets and at == before:
            assert scene.seen_of("v") == read
        else:
            invariants.all_is_well(scene)
    else:
        assert scene.seen() == old, ended.log
    if statement.spoils or not ended.success:
        scene.mend()
        invariants.all_is_well(scene)
    scene.broken = False


def beside_its_like(scene: Twins, schedule: Schedule) -> None:
    """Two commands: one wins, or both; nobody is wrong about it."""
    scene.broken = True
    scene.reset()
    old, new = scene.seen(), {table: scene.expected(table) for table in scene.watched}
    since = {view: lake.version(scene.place(view)) for view in scene.views}
    first = standing(scene, scene.args, schedule.point)
    if schedule.over:
        scene.free(recover=False)
    if schedule.then:
        second = standing(scene, scene.other, schedule.then)
        one, two = woken(first), woken(second)
    else:
        two = scene.dbt(*scene.other, ok=None)
        one = woken(first)
    for ended in (one, two):
        told_why(scene, ended)
    assert one.success or two.success, one.log + two.log
    pictures = scene.allowed(old, new)
    seen = invariants.nothing_is_torn(scene, pictures)
    assert seen == scene.goal(old, new), f"{seen}\n{one.log}{two.log}"
    invariants.readers_saw_nothing_else(
        scene, {view: since[view] for view in scene.views if view in scene.watched}, pictures
    )
    invariants.all_is_well(scene)
    invariants.nothing_more_happens(scene)
    scene.broken = False


def told_why(scene: Scene, ended: Ended) -> None:
    """Who loses says why, and has published nothing."""
    if not ended.success:
        assert any(reason in ended.log for reason in LOSES), ended.log
        for view in scene.views:
            denied = ended.published & set(lake.refreshes(scene.place(view)))
            assert not denied, f"published, and said it had lost\n{ended.log}"


class Meetings:
    """The schedules of one scene."""

    def test_schedule(self, schedule: Schedule, scene_of: Callable[[str], Scene]) -> None:
        """Right whoever comes first."""
        scene = scene_of(schedule.scene)
        if isinstance(scene, OnMovingBase):
            beside_a_statement(scene, schedule)
        else:
            assert isinstance(scene, Twins)
            beside_its_like(scene, schedule)


@pytest.mark.parametrize("name", TOUCHING)
def test_all_that_touches_the_base(name: str, scene_of: Callable[[str], Scene]) -> None:
    """To stand still before any other statement is the same as before the next of these."""
    scene = scene_of(name)
    scene.reset()
    told = scene.dbt(*scene.args).told
    touching = [one["point"] for one in told if re.search(r"\bsrc\b", one["sql"])]
    # The texts that state keeps name the base, and do not read it.
    state = ("acquire", "record", "record.2")
    assert " ".join(one for one in touching if one not in state) == TOUCHING[name]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each scene has its own schedules."""
    if "schedule" in metafunc.fixturenames:
        mine = [one for one in schedules() if one.scene == metafunc.cls.scene]
        marked = [pytest.param(one, id=one.name) for one in mine]
        metafunc.parametrize("schedule", marked)


# A class for each scene: all schedules of one stay on one engine.
for _scene in dict.fromkeys(one.scene for one in schedules()):
    globals()[f"Test{_scene}"] = type(f"Test{_scene}", (Meetings,), {"scene": _scene})
