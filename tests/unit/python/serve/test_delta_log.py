"""Logs on disk and in an object store (moto's S3, on this machine)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dbt_mview.serve import messages as m
from dbt_mview.serve.delta_log import DeltaLog, Unreadable
from dbt_mview.serve.log_state import LogState
from dbt_mview.serve.sources import Sources
from tests.support.delta import StateTable

if TYPE_CHECKING:
    from tests.support.s3 import S3

CRON = '{"cron": "0 3 * * *", "time_zone_value": "Europe/Berlin", "after": 17}'


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """An S3 that the environment tells the way to."""
    from tests.support.s3 import KEY, s3

    with s3() as running:
        monkeypatch.setenv("AWS_ENDPOINT_URL", running.endpoint)
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        yield running


def upload(place: S3, table: StateTable) -> None:
    """Copies what is new of a table to the bucket, commits last."""
    known = set(place.keys())
    files = [file for file in table.root.rglob("*") if file.is_file()]
    for file in sorted(files, key=lambda one: (one.suffix == ".json", one)):
        key = f"warehouse/{table.root.name}/{file.relative_to(table.root)}"
        if key not in known:
            place.client().upload_file(str(file), "lake", key)


def test_state_and_sources_on_s3(place: S3, tmp_path: Path) -> None:
    table = StateTable(tmp_path / "views")
    table.put({"a": {"schedule": '{"every": 60}'}, "nightly x": {"schedule": CRON}})
    upload(place, table)
    state = LogState("s3a://lake/warehouse/views", None)
    rows = {row.id: row for row in state.fetch(m.Fetch(1, True)).rows}
    assert rows["nightly x"].cron == m.Cron("0 3 * * *", "Europe/Berlin", 17)
    found = Sources({"views": "s3://lake/warehouse/views"}, {"v": [("views", 1)]})
    assert found.poll(["v"]) == () and found.closed == set()
    assert not state.is_changed() and not state.fetch(m.Fetch(2, False)).rows
    table.put({"nightly x": {"schedule": CRON.replace("17", "18")}})
    table.put({"a": None})
    upload(place, table)
    assert state.is_changed() and found.poll(["v"]) == ("v",) and found.poll(["v"]) == ()
    answer = state.fetch(m.Fetch(3, False))
    assert [(row.id, row.version, row.cron) for row in answer.rows] == [
        ("nightly x", 2, m.Cron("0 3 * * *", "Europe/Berlin", 18))
    ]
    assert answer.gone == ("a",)
    for key in place.keys():
        if "_delta_log" in key:
            place.client().delete_object(Bucket="lake", Key=key)
    again = StateTable(tmp_path / "again" / "views")
    upload(place, again)
    assert found.poll(["v"]) == ("v",), "a table that was made anew"


def test_s3_that_does_not_answer(
    place: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    state = LogState("s3://lake/warehouse/views", None, {"aws_region": "eu-west-1"})
    assert state.is_changed(), "nothing was read yet"
    with pytest.raises(Unreadable, match="s3://lake/warehouse/views: state cannot be read: "):
        state.fetch(m.Fetch(1, True))


def test_a_location_is_taken_as_spark_prints_it(tmp_path: Path) -> None:
    table = StateTable(tmp_path / "a table")
    for location in (str(table.root), f"file:{table.root}", f"file://{table.root}/"):
        log = DeltaLog(location)
        assert log.is_local and log.location.rstrip("/") == str(table.root)
        assert log.versions(0).keys() == {0} and log.stamp(1) is None and log.commit(1) is None
        assert LogState(location, None).fetch(m.Fetch(1, True)).rows == ()
    assert DeltaLog("s3a://lake/x").location == "s3://lake/x"
    assert not DeltaLog("abfss://box@account.dfs.core.windows.net/x").is_local
    with pytest.raises(Unreadable, match=r"dbfs:/x is no storage that can be listed here"):
        DeltaLog("dbfs:/x")


def test_files_outside_of_the_table_are_refused(tmp_path: Path) -> None:
    table = StateTable(tmp_path / "views")
    with pytest.raises(Unreadable, match=r"its file file:/etc/hosts lies outside"):
        DeltaLog(str(table.root)).file("file:/etc/hosts")
    with pytest.raises(Unreadable, match=r"none.parquet cannot be read"):
        DeltaLog(str(table.root)).file("none.parquet")


def test_a_log_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "views" / "_delta_log").write_text("a file")
    with pytest.raises(Unreadable, match=r"views: commit 0 cannot be read: "):
        DeltaLog(str(tmp_path / "views")).stamp(0)
