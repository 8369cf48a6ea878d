"""One cell from its beginning to its end."""

from __future__ import annotations

from tests.crash import invariants, lake
from tests.crash.death import KILLED, Death, Way
from tests.crash.process import Ended
from tests.crash.scenes import Scene

# What those are told who were not quick enough: to run again is all that is to be done.
LOSES = ("another run (", "lock lost", "lock conflict")


def in_end_hook(scene: Scene, ended: Ended, point: str) -> bool:
    """Whether what fails is the hook itself that would free the locks."""
    points = [point for point, _ in ended.points]
    bad = scene.fails and "publish" in points
    last = points.index("publish") if bad else len(points)
    return point.startswith("record") or point in points[last + 1 :]


def leaves_traces(death: Death) -> bool:
    """Whether no other cell can be played after this one: where a publish is there twice, the
    history of the view says so for ever."""
    return death.way == Way.TWICE and death.point.startswith("publish")


def play(scene: Scene, death: Death) -> None:
    """The scene's command meets its death, is repaired and repeated; all invariants are checked.

    Raises:
        AssertionError: one does not hold, or the point was not reached. The scene is broken then.
    """
    scene.broken = True
    scene.reset()
    old = scene.seen()
    since = {view: lake.version(scene.place(view)) for view in scene.views if view in old}
    new = {} if scene.fails else {table: scene.expected(table) for table in scene.watched}
    pictures = scene.allowed(old, new)

    ended = scene.dbt(*scene.args, death=death, ok=None)
    assert ended.reached, f"{death.point} was not reached\n{ended.log}"
    assert death.way == Way.HURRY or ended.killed == (death.way in KILLED), ended.log
    twice = death.way == Way.TWICE
    # A rename cannot be sent twice: a name that is gone is gone.
    assert ended.success or scene.fails or not twice or "swap" in death.point, ended.log
    seen = invariants.nothing_is_torn(scene, pictures)
    assert not ended.success or seen == scene.goal(old, new), f"a success, and {seen}"
    invariants.nothing_is_denied(scene, ended)

    in_hook = in_end_hook(scene, ended, death.point)
    # After Ctrl-C dbt runs no end hook; the lease is waited for, as after a kill.
    stopped = ended.killed or death.way in (Way.CTRL_C, Way.HURRY)
    if not stopped and scene.args == ("run",) and not in_hook:
        leased = [view for view in scene.views if scene.is_leased(view)]
        assert not leased, f"dbt ended, and left leases of {leased}\n{ended.log}"

    recover = len(death.point + death.way) % 2 == 0
    scene.free(recover)
    invariants.nothing_is_torn(scene, scene.settled(old, new) if recover else pictures)
    scene.broken = leaves_traces(death)
    good = invariants.is_made_good(scene, twice=scene.broken)
    invariants.readers_saw_nothing_else(scene, since, [*pictures, good])
