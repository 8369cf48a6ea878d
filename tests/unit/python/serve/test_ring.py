"""Owners, and who is alive."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt_mview.serve.ring import HEARTBEAT, STALE, Membership, Ring
from dbt_mview.serve.times import SECOND

NAMES = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True)
KEYS = [f"spark_catalog.mart.view_{number}" for number in range(2000)]


@given(NAMES, st.integers(1, 20), st.data())
def test_only_the_share_of_a_lost_node_moves(names: list[str], virtual: int, data: st.Data) -> None:
    lost = data.draw(st.sampled_from(names))
    before = Ring(names, virtual)
    after = Ring([name for name in names if name != lost], virtual)
    for key in KEYS[:100]:
        if before.owner(key) != lost:
            assert after.owner(key) == before.owner(key)
        else:
            assert after.owner(key) != lost
    assert Ring(reversed(names), virtual).owner(KEYS[0]) == before.owner(KEYS[0])


def test_the_owner_is_the_first_node_at_or_after_the_key() -> None:
    """By the definition, without a search."""
    from zlib import crc32

    ring = Ring(["a", "b", "c"], 3)
    points = sorted((crc32(f"{node}#{i}".encode()), node) for node in "abc" for i in range(3))
    for key in [*KEYS[:200], "a#0", "b#2"]:
        behind = [node for at, node in points if at >= crc32(key.encode())]
        assert ring.owner(key) == (behind or [points[0][1]])[0]


def test_200_virtual_nodes_share_evenly() -> None:
    counted = Counter(map(Ring([f"node{number}" for number in range(5)]).owner, KEYS))
    assert len(counted) == 5 and max(counted.values()) < 1.35 * len(KEYS) / 5


def test_every_process_has_the_same_ring() -> None:
    script = "from dbt_mview.serve.ring import Ring; print(Ring(['a', 'b', 'c']).owner('v17'))"
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {Ring(["c", "b", "a"]).owner("v17")}


@pytest.mark.parametrize("virtual", [0, 201])
def test_virtual_nodes_are_1_to_200(virtual: int) -> None:
    with pytest.raises(ValueError, match=f"virtual_nodes is {virtual}: give 1 to 200"):
        Ring(["a"], virtual)


def test_nobody_owns_anything_where_nobody_is() -> None:
    assert Ring([]).owner("v") is None


class Cluster:
    """Heartbeats of the others, as the database holds them."""

    def __init__(self) -> None:
        self.members = Membership("a")
        self.beats: dict[str, int] = {"a": 0, "b": 0, "c": 0}

    def hear(self, now: int, *living: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A heartbeat of a at this time; the others beat as well. The database is 9 s ahead."""
        clock = now + 9 * SECOND
        self.beats.update(dict.fromkeys(("a", *living), clock))
        return self.members.heard(now, clock, self.beats)


def test_a_node_is_stale_after_30_seconds_by_the_database() -> None:
    cluster = Cluster()
    for now in range(0, STALE + 2 * HEARTBEAT, HEARTBEAT):
        cluster.hear(now, "b", "c")
    last = now
    for now in range(last + HEARTBEAT, last + STALE + 1, HEARTBEAT):
        assert cluster.hear(now, "b") == (("a", "b", "c"), ())
    assert cluster.hear(last + STALE + HEARTBEAT, "b") == (("a", "b"), ("c",))
    assert cluster.hear(last + STALE + 2 * HEARTBEAT, "b", "c") == (("a", "b", "c"), ())


def test_who_left_is_gone_at_once() -> None:
    cluster = Cluster()
    for now in range(0, STALE + 2 * HEARTBEAT, HEARTBEAT):
        cluster.hear(now, "b", "c")
    del cluster.beats["c"]
    assert cluster.hear(now + HEARTBEAT, "b") == (("a", "b"), ())


def test_the_first_one_back_waits_before_it_calls_others_stale() -> None:
    cluster = Cluster()
    for now in range(0, STALE + 2 * HEARTBEAT, HEARTBEAT):
        cluster.hear(now, "b", "c")
    back = now + 10 * STALE
    assert cluster.hear(back) == (("a", "b", "c"), ())
    for now in range(back + HEARTBEAT, back + STALE, HEARTBEAT):
        assert cluster.hear(now, "b") == (("a", "b", "c"), ())
    assert cluster.hear(back + STALE, "b") == (("a", "b"), ("c",))


def test_who_starts_waits_as_well() -> None:
    cluster = Cluster()
    cluster.beats["c"] = -STALE
    assert cluster.hear(SECOND, "b") == (("a", "b", "c"), ())
    for now in range(SECOND + HEARTBEAT, SECOND + STALE, HEARTBEAT):
        cluster.hear(now, "b")
    assert cluster.hear(SECOND + STALE, "b") == (("a", "b"), ("c",))


def test_who_cannot_take_work_yet_owns_nothing() -> None:
    """Also when it was alive before: its runs of then are looked for."""
    members, beats = Membership("a"), {"a": 0, "b": 0, "c": 0}
    assert members.heard(0, 0, beats, {"a", "c"}) == (("a", "b"), ("c",))
    assert members.heard(HEARTBEAT, 0, beats) == (("a", "b", "c"), ())
    assert members.heard(2 * HEARTBEAT, 0, beats, {"c"}) == (("a", "b"), ("c",))
