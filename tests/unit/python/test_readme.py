"""The block of README that people paste: what can be said of it without an engine."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from tests.support.readme import block, files

FLAGS = ("--no-write-json", "--no-partial-parse", "--no-send-anonymous-usage-stats")


def dbt(shop: Path, *command: str) -> Any:
    """What dbt, in this process, makes of a command there."""
    where = ("--project-dir", str(shop), "--profiles-dir", str(shop))
    flags = FLAGS if command[0] == "ls" else FLAGS[-1:]
    done = dbtRunner().invoke(["--quiet", *command, *where, *flags])
    assert done.success, done.exception
    return done.result


def test_its_files_are_a_project(tmp_path: Path) -> None:
    subprocess.run(["bash", "-euc", files()], cwd=tmp_path, check=True, timeout=60)
    shop = tmp_path / "shop"
    dbt(shop, "deps")
    assert dbt(shop, "ls", "--output", "name", "--resource-type", "model") == [
        "orders",
        "orders_daily",
    ]


def test_it_is_one_block() -> None:
    """Nothing in it waits for a person, but the address in the first line."""
    first, *rest = block().splitlines()
    assert first == "git clone <address> dbt_mview"
    assert not any("<address>" in line or "..." in line.partition("#")[0] for line in rest)
    assert [line.split("#")[0].strip() for line in rest[-3:]] == [
        "dbt run",
        "dbt run",
        "dbt run --select orders_daily",
    ]
