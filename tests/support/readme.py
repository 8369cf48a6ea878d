"""The block of README that people paste."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def block() -> str:
    """The commands of «In 60 seconds»."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"## In 60 seconds\n.*?```sh\n(.*?)```", text, re.DOTALL)
    assert found, "README has no block below «In 60 seconds»"
    return found[1]


def with_this_checkout() -> str:
    """The same with the working tree in place of a clone."""
    clone = "git clone <address> dbt_mview\n"
    assert block().count(clone) == 1
    return block().replace(clone, f"ln -s '{ROOT}' dbt_mview\n")


def files() -> str:
    """What of it makes the project's files, and needs neither pip nor an engine."""
    lines = with_this_checkout().splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(r"python3 |pip |dbt ", line))
