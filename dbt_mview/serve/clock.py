"""The monotonic clock of this process, which the core is only told: not part of `times`."""

from __future__ import annotations

import time


def monotonic() -> int:
    """The monotonic clock in microseconds."""
    return time.monotonic_ns() // 1000
