"""Memory of the machine: above a threshold nothing starts."""

from __future__ import annotations

import re
from pathlib import Path

from dbt_mview.serve import messages as m
from dbt_mview.serve.loop import Loop


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
    """Percent of the machine's memory in use; None where the system does not say."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    kib = dict(re.findall(r"^(MemTotal|MemAvailable): +(\d+) kB$", text, re.MULTILINE))
    if len(kib) < 2:
        return None
    return 100 - 100 * int(kib["MemAvailable"]) // int(kib["MemTotal"])
