"""A dbt project in a directory of its own, with dbt_mview installed from the working tree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[2]


def copy_package(place: Path) -> Path:
    """Copies dbt_mview to where a test may change its macros. Returns the place."""
    shutil.copytree(ROOT / "macros", place / "macros")
    shutil.copy(ROOT / "dbt_project.yml", place)
    return place


@dataclass
class Outcome:
    """What one dbt command did: its nodes by name, its log, whether it succeeded; said: the log,
    with the second of each message."""

    success: bool
    log: str
    status: dict[str, str] = field(default_factory=dict)
    message: dict[str, str] = field(default_factory=dict)
    said: list[tuple[float, str]] = field(default_factory=list)

    def text(self, name: str) -> str:
        """The message of one node, on one line."""
        return " ".join(self.message[name].split())


class Project:
    """A dbt project. Engines that are not this process's session are named by ``target``, another
    dbt_mview than that of the working tree by ``package``."""

    def __init__(
        self,
        root: Path,
        schema: str,
        spark: Any = None,
        target: dict[str, Any] | None = None,
        package: Path = ROOT,
    ) -> None:
        self.root, self.schema, self.spark = root, schema, spark
        self.state = f"{schema}_mview"
        # Half the time that dbt itself takes is its manifest, which it writes twice in each run.
        self.artifacts = False
        self.program = "tests.support.dbt"  # what `start` runs
        self.env = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
        (root / "models").mkdir(parents=True)
        (root / "dbt_packages").mkdir()
        (root / "dbt_packages" / "dbt_mview").symlink_to(package)
        session = {"method": "session", "host": "NA"}
        output = {"type": "spark", "schema": schema, "threads": 4, **(target or session)}
        self.outputs = {"t": output}
        self.target("t")
        self.write("packages.yml", {"packages": [{"local": str(package)}]})
        self.configure()

    def target(self, name: str, **differs: Any) -> None:
        """Adds a target: the first one, but for what differs."""
        self.outputs[name] = {**self.outputs["t"], **differs}
        self.write("profiles.yml", {"p": {"target": "t", "outputs": self.outputs}})

    def configure(self, **settings: Any) -> None:
        """Writes dbt_project.yml with these settings on top of the plain ones."""
        plain = {"name": "p", "version": "1.0.0", "profile": "p", "flags": {"use_colors": False}}
        # AUTO would build views of tables as small as these anew.
        vars_ = {"dbt_mview:small_source_bytes": 0, **settings.pop("vars", {})}
        self.write("dbt_project.yml", {**plain, "vars": vars_, **settings})

    def write(self, path: str, content: Any) -> None:
        """Writes a file of the project; anything but text as YAML."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))

    def model(self, name: str, sql: str, **config: Any) -> None:
        """Writes models/<name>.sql, an mview unless the config says otherwise."""
        config = {"materialized": "mview", **config}
        self.write(f"models/{name}.sql", f"{{{{ config(**{config!r}) }}}}\n{sql}\n")

    def forget(self) -> None:
        """Removes all models."""
        for file in (self.root / "models").rglob("*"):
            if file.is_file():
                file.unlink()

    def dbt(self, *args: str, expect: bool | None = True) -> Outcome:
        """Runs dbt in this process. expect: whether it must succeed (None: whatever)."""
        said: list[tuple[float, str]] = []
        runner = dbtRunner(
            callbacks=[lambda event: said.append((time.perf_counter(), event.info.msg))]
        )
        os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
        result = runner.invoke([*args, *self.where(), *self.without()])
        log = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(message for _, message in said))
        outcome = Outcome(result.success, log, said=said)
        for one in getattr(result.result, "results", None) or []:
            node = getattr(one, "node", None)
            # A unit test has no alias, and the result of one no id.
            name = getattr(node, "alias", None) or getattr(node, "name", None) or one.unique_id
            outcome.status[name] = str(one.status)
            outcome.message[name] = str(one.message)
        if expect is not None and outcome.success != expect:
            raise AssertionError(f"dbt {args}: success={outcome.success} {result.exception}\n{log}")
        return outcome

    def run(self, *select: str, expect: bool | None = True, args: tuple[str, ...] = ()) -> Outcome:
        """dbt run, of these models or of all."""
        chosen = ("--select", *select) if select else ()
        return self.dbt("run", *chosen, *args, expect=expect)

    def op(self, name: str, expect: bool | None = True, **args: Any) -> Outcome:
        """dbt run-operation; the outcome's log holds what it printed."""
        return self.dbt("run-operation", name, "--args", json.dumps(args), expect=expect)

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """Starts dbt in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", self.program, *args, *self.where(), *self.without()],
            cwd=ROOT,
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def where(self) -> tuple[str, ...]:
        """The arguments that point dbt at this project."""
        root = str(self.root)
        return ("--project-dir", root, "--profiles-dir", root, "--target-path", f"{root}/target")

    def without(self) -> tuple[str, ...]:
        """The argument that spares dbt its artifacts, unless something reads them."""
        return () if self.artifacts else ("--no-write-json",)

    def sql(self, text: str) -> list[Any]:
        """Runs SQL in this process's session. Returns rows."""
        return list(self.spark.sql(text.replace("@", self.schema)).collect())

    def rows(self, view: str, order: str = "1") -> list[tuple[Any, ...]]:
        """All rows of a table of the project's schema."""
        return [tuple(row) for row in self.sql(f"select * from @.{view} order by {order}")]

    def holds(self, view: str, query: str) -> bool:
        """Whether a view holds, row for row, what a query (@ as in sql) gives now. A run of
        mview_verify says the same of the versions that were read, and takes seconds.
        """
        return Counter(self.rows(view)) == Counter(map(tuple, self.sql(query)))

    def info(self, view: str) -> Any:
        """The view's row of mview_refresh_info; None if there is none."""
        found = self.sql(
            f"select * from @_mview.mview_refresh_info"
            f" where mview_id = 'spark_catalog.{self.schema}.{view}'"
        )
        assert len(found) <= 1, found
        return found[0] if found else None

    def history(self, view: str) -> list[Any]:
        """The view's rows of mview_refresh_hist, newest first."""
        return self.sql(
            f"select * from @_mview.mview_refresh_hist where mview_id ="
            f" 'spark_catalog.{self.schema}.{view}' order by refresh_endtime desc"
        )

    def commit_file(self, table: str, version: int) -> Path:
        """The file of one commit, whose time is the commit's."""
        (place,) = self.sql(f"describe detail @.{table}")
        return Path(place.location.removeprefix("file:")) / "_delta_log" / f"{version:020d}.json"

    def commits(self, table: str) -> list[Any]:
        """DESCRIBE HISTORY of a table, newest first."""
        return self.sql(f"describe history @.{table}")

    def drop(self) -> None:
        """Drops the project's schemas with everything in them."""
        for schema in (self.schema, self.state):
            self.spark.sql(f"drop schema if exists {schema} cascade")


def ended(process: subprocess.Popen[str], timeout: float = 600) -> str:
    """Waits for dbt, some seconds at most. Returns what it printed, on one line."""
    try:
        return " ".join(process.communicate(timeout=timeout)[0].split())
    finally:
        process.kill()


def stopped_at(project: Project, point: str, *args: str, **env: str) -> subprocess.Popen[str]:
    """A dbt run that reached this point; it stands still there unless the point is `sent`."""
    marker = project.root / f"marker_{time.monotonic_ns()}"
    stop = {"DBT_MVIEW_STOP_AT": point, "DBT_MVIEW_STOPPED": str(marker)}
    process = project.start(*args, **env, **stop)
    deadline = time.monotonic() + 300
    while not marker.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"{point} was not reached\n{process.communicate()[0]}")
        time.sleep(0.05)
    return process


def expire(project: Project, view: str) -> None:
    """Lets the lease of the lock on a view run out now."""
    project.sql(
        "update @_mview.mview_refresh_info"
        " set lease_until = current_timestamp() - interval 1 second"
        f" where mview_id = 'spark_catalog.{project.schema}.{view}'"
    )
