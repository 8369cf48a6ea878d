"""``make simulate``: plays seeds, and says how to repeat one that fails."""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import click

from tests.sim.scripts import scripted
from tests.sim.world import Broken, Scene, World, clock

# The first seed of each part of make nightly, and how many a part has.
NIGHT = range(1, 10_001, 1000)


@dataclass(frozen=True)
class Played:
    """What became of a scene."""

    scene: Scene
    sum: int
    steps: int
    runs: int
    refreshes: int
    failures: int
    wrong: str = ""
    trace: tuple[str, ...] = ()


def play(scene: Scene) -> Played:
    """Plays one scene.

    Args:
        scene: which; its seed decides everything.
    """
    world = scripted(scene)
    wrong = ""
    # What a world allocates lives as long as it does. PyPy frees nothing without its collector.
    if sys.implementation.name == "cpython":
        gc.disable()
    try:
        world.play()
    except Broken as error:
        wrong = str(error)
    finally:
        gc.enable()
    counts = world.steps, world.runs, world.refreshes, world.failed
    return Played(scene, world.sum, *counts, wrong, tuple(lines(world)) if wrong else ())


def play_all(scenes: list[Scene], processes: int) -> list[Played]:
    """Plays several at once; a single one in this process."""
    if len(scenes) == 1:
        return [play(scenes[0])]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(play, scenes, chunksize=4))


def lines(world: World) -> Iterable[str]:
    """The end of a world's trace for people."""
    for time_, *what in world.trace:
        yield f"{clock(time_)} {' '.join(map(str, what))}"


def repeat(scene: Scene) -> str:
    """The command that plays a scene again."""
    return (
        f"python -m tests.sim --first {scene.seed} --seeds 1 --units {scene.units}"
        f" --nodes {scene.nodes} --hours {scene.hours:g} --workers {scene.workers}"
    )


def report(played: Played) -> None:
    """Says what is wrong with a scene, and how to see it again."""
    click.echo("\n".join(played.trace[-60:]))
    click.echo(f"seed {played.scene.seed}: {played.wrong}")
    click.echo(f"again: {repeat(played.scene)}")


def arguments(args: list[str] | None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="make simulate, or: python -m tests.sim")
    say = parser.add_argument
    say("--seeds", type=int, default=200, help="how many scenes")
    say("--first", type=int, default=1, help="the first seed")
    say("--units", type=int, default=200, help="views and logs of a scene")
    say("--nodes", type=int, default=5, help="nodes of a scene")
    say("--hours", type=float, default=24, help="simulated hours of a scene")
    say("--workers", type=int, help="slots of a node (4; of many units, 32)")
    say("--processes", type=int, default=2, help="how many play at once")
    return parser.parse_args(args)


def main(args: list[str] | None = None) -> int:
    """Plays; prints figures. Returns 1 if an invariant did not hold."""
    asked = arguments(args)
    workers = asked.workers or (4 if asked.units <= 10_000 else 32)
    scenes = [
        Scene(seed, asked.units, asked.nodes, asked.hours, workers)
        for seed in range(asked.first, asked.first + asked.seeds)
    ]
    begun = time.monotonic()
    results = play_all(scenes, asked.processes)
    seconds = time.monotonic() - begun
    wrong = [one for one in results if one.wrong]
    for one in wrong[:3]:
        report(one)
    refreshes = sum(one.refreshes for one in results)
    of_self = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    of_others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    click.echo(
        f"{len(results)} scenes of {asked.units} units, {asked.nodes} nodes, {asked.hours:g} h:"
        f" {len(wrong)} failed; {refreshes} refreshes in {sum(one.runs for one in results)} runs,"
        f" {sum(one.failures for one in results)} failures, {sum(one.steps for one in results)}"
        f" steps; {seconds:.1f} s, {max(of_self, of_others) / 1024:.0f} MiB"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
