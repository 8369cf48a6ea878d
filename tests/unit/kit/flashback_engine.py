"""The part of the pretended Spark that flashback needs: track points by the text that writes them.

What SQL alone decides, which track points go, is told by the test: engines play that.
"""

from __future__ import annotations

import re
from typing import Any

from .engine import LAYOUT, NAME, Engine, Table, _plain, micros
from .lexer import strings

POINT = re.compile(
    r"\(('[^']*'|cast\(null as string\)), ('[^']*'|cast\(null as string\)),"
    r" cast\((\d+) as bigint\), timestamp_micros\((\d+)\)\)"
)
FLASHBACK = ("mview_trackpoints", "mview_flashback_info", "mview_flashback_readers")


class FlashbackEngine(Engine):
    """registered: what views read. points: (time, relation, table_id, version, commit_time).
    infos: rows of mview_flashback_info. plan: what a cleaning would do. silent: VACUUM commits
    nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.registered: list[str] = []
        self.points: list[tuple[int, str, str, int, int]] = []
        self.infos: dict[str, list[Any]] = {}
        self.low: int | None = None
        self.plan_of_cleaning: list[Any] = [None, 0, 0, 0]
        self.status: list[Any] = [0, None, None, None, 0]
        self.silent = False

    def used(self) -> FlashbackEngine:
        """Flashback was used before."""
        self.built_state()
        for name in FLASHBACK:
            self.state_tables[name] = dict(LAYOUT)
        return self

    def _read_registered(self, sql: str) -> Table:
        assert "explode(sources)" in sql, sql
        return Table([[name] for name in self.registered])

    def _read_tables(self, sql: str) -> Table:
        """Also the tables of a schema."""
        found = re.fullmatch(rf"show tables in ({NAME})", sql)
        if not found:
            return super()._read_tables(sql)  # type: ignore[misc,no-any-return]
        schema = found.group(1).strip("`")
        names = [name.split(".") for name in self.tables]
        return Table([[one[1], one[2], False] for one in names if one[1] == schema])

    def _read_trackpoints(self, sql: str) -> Table:
        if "max_by" in sql:
            newest = max((self._day(one[0]) for one in self.points), default="")
            last = {one[1]: one for one in sorted(self.points) if self._day(one[0]) == newest}
            return Table([[newest, *one[1:], one[0]] for one in last.values()])
        at = int(re.findall(r"timestamp_micros\((\d+)\)", sql)[0])
        relation = next(one for one in strings(sql) if one.count(".") == 2)
        mine = sorted(one for one in self.points if one[1] == relation)
        chosen = {
            "before": [one for one in mine if one[0] < at][-1:],
            "after": [one for one in mine if one[0] >= at][:1],
            "last": mine[-1:],
        }
        return Table([[which, *one[0][1:]] for which, one in chosen.items() if one])

    def _day(self, at: int) -> str:
        return f"2024-03-{1 + (at - micros(0)) // 86_400_000_000:02d}"

    def _do_trackpoint(self, sql: str) -> Table:
        (at,) = set(re.findall(r"'txnVersion' = '(\d+)'", sql))
        if all(int(at) > one[0] for one in self.points):
            rows = set(POINT.findall(sql))
            self.points += [
                (int(at), name[1:-1], table[1:-1], int(version), int(time))
                for name, table, version, time in rows
            ]
        return Table([])

    def _read_flashback_info(self, sql: str) -> Table:
        return Table([[name, *row] for name, row in self.infos.items()])

    def _read_flashback_low(self, sql: str) -> Table:
        return Table([[self.low]])

    def _read_cleaning(self, sql: str) -> Table:
        return Table([self.plan_of_cleaning])

    def _read_flashback_status(self, sql: str) -> Table:
        return Table([self.status])

    def _do_vacuum(self, sql: str) -> Table:
        found = re.fullmatch(rf"vacuum ({NAME})( lite)?", sql)
        assert found, sql
        if not self.silent:
            table = self.tables[_plain(found.group(1))]
            for operation in ("VACUUM START", "VACUUM END"):
                table.commit(self.minute, operation)
        return Table([])

    def _do_protect(self, sql: str) -> Table:
        return Table([])

    def _do_reader(self, sql: str) -> Table:
        return Table([])

    def _do_guarantee(self, sql: str) -> Table:
        return Table([])

    def _do_clean(self, sql: str) -> Table:
        return Table([])
