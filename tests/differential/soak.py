"""How much is tested: a scene or two, or `SOAK` random scenes and all rounds (`make soak`)."""

from __future__ import annotations

import os
from hashlib import sha256

SOAK = int(os.environ.get("SOAK") or 0)


def drawn_scene(commit: str) -> int:
    """The number of the random scene that CI plays for a commit."""
    return int(sha256(f"scene {commit}".encode()).hexdigest(), 16) % 2**32 + 1
