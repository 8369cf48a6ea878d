"""Memory of the container, or of the machine: above a threshold nothing starts."""

from __future__ import annotations

import re
from pathlib import Path

from dbt_mview.serve import messages as m
from dbt_mview.serve.loop import Loop

CGROUP = Path("/sys/fs/cgroup")
MEMINFO = Path("/proc/meminfo")


class Memory:
    """Tells the core when memory passes its threshold, either way.

    Attributes:
        is_high: above it.
    """

    def __init__(self, loop: Loop, most: int) -> None:
        """Not looked at yet.

        Args:
            loop: of the node.
            most: percent in use.
        """
        self.is_high = False
        self._loop = loop
        self._most = most

    def look(self) -> None:
        """Looks at it, from one thread."""
        used = memory_used()
        is_high = used is not None and used > self._most
        if is_high != self.is_high:
            self.is_high = is_high
            self._loop.say("memory", percent=used, is_high=is_high)
            self._loop.tell(m.Memory(is_high))


def memory_used() -> int | None:
    """Percent in use of the container's limit, else of the machine; None where nobody says."""
    found = _of_container()
    return _of_machine() if found is None else found


def _of_container() -> int | None:
    """By cgroup v2; None where there is no limit. In it, /proc/meminfo is the host's.

    Files that are cached count as free, as they do in `MemAvailable`: the kernel drops them before
    it kills anything.
    """
    try:
        limit = int((CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((CGROUP / "memory.current").read_text(encoding="ascii"))
        text = (CGROUP / "memory.stat").read_text(encoding="ascii")
    except (OSError, ValueError):  # the latter of `max`
        return None
    cached = re.findall(r"^(?:(?:in)?active_file|slab_reclaimable) (\d+)$", text, re.MULTILINE)
    return 100 * max(used - sum(map(int, cached)), 0) // limit if limit else None


def _of_machine() -> int | None:
    """By the kernel; None where the system does not say."""
    try:
        text = MEMINFO.read_text(encoding="ascii")
    except OSError:
        return None
    kib = dict(re.findall(r"^(MemTotal|MemAvailable): +(\d+) kB$", text, re.MULTILINE))
    if len(kib) < 2:
        return None
    return 100 - 100 * int(kib["MemAvailable"]) // int(kib["MemTotal"])
