"""«In 60 seconds» of README as somebody pastes it: an empty directory, an engine of its own."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.readme import with_this_checkout

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
WITHIN = 180  # seconds, with what pip and Ivy have downloaded before


def test_what_is_pasted_ends_in_fast(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DBT_")}
    kept.pop("PYTHONPATH", None)
    env = {**kept, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_USE_COLORS": "false"}
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-euc", with_this_checkout()], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800,
    )  # fmt: skip
    took = time.monotonic() - began
    assert done.returncode == 0, done.stdout[-3000:]
    said = re.findall(r"orders_daily \.+ \[(.*?) in ", done.stdout)
    assert [one.split(":")[0] for one in said] == [
        "COMPLETE v0, 30 rows",
        "FAST v1, 30 rows",
        "SKIP nothing changed since flights.orders v1",
    ], done.stdout[-3000:]
    assert "(aggregate delta, 100 changed rows)" in said[1]
    assert took < WITHIN, f"it took {took:.0f} s"
