"""The first run of a new process: ``python -m tests.bench.cold HOME MODELS`` prints its seconds.

HOME holds an engine's files and a project. What the run follows is changed after it, for the next
one, so that the engine has done nothing before the run but start.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from dbt.cli.main import dbtRunner

from dbt_mview import engine
from tests.bench.data import properties

SCHEMA = "cold"
MARK = "seconds: "
ROOT = Path(__file__).resolve().parents[2]
# A view of a thousand groups, of which a load changes some.
SOURCE = "select id, id % 1000 as k, cast(id % 100 as decimal(10, 2)) as v from range(200000)"
QUERY = "select k, sum(v) as total, count(*) as n from {schema}.src group by k"
CHANGE = "update @.src set v = v + 1 where id % 10000 = 1"
KEYED = {"unique_key": "k"}


def source() -> str:
    """The statement that makes the table; `@` is its schema."""
    return f"create table @.src using delta tblproperties ({properties(vectors=True)}) as {SOURCE}"


def seconds(home: Path, *models: str) -> float:
    """Runs models in a process of its own, whose start is not counted.

    Args:
        home: of the engine and the project.
        models: what is run; without any the table is made, and all models are built.
    """
    words = [sys.executable, "-m", __name__, str(home), *models]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    told = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or len(told) != 1:
        raise RuntimeError(f"{words} failed:\n{done.stdout}\n{done.stderr}")
    return float(told[0].removeprefix(MARK))


def main(home: Path, *models: str) -> None:
    """One process."""
    from tests.bench.bench import CONF

    spark = engine.session(home / "engine", CONF)
    spark.sparkContext.setLogLevel("ERROR")
    if not models:
        spark.sql(f"create schema {SCHEMA}")
        spark.sql(source().replace("@", SCHEMA))
    root = str(home / "project")
    chosen = ("--select", *models) if models else ()
    where = ("--project-dir", root, "--profiles-dir", root, "--target-path", f"{root}/target")
    began = time.perf_counter()
    result = dbtRunner().invoke(["run", *chosen, *where])
    took = time.perf_counter() - began
    if not result.success:
        sys.exit(1)
    print(f"{MARK}{took}")  # noqa: T201
    spark.sql(CHANGE.replace("@", SCHEMA))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
