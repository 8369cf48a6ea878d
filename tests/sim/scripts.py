"""What happens to a pretended cluster: one thing after the other, and small ones at any time.

Each function of `LARGE` disturbs the cluster, undoes it later, and returns how long it takes; while
it lasts, and until all could have recovered, lateness has an excuse. What is in `SMALL` excuses
nothing but the view it happens to. At the end nothing happens, so that all becomes fresh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dbt_mview.serve import messages as m
from dbt_mview.serve.times import MINUTE, SECOND
from tests.sim.world import HOUR, RECOVERY, TIMEOUT, Node, Record, Scene, World


def scripted(scene: Scene) -> World:
    """A world with its script."""
    world = World(scene)
    if not scene.is_calm:
        calm_from = world.end - max(50 * MINUTE, world.end // 8)
        world.at(10 * MINUTE, large, world, calm_from)
        world.at(12 * MINUTE, small, world, calm_from)
        for name in world.samples[::50] if not scene.only else ():
            if world.models[name].group is None and not world.records[name].is_bad_plan:
                world.at(20 * MINUTE, kills, world, world.records[name])
    return world


def large(world: World, until: int) -> None:
    """The next large thing, and the one after it."""
    if world.now < until:
        chosen = [one for one in LARGE if not world.scene.only or one.__name__ in world.scene.only]
        lasts = 0
        if chosen:
            happens = world.random.choice(chosen)
            world.note(happens.__name__)
            world.large += 1
            lasts = happens(world)
            # A dead node excuses nothing once the others have its share.
            world.disturb(0 if happens is node_dies else lasts)
        world.after(lasts + world.random.randrange(3 * MINUTE, 80 * MINUTE), large, world, until)


def small(world: World, until: int) -> None:
    """The next small thing."""
    if world.now < until:
        record = world.records[world.random.choice(list(world.samples))]
        chosen = [one for one in SMALL if not world.scene.only or one.__name__ in world.scene.only]
        if chosen and not record.is_gone and not record.is_bad_plan:
            happens = world.random.choice(chosen)
            world.note(happens.__name__, record.id)
            happens(world, record)
        world.after(world.random.randrange(MINUTE, 30 * MINUTE), small, world, until)


def some_node(world: World) -> Node:
    """A node that lives, and that is not the only one."""
    alive = [one for one in world.nodes if one.core is not None and not one.is_stopped]
    return world.random.choice(alive)


# Large


def node_dies(world: World) -> int:
    """kill -9; it is started again later, and may take long to load its project."""
    node = some_node(world)
    lasts = world.random.randrange(SECOND, 20 * MINUTE)
    loads = world.random.choice((2 * SECOND, 20 * SECOND, 10 * MINUTE))
    world.die(node)
    world.after(lasts, world.boot, node, loads)
    return lasts + loads


def node_stops(world: World) -> int:
    """SIGSTOP for a minute: the others take over, and its own refreshes have lost their locks."""
    node = some_node(world)
    world.freeze(node)
    world.after(MINUTE, world.thaw, node)
    return MINUTE


def node_drains(world: World) -> int:
    """SIGTERM, sometimes twice; then it is started anew."""
    node = some_node(world)
    world.step(node, m.Stop())
    if world.random.random() < 0.5:
        world.after(5 * SECOND, world.step, node, m.Stop())
    world.after(3 * MINUTE, start_anew, world, node)
    return 4 * MINUTE


def start_anew(world: World, node: Node) -> None:
    """As soon as it has stopped."""
    if node.core is None:
        world.boot(node)
    else:
        world.after(MINUTE, start_anew, world, node)
    world.disturb(MINUTE)


def engine_gone(world: World) -> int:
    """The engine is gone: what runs fails as a whole, nothing can be settled."""
    lasts = world.random.randrange(5 * SECOND, 10 * MINUTE)
    world.is_engine_up = False
    for node in world.nodes:
        for job in list(node.jobs.values()):
            world.after(world.random.randrange(5 * SECOND), world.go_on_or_fail, job)
    world.after(lasts, engine_back, world)
    # Probes come each minute at last.
    return lasts + 2 * MINUTE


def engine_back(world: World) -> None:
    """It is there again."""
    world.is_engine_up = True
    world.note("engine back")


def database_gone(world: World) -> int:
    """PostgreSQL is gone: no heartbeats; the last ring goes on, and nobody is called stale."""
    lasts = world.random.randrange(20 * SECOND, 5 * MINUTE)
    world.is_database_up = False
    world.watch()
    world.watched_until = max(world.watched_until, world.now + lasts + 2 * MINUTE)
    rings = {node.name: node.core.ring for node in world.nodes if node.core}
    world.after(lasts, database_back, world, rings, world.large)
    return 0


def database_back(world: World, rings: dict[str, object], number: int) -> None:
    """It is there again: nobody has moved, now or a minute later."""
    world.is_database_up = True
    world.note("database back")
    for wait in (0, 20 * SECOND, MINUTE):
        world.after(wait, same_rings, world, rings, number)


def same_rings(world: World, rings: dict[str, object], number: int) -> None:
    """Nothing has moved, unless another large thing has happened since the one of this number."""
    for node in world.nodes if world.large == number else ():
        core = node.core
        if core is not None and node.name in rings and core.ring is not rings[node.name]:
            world.broken(f"{node} has another ring: {core.ring.nodes if core.ring else ()}")


def partition(world: World) -> int:
    """A node is cut off from the database, not from the engine: two try, one gets the lock."""
    node = some_node(world)
    lasts = world.random.randrange(5 * SECOND, 5 * MINUTE)
    node.is_cut = True
    world.watch()
    world.watched_until = max(world.watched_until, world.now + lasts + 2 * MINUTE)
    world.after(lasts, heal, world, node)
    return lasts + MINUTE


def heal(world: World, node: Node) -> None:
    """It reaches the database again."""
    node.is_cut = False
    world.note("healed", node.name)


def clock_jumps(world: World) -> int:
    """The engine's clock is another one's by up to five minutes, and later the first again."""
    skew = world.random.choice((-5, -1, 1, 5)) * MINUTE
    world.skew += skew
    world.skewed_at = world.now
    world.after(20 * MINUTE, jump_back, world, skew)
    # What began to wait for its parent by the other clock may wait for a quarter of an hour.
    return 20 * MINUTE + 16 * MINUTE


def jump_back(world: World, skew: int) -> None:
    """The first clock again."""
    world.skew -= skew
    world.skewed_at = world.now
    world.note("clock is back")


def fetches_fail(world: World) -> int:
    """A node cannot read state: what it knows goes on."""
    node = some_node(world)
    lasts = world.random.randrange(SECOND, 5 * MINUTE)
    node.is_blind = True
    world.after(lasts, see, node)
    return lasts + MINUTE


def see(node: Node) -> None:
    """It reads state again."""
    node.is_blind = False


def fetches_lag(world: World) -> int:
    """What a node reads is applied late: a run may have ended meanwhile."""
    node = some_node(world)
    node.lag = world.random.randrange(SECOND, 25 * SECOND)
    world.after(10 * MINUTE, no_lag, node)
    for wait in range(1, 60):
        world.after(wait * 7 * SECOND, world.step, node, m.Set(world.settings))
    return 11 * MINUTE


def no_lag(node: Node) -> None:
    """Quick again."""
    node.lag = 0


def reload(world: World) -> int:
    """The project changes: first it does not parse, then some timeouts and a parent are others."""
    for node in world.nodes:
        world.step(node, m.ProjectFailed())
    world.is_parsed = False
    world.models = dict(world.models)
    for name in world.samples[::20]:
        world.models[name] = replace(world.models[name], timeout=TIMEOUT + MINUTE)
        world.records[name].model = world.models[name]
    world.after(MINUTE, parsed, world)
    return MINUTE


def parsed(world: World) -> None:
    """It parses again."""
    world.is_parsed = True
    for node in world.nodes:
        world.step(node, m.Project(world.models))


def settings(world: World) -> int:
    """More or fewer workers, live."""
    usual = world.scene.workers
    workers = world.random.choice((usual // 2, usual, usual * 2))
    world.settings = replace(world.settings, workers=workers)
    for node in world.nodes:
        if node.core is not None:
            world.note_full(node, node.core)  # up to now: it may have more slots from now on
        world.step(node, m.Set(world.settings))
    return RECOVERY


def memory(world: World) -> int:
    """A node's memory is short: it starts nothing for a minute."""
    node = some_node(world)
    world.step(node, m.Memory(True))
    world.after(MINUTE, world.step, node, m.Memory(False))
    return MINUTE


