"""JSON lines, and what OpenLineage is told."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport.file import FileConfig, FileTransport

from dbt_mview.serve.events import QUEUED_MOST, EventLog, Lineage
from tests.support.reports import NOW, ODD, SECOND

TABLES = "hive://metastore:9083"


# The log


def test_an_event_is_one_line_with_time_and_node() -> None:
    stream = io.StringIO()
    log = EventLog(stream, "north-1", lambda: 1_795_800_000.5)
    log.write("started", run="r-1", ids=list(ODD), is_manual=False, pool=None)
    log.write("ended", run="r-1", outcomes={"c.s.v": "success"}, seconds=1.5)
    first, second = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert first == {
        "ts": "2026-11-27T17:20:00.500000Z",
        "event": "started",
        "node": "north-1",
        "run": "r-1",
        "ids": list(ODD),
        "is_manual": False,
        "pool": None,
    }
    assert second["outcomes"] == {"c.s.v": "success"} and "problem" not in second


def test_of_an_error_the_first_line_is_written() -> None:
    """What follows may be rows, or a plan of a thousand lines."""
    stream = io.StringIO()
    EventLog(stream, "n").write("ended", problem="\n  Division by zero\r\nrow: secret\n")
    assert json.loads(stream.getvalue())["problem"] == "Division by zero"


def test_nothing_breaks_a_line() -> None:
    stream = io.StringIO()
    EventLog(stream, "n\u2028m").write("refused", id="a\nb\x1b[31m\u2028\x85c")
    text = stream.getvalue()
    assert text.isascii() and len(text.splitlines()) == 1
    assert json.loads(text)["id"] == "a\nb\x1b[31m\u2028\x85c"


def test_events_of_many_threads_stay_whole() -> None:
    class Slow(io.StringIO):
        """Takes a line in two pieces."""

        def write(self, text: str) -> int:
            super().write(text[:40])
            time.sleep(0.0001)
            return super().write(text[40:])

    stream = Slow()
    log = EventLog(stream, "n")
    threads = [
        threading.Thread(target=log.write, args=("ended",), kwargs={"number": number})
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = [json.loads(line)["number"] for line in stream.getvalue().splitlines()]
    assert sorted(told) == list(range(20))


def test_a_stream_that_takes_nothing_ends_no_service() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    closed = io.StringIO()
    closed.close()
    for stream in (Full(), closed):
        log = EventLog(stream, "n")
        log.write("stopped")
        assert log.lost == 1


# OpenLineage


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable, and no openlineage.yml in the folder or at home."""
    for name in [name for name in os.environ if name.startswith("OPENLINEAGE")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def emitted(tmp_path: Path, tell: Callable[[Lineage], None]) -> list[dict[str, Any]]:
    """What the client has written, after its own checks."""
    file = tmp_path / "events.json"
    transport = FileTransport(FileConfig(str(file), append=True))
    lineage = Lineage(OpenLineageClient(transport=transport), TABLES)
    tell(lineage)
    lineage.stop()
    assert (lineage.dropped, lineage.failed) == (0, 0)
    return lines(file)


def test_a_refresh_is_a_run_of_a_job(tmp_path: Path) -> None:
    def tell(lineage: Lineage) -> None:
        lineage.started("r-1", "hive.s.v", NOW, NOW - SECOND, ["hive.s.orders", "hive.s.items"])
        lineage.ended("r-1", "hive.s.v", NOW + SECOND, "success")

    start, end = emitted(tmp_path, tell)
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["eventTime"] == "2026-11-27T17:20:00.123456Z"
    assert start["run"]["runId"] == end["run"]["runId"]
    for one in (start, end):
        assert (one["job"]["namespace"], one["job"]["name"]) == ("dbt_mview", "hive.s.v")
        outputs = [(each["namespace"], each["name"]) for each in one["outputs"]]
        assert outputs == [(TABLES, "hive.s.v")]
        assert one["schemaURL"].endswith("OpenLineage.json#/$defs/RunEvent")
        assert one["producer"].startswith("urn:dbt-mview:")
    inputs = [(one["namespace"], one["name"]) for one in start["inputs"]]
    assert inputs == [(TABLES, "hive.s.orders"), (TABLES, "hive.s.items")]
    nominal = start["run"]["facets"]["nominalTime"]
    assert nominal["nominalStartTime"] == "2026-11-27T17:19:59.123456Z"


def test_each_view_of_each_run_has_an_id_of_its_own(tmp_path: Path) -> None:
    def tell(lineage: Lineage) -> None:
        for run in ("r-1", "r-2"):
            for id_ in ODD:
                lineage.started(run, id_, NOW)

    events = emitted(tmp_path, tell)
    ids = {one["run"]["runId"] for one in events}
    assert len(ids) == 2 * len(ODD) and all(UUID(id_).version == 5 for id_ in ids)
    assert [one["job"]["name"] for one in events] == list(ODD) * 2
    assert "nominalTime" not in events[0]["run"]["facets"], "a manual refresh was not due"


@pytest.mark.parametrize(
    ("outcome", "state"),
    [("success", "COMPLETE"), ("skip", "COMPLETE"), ("failed", "FAIL"), ("not reached", "ABORT")],
)
def test_how_a_refresh_ends(tmp_path: Path, outcome: str, state: str) -> None:
    problem = "" if state == "COMPLETE" else "Division by zero\nrow: secret"
    end = emitted(tmp_path, lambda one: one.ended("r-1", "c.s.v", NOW, outcome, problem))[0]
    assert end["eventType"] == state
    facets = end["run"]["facets"]
    if problem:
        assert facets["errorMessage"]["message"] == "Division by zero"
        assert facets["errorMessage"]["programmingLanguage"] == "SQL"
    else:
        assert "errorMessage" not in facets


def test_it_is_off_where_nothing_is_configured(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert Lineage.from_environment(TABLES) is None
    assert not caplog.records, "and says nothing of it"
    monkeypatch.setenv("OPENLINEAGE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert Lineage.from_environment(TABLES) is None


@pytest.mark.parametrize("way", ["config", "folder", "variable", "url"])
def test_it_is_configured_as_its_client_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str
) -> None:
    transport = {"type": "file", "log_file_path": str(tmp_path / "events"), "append": True}
    if way == "variable":
        monkeypatch.setenv("OPENLINEAGE__TRANSPORT", json.dumps(transport))
    elif way == "url":
        monkeypatch.setenv("OPENLINEAGE_URL", "http://127.0.0.1:1")
    else:
        file = tmp_path / ("openlineage.yml" if way == "folder" else "other.yml")
        file.write_text(json.dumps({"transport": transport}), encoding="utf-8")
        if way == "config":
            monkeypatch.setenv("OPENLINEAGE_CONFIG", str(file))
    lineage = Lineage.from_environment(TABLES)
    assert lineage is not None
    if way != "url":
        lineage.started("r-1", "c.s.v", NOW)
    lineage.stop()
    assert way == "url" or lines(tmp_path / "events")[0]["eventType"] == "START"


def test_without_the_client_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "openlineage.client", None)
    assert Lineage.from_environment(TABLES) is None and not caplog.records
    monkeypatch.setenv("OPENLINEAGE_URL", "http://127.0.0.1:1")
    assert Lineage.from_environment(TABLES) is None
    assert "OPENLINEAGE_URL is set, yet nothing is sent" in caplog.text
    assert "[openlineage]" in caplog.text


class Client:
    """A client of OpenLineage that does what it is told."""

    def __init__(self, emit: Callable[[RunEvent], None]) -> None:
        self.emit = emit
        self.closed = threading.Event()

    def close(self, timeout: float) -> bool:
        self.closed.set()
        return True


def test_who_is_slow_blocks_nobody() -> None:
    """What does not fit is dropped and counted; what fits is sent in its order."""
    gate, sending = threading.Event(), threading.Event()
    sent: list[str] = []

    def emit(event: RunEvent) -> None:
        sending.set()
        gate.wait(10)
        sent.append(event.job.name)

    client: Any = Client(emit)
    lineage = Lineage(client, TABLES)
    lineage.started("r", "first", NOW)
    assert sending.wait(10)
    for number in range(QUEUED_MOST + 7):
        lineage.started("r", f"v{number}", NOW)
    assert lineage.dropped == 7 and not sent
    gate.set()
    lineage.stop()
    assert sent == ["first", *(f"v{number}" for number in range(QUEUED_MOST))]
    assert client.closed.is_set()


def test_a_server_that_hangs_does_not_hold_up_the_end() -> None:
    gate = threading.Event()
    client: Any = Client(lambda event: SimpleNamespace(done=gate.wait(10)) and None)
    lineage = Lineage(client, TABLES)
    lineage.started("r", "v", NOW)
    lineage.stop(0.05)
    assert not client.closed.is_set()
    gate.set()
    assert client.closed.wait(10)


def test_of_failures_in_a_row_the_first_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    answers: list[Exception | None] = [
        ConnectionError("refused\nbody"),
        ConnectionError("again"),
        None,
        ConnectionError("once more"),
    ]

    def emit(event: RunEvent) -> None:
        if error := answers.pop(0):
            raise error

    client: Any = Client(emit)
    lineage = Lineage(client, TABLES)
    with caplog.at_level(logging.WARNING):
        for _ in range(4):
            lineage.started("r", "v", NOW)
        lineage.stop()
    assert lineage.failed == 3
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "OpenLineage takes no events: refused",
        "OpenLineage takes no events: once more",
    ]
