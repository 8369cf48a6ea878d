"""How much is tested: what `make test` can afford, or `SOAK` random scenes (`make soak`)."""

from __future__ import annotations

import os

SOAK = int(os.environ.get("SOAK") or 0)