LARGE: tuple[Callable[[World], int], ...] = (
    node_dies,
    node_stops,
    node_drains,
    engine_gone,
    database_gone,
    partition,
    clock_jumps,
    fetches_fail,
    fetches_lag,
    reload,
    settings,
    memory,
)


# Small


def fails(world: World, record: Record) -> None:
    """Its next refreshes fail."""
    record.failing += world.random.choice((1, 2, 3))


def breaks(world: World, record: Record) -> None:
    """It fails until it is broken, and is reset an hour later."""
    record.failing += 20
    world.after(2 * HOUR, resets, world, record)


def resets(world: World, record: Record) -> None:
    """`mview_reset`."""
    record.failing = record.failures = 0
    record.scripted = int(record.kills > 0)  # it will be charged for those yet
    record.retry_time = None
    world.change(record)


def kills(world: World, record: Record) -> None:
    """Its next three refreshes kill their processes; then it is charged, once, with its group."""
    record.kills = 3
    for one in world.units[record.model.unit]:
        one.scripted += 1
    world.disturb(3 * MINUTE)


def is_slow(world: World, record: Record) -> None:
    """It takes too long, times out once or twice, then is quick again."""
    was, record.duration = record.duration, TIMEOUT * 2
    record.slow_until = world.now + HOUR
    world.after(40 * MINUTE, quick_again, record, was)


