"""What tables hold, read by another engine than the one that wrote them, and at no cost to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from deltalake import DeltaTable, QueryBuilder

Rows = Counter[tuple[Any, ...]]

JOB = re.compile(r'"refresh_job_id": "([0-9a-f]{32})"')
HEX = re.compile(r"'((?:[0-9a-f]{2}){99,})'")


def is_table(place: Path) -> bool:
    """Whether a directory holds a Delta table."""
    return any((place / "_delta_log").glob("*.json"))


def version(place: Path) -> int:
    """The newest version; -1 where no table is."""
    return int(DeltaTable(place).version()) if is_table(place) else -1


def query(sql: str, at: int | None = None, **tables: Path) -> Rows:
    """The rows of a query, with how often each is there.

    Args:
        sql: names the tables as the arguments do.
        at: the version at which all of them are read; None: the newest.
    """
    builder = QueryBuilder()
    for name, place in tables.items():
        builder = builder.register(name, DeltaTable(place, version=at))
    columns = [column.to_pylist() for column in builder.execute(sql).read_all().columns]
    return Counter(zip(*columns, strict=True))


def counted(rows: Iterable[Iterable[Any]]) -> Rows:
    """Rows that Spark read, as `query` gives them."""
    return Counter(tuple(row) for row in rows)


def records(place: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table of state about the view or log of this name."""
    key = "mlog_id" if place.name.startswith("mlog") else "mview_id"
    builder = QueryBuilder().register("t", DeltaTable(place))
    found = builder.execute(f"select * from t where {key} like '%.{name}'").read_all()
    names = found.schema.names
    columns = [column.to_pylist() for column in found.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def refreshes(place: Path) -> Counter[str]:
    """The refreshes that a view's own history holds, with how often each is there. A MERGE carries
    its refresh in a condition, in hexadecimal digits."""
    found: list[str] = []
    for commit in DeltaTable(place).history():
        told = [commit.get("userMetadata") or ""]
        parameters = str(commit.get("operationParameters"))
        told += [bytes.fromhex(digits).decode() for digits in HEX.findall(parameters)]
        found += {job for text in told for job in JOB.findall(text)}
    return Counter(found)
