"""Figures of one node with very many units: ``python -m tests.sim.large --units 1000000``."""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc

import click

from dbt_mview.serve import messages as m
from dbt_mview.serve.core import Core
from dbt_mview.serve.times import MINUTE, SECOND

EPOCH = 1_764_201_600 * SECOND
NODES = tuple(f"node{number}" for number in range(5))


def rows_of(units: int, version: int) -> list[m.Row]:
    """Rows that are due within the next hour, each at a time of its own."""
    step = 60 * MINUTE // units
    return [
        m.Row(
            f"spark_catalog.mart.view_{number:07}",
            version,
            EPOCH + MINUTE + number * step,
            ended=EPOCH - number,
            took=1.0,
        )
        for number in range(units)
    ]


def ready(models: dict[str, m.Model], nodes: tuple[str, ...]) -> Core:
    """A core that knows its ring and its project, and has asked for state."""
    core = Core(nodes[0], "1", m.Settings())
    core.step(0, [m.Project(models), m.Beats(0, dict.fromkeys(nodes, 0))])
    return core


def fetched(core: Core, now: int, rows: list[m.Row], is_whole: bool) -> float:
    """Applies an answer; returns the seconds it took."""
    event = m.Fetched(core.fetches._number, rows, is_whole, clock=m.Clock(EPOCH + now, now))
    begun = time.perf_counter()
    core.step(now, [event])
    return time.perf_counter() - begun


def measure(units: int) -> dict[str, float]:
    """Plays one node that owns all units, and one of five.

    Returns:
        Seconds by name, and bytes of an owned unit: items, heap and ids, when all were fetched and
        when all are queued. Rows and models are not counted, which a service may drop or share.
    """
    rows = rows_of(units, 1)
    models = {row.id: m.Model(row.id) for row in rows}
    gc.collect()
    gc.freeze()
    core = ready(models, NODES[:1])
    found = {"fetch all, one node": fetched(core, SECOND, rows, True)}
    core.step(40 * SECOND)
    found["fetch, unchanged"] = fetched(core, 41 * SECOND, [], False)
    begun = time.perf_counter()
    core.step(70 * MINUTE)
    found["take all due"] = time.perf_counter() - begun
    assert core.counts()["idle"] == 0
    core = ready(models, NODES)
    found["fetch all, one of five nodes"] = fetched(core, SECOND, rows, True)
    core.step(40 * SECOND)
    newer = rows_of(units, 2)
    core.step(41 * SECOND, [m.Dirty()])
    found["fetch all again"] = fetched(core, 42 * SECOND, newer, True)
    del core, rows, newer
    found["bytes a unit"], found["bytes a queued unit"] = weigh(min(units, 200_000), models)
    return found


def weigh(units: int, models: dict[str, m.Model]) -> tuple[float, float]:
    """Bytes of an owned unit, with an id of its own."""
    tracemalloc.start()
    rows = rows_of(units, 1)
    core = ready(models, NODES[:1])
    fetched(core, SECOND, rows, True)
    del rows
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    core.step(70 * MINUTE)
    gc.collect()
    queued = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / units, queued / units


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim.large")
    parser.add_argument("--units", type=int, default=1_000_000)
    for name, value in measure(parser.parse_args().units).items():
        click.echo(f"{name:30} {value:10.4f}")


if __name__ == "__main__":
    main()
