"""Delta tables of state without an engine, with the statistics that Spark would write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from arro3.core import Array, DataType, Table
from deltalake import DeltaTable, write_deltalake

from dbt_mview.schedule import moment

TIMES = ("next_time", "retry_time", "lease_until", "paused_time", "last_refresh_time")
TYPES = {
    **dict.fromkeys(("spec", "last_refresh_failed_reason", "schedule"), "string"),
    "failures": "long",
    **dict.fromkeys(TIMES, "timestamp"),
}
STATISTICS = ("schedule", "failures", *TIMES)
PREFIX = 32
Values = Mapping[str, Any]


def time_of(micros: int) -> str:
    """A time as Spark's statistics have it: cut off after milliseconds."""
    return moment(micros).strftime("%Y-%m-%dT%H:%M:%S.") + f"{micros // 1000 % 1000:03d}Z"


def statistics(values: Values, columns: tuple[str, ...] = STATISTICS) -> dict[str, Any]:
    """Spark's statistics of one row, whose columns are those of these values."""
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    nulls = {}
    for name in columns:
        value = values.get(name)
        nulls[name] = int(value is None)
        if value is None:
            continue
        if name in TIMES:
            low[name] = high[name] = time_of(value)
        elif name == "schedule" and len(value) > PREFIX:
            low[name], high[name] = value[:PREFIX], value[:PREFIX] + "\x7f"
        else:
            low[name] = high[name] = value
    return {"numRecords": 1, "minValues": low, "maxValues": high, "nullCount": nulls}


class StateTable:
    """A table of state, one file for each row, whose log is written commit by commit."""

    def __init__(self, root: Path, key: str = "mview_id", *, version: int = -1) -> None:
        self.root, self.key, self.version = root, key, version
        self.paths: dict[str, str] = {}
        (root / "_delta_log").mkdir(parents=True)
        fields = [{"name": key, "type": "string", "nullable": True, "metadata": {}}]
        for name, kind in TYPES.items():
            fields.append({"name": name, "type": kind, "nullable": True, "metadata": {}})
        self.meta = {
            "id": str(uuid4()),
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": [key],
            "configuration": {},
        }
        protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
        self.write(protocol, {"metaData": self.meta})

    def log(self, version: int) -> Path:
        """The file of a commit."""
        return self.root / "_delta_log" / f"{version:020d}.json"

    def write(self, *actions: Mapping[str, Any]) -> int:
        """Writes a commit. Returns its version."""
        self.version += 1
        lines = [{"commitInfo": {"operation": "UPDATE"}}, *actions]
        # Appears at once and whole, as Spark's log store writes it.
        new = self.root / "_delta_log" / ".new"
        new.write_text("\n".join(map(json.dumps, lines)) + "\n")
        new.rename(self.log(self.version))
        return self.version

    def add(self, id_: str, values: Values, **more: Any) -> dict[str, Any]:
        """Writes a row's file. Returns its action; `more` replaces keys of it."""
        folder = f"{self.key}={id_}"
        path = f"{folder}/{uuid4()}.parquet"
        scratch = self.root / "scratch"
        columns = {name: _column(kind, values.get(name)) for name, kind in TYPES.items()}
        write_deltalake(scratch, Table.from_pydict(columns))
        (self.root / folder).mkdir(exist_ok=True)
        (one,) = scratch.glob("*.parquet")
        one.rename(self.root / path)
        shutil.rmtree(scratch)
        self.paths[id_] = quote(path)
        add = {
            "path": quote(path),
            "partitionValues": {self.key: id_},
            "size": (self.root / path).stat().st_size,
            "modificationTime": 1795804759367 + self.version,
            "dataChange": True,
            "stats": json.dumps(statistics(values)),
        }
        return {"add": {**add, **more}}

    def remove(self, id_: str, *, dataChange: bool = True) -> dict[str, Any]:
        """The action that removes a row's file."""
        remove = {"path": self.paths.pop(id_), "dataChange": dataChange, "deletionTimestamp": 0}
        return {"remove": {**remove, "partitionValues": {self.key: id_}}}

    def put(self, rows: Mapping[str, Values | None], **more: Any) -> int:
        """A commit that writes rows anew, and removes those without values."""
        is_data = more.get("dataChange", True)
        actions = [self.remove(id_, dataChange=is_data) for id_ in rows if id_ in self.paths]
        actions += [self.add(id_, values, **more) for id_, values in rows.items() if values]
        return self.write(*actions)

    def checkpoint(self, keep: int = -1) -> None:
        """Writes a checkpoint, and forgets the commits before it, but for one."""
        DeltaTable(self.root).create_checkpoint()
        for version in {*range(self.version)} - {keep}:
            self.log(version).unlink(missing_ok=True)


def _column(kind: str, value: Any) -> Array:
    if kind == "string":
        return Array([value], DataType.string())
    column = Array([value], DataType.int64())
    return column.cast(DataType.timestamp("us", tz="UTC")) if kind == "timestamp" else column
