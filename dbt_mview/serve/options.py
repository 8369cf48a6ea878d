"""What a node is started with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dbt_mview.serve import config
from dbt_mview.serve.ring import HEARTBEAT
from dbt_mview.serve.times import SECOND


@dataclass(frozen=True)
class Pace:
    """Seconds between what a node does again and again.

    Args:
        beat: heartbeats.
        tick: looks at commands, settings, state's newest commit, memory and the project.
        answer: looks for the answer to a command.
        again: a load of the project that failed and the next one; then twice as long each.
        reload: loads of a project whose files are as they were.
    """

    beat: float = HEARTBEAT / SECOND
    tick: float = 1.0
    answer: float = 0.1
    again: float = 1.0
    reload: float = 60.0


@dataclass
class Options:
    """What `dbt-mview serve` was told.

    Args:
        node: its id.
        boot: differs at each start.
        given: live settings by name, as the user wrote them.
        pools: slots by the name of the pool.
        windows: without planned starts.
        memory: percent of memory above which nothing starts.
        pace: of what it does again and again.
    """

    node: str
    boot: str
    given: Mapping[str, object] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    windows: Sequence[config.Window] = ()
    memory: int = 95
    pace: Pace = Pace()
