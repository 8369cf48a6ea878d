"""`make serve`, as a person has it: loads arrive, the views follow, and Ctrl-C ends it all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from urllib.request import urlopen
from uuid import uuid4

import pytest
from deltalake import DeltaTable

from dbt_mview.thrift import HOST, free_port
from tests.serve.service import PATIENCE, until
from tests.support.project import ROOT

pytestmark = [pytest.mark.thrift, pytest.mark.nightly, pytest.mark.timeout(5000)]
# Seconds that Spark has to start and the first `dbt run` to build all, or a load to be followed:
# these take a minute, and many beside other work.
START = 1200.0
MARK = "DBT_MVIEW_TEST_MARK"
# The view at the end of the chain: of each month's flights, by carrier.
LAST = "carrier_monthly_delays"


class Example:
    """The example, started as `make serve SERVE="--every 15"` does, on files of its own.

    Args:
        home: a directory for all of it.
    """

    def __init__(self, home: Path) -> None:
        self.place = home / "models_examples"
        left_out = shutil.ignore_patterns(".*", "logs", "target", "dbt_packages", "__pycache__")
        shutil.copytree(ROOT / "models_examples", self.place, ignore=left_out)
        packages = f"packages:\n  - local: {json.dumps(str(ROOT))}\n"
        (self.place / "packages.yml").write_text(packages)
        self.page = f"{HOST}:{free_port()}"
        self.printed = home / "printed"
        self.mark = f"{MARK}={uuid4()}"
        name, _, value = self.mark.partition("=")
        command = [sys.executable, "serve.py", "--every", "15", "--listen", self.page]
        with self.printed.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=self.place,
                env={**os.environ, name: value, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        """All that was printed so far."""
        return self.printed.read_text(encoding="utf-8", errors="replace")

    def has_said(self, text: str) -> bool:
        """Whether something was printed; the end of the process fails the test."""
        assert self.process.poll() is None, self.said()
        return re.search(text, self.said()) is not None

    def processes(self) -> list[int]:
        """Ids of all that it has started, however far away, and that has not ended."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                given = (place / "environ").read_bytes().split(b"\0")
            except OSError:
                continue  # It has ended, or is another user's.
            if self.mark.encode() in given:
                found.append(int(place.name))
        return found

    def months(self) -> set[date]:
        """Of which there are flights in the last view."""
        place = self.place / ".engine" / "serve" / "warehouse" / "flights.db" / LAST
        rows = DeltaTable(place).to_pyarrow_table(columns=["flight_month"]).to_pylist()
        return {row["flight_month"] for row in rows}

    def outcomes(self) -> list[dict[str, str]]:
        """What became of each run of the service that has ended, newest first."""
        with urlopen(f"http://{self.page}/v1/runs", timeout=10) as answer:
            runs = json.load(answer)["runs"]
        return [one["outcomes"] for one in runs if one["ended"] is not None]


@pytest.fixture
def example(tmp_path: Path) -> Iterator[Example]:
    """The example, of which nothing outlives the test."""
    started = Example(tmp_path)
    yield started
    for pid in started.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_loads_arrive_views_follow_and_ctrl_c_ends_it(example: Example) -> None:
    until("the service", lambda: example.has_said("dbt-mview serve: http://"), START)
    assert date(2013, 2, 1) not in example.months(), "dbt run has built January alone"
    until("another month", lambda: example.has_said("month 2 arrives"), START)
    until("its flights", lambda: date(2013, 2, 1) in example.months(), START)
    view = f"spark_catalog.flights.{LAST}"
    until("its end", lambda: any(one.get(view) == "success" for one in example.outcomes()))
    assert "failed" not in {what for one in example.outcomes() for what in one.values()}
    started = example.processes()
    assert len(started) > 2, "the example, a Spark, a node, its workers"
    os.killpg(example.process.pid, signal.SIGINT)
    code = example.process.wait(PATIENCE)
    assert code == 0, example.said()
    assert "All has ended." in example.said() and "Traceback" not in example.said()
    until("the end of all processes", lambda: not example.processes(), 30.0)