def quick_again(record: Record, was: int) -> None:
    """As before."""
    record.duration = was


def flap(world: World, record: Record) -> None:
    """The row of one is gone for a moment; of one that runs, and is slow, if there is one."""
    running = [one for one in world.records.values() if one.job and one.duration > 5 * SECOND]
    record = max(running, key=lambda one: one.duration, default=record)
    if record.model.group is None and not record.is_gone:
        record.is_gone = True
        world.change(record)
        world.after(world.random.randrange(SECOND, MINUTE), back, world, record)
        for node in world.nodes:
            for wait in (1, 5, 20):
                world.after(wait * SECOND, world.step, node, m.Dirty())


def back(world: World, record: Record) -> None:
    """It is there again, with its plan and nobody's lock: what a run has yet to record is lost."""
    record.is_gone = False
    if record.published is not None:
        record.due_was = -1
    record.job = record.lease_until = record.published = None
    world.change(record)


def pause(world: World, record: Record) -> None:
    """`mview_pause`, and `mview_resume` later."""
    record.is_paused = True
    record.paused_at = world.now
    world.change(record)
    world.after(world.random.randrange(MINUTE, 90 * MINUTE), resume, world, record)


def resume(world: World, record: Record) -> None:
    """`mview_resume`."""
    record.is_paused = False
    world.change(record)


def run_now(world: World, record: Record) -> None:
    """A manual refresh, asked of its owner."""
    for node in world.nodes:
        world.step(node, m.RunNow(record.id))


def cancel(world: World, record: Record) -> None:
    """A request that cancels what runs."""
    for node in world.nodes:
        for job in list(node.jobs.values()):
            if world.random.random() < 0.3:
                asked = world.random.choice(job.todo)
                asked.scripted += 1
                world.step(node, m.CancelNow(asked.id))


SMALL: tuple[Callable[[World, Record], None], ...] = (
    fails,
    fails,
    breaks,
    kills,
    is_slow,
    flap,
    flap,
    pause,
    run_now,
    cancel,
)
