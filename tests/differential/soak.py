"""How much is tested: a fixed little, or `SOAK` random scenes and all rounds (`make soak`)."""

from __future__ import annotations

import os

SOAK = int(os.environ.get("SOAK") or 0)
