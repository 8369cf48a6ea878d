"""The part of the pretended Spark that materialized view logs need: what a table's feed holds, and
what a log of it holds at each of its versions.

The rows of a feed follow from the commits of its table. What a capture does is told here from the
statement's own text: its guard, its transaction identifier and the versions that it reads.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import state_sql
from .engine import (
    FEED,
    FLASHBACK,
    LAYOUT,
    NAME,
    TRIED,
    Commit,
    Delta,
    Engine,
    Foreign,
    Table,
    _meta,
    _plain,
    as_data,
    as_text,
    micros,
    selected,
)
from .lexer import strings, unescape
from .state_sql import RETRIED, RaisedError
from .templates import columns_of_state, state_layout

PROPERTY = r"('(?:[^'\\]|\\.)*') = ('(?:[^'\\]|\\.)*')"
GUARD = re.compile(
    rf"not exists \(\s+select 1 from ({NAME}) as logged\s+"
    r"where logged\._commit_version > (\d+)\s+\)"
)
LOGGED = re.compile(
    rf"from ({NAME}) version as of (\d+)\n"
    r"    where _commit_version > (\d+) and _commit_version <= (\d+)"
)
CHANGES = re.compile(r"table_changes\(('(?:[^'\\]|\\.)*'), (\d+), (\d+)\)")


@dataclass(frozen=True)
class Change:
    """One row of a change data feed. table: its id, so that no row is one of another table."""

    table: str
    version: int
    kind: str
    number: int
    minute: float = 0


def fed(table: Delta, after: int, end: int) -> list[Change]:
    """The rows of the table's feed: what its commits did, whether or not the files are there."""
    rows = []
    for commit in table.commits:
        if after < commit.version <= end:
            kinds = _kinds(commit)
            rows += [
                Change(table.id, commit.version, kind, number, commit.minute)
                for number, kind in enumerate(kinds)
            ]
    return rows


def _kinds(commit: Commit) -> list[str]:
    if commit.operation == "WRITE":
        return ["insert"] * (commit.rows or 0)
    if commit.operation == "DELETE":
        return ["delete"] * int(commit.metrics["numDeletedRows"])
    if commit.operation == "UPDATE":
        return ["update_preimage", "update_postimage"] * int(commit.metrics["numUpdatedRows"])
    return []


class LogEngine(Engine):
    """An engine with tables that are logs. logs: the base of each, as in mlog_purge_info; log_rows:
    its other columns, by those that are set; purges: the rows of mlog_purge_hist, by id;
    broken: whether a batch fails; per_file: how many rows of one version a file of a log holds."""

    def __init__(self) -> None:
        super().__init__()
        self.logs: dict[str, str] = {}
        self.log_rows: dict[str, dict[str, Any]] = {}
        self.purges: dict[str, dict[str, Any]] = {}
        self.broken = False
        self.per_file = 1000
        self.held: dict[str, dict[int, tuple[Change, ...]]] = {}

    def built_state(self) -> None:
        """State tables of views and of logs."""
        self.schemas.add("shop_mview")
        names = [name for name in state_layout()["tables"] if name not in FLASHBACK]
        self.state_tables.update({name: dict(LAYOUT) for name in names})

    def rows_of(self, name: str, version: int | None = None) -> list[Change]:
        """What a log holds, now or at a version of its table."""
        table = self.tables[name]
        at = table.commits[-1].version if version is None else version
        snapshots = self.held.get(name, {})
        return list(snapshots[max(known for known in snapshots if known <= at)])

    def purge(self, name: str, start: dict[str, int], upto: int) -> None:
        """As a purge does: the start is raised first, then older rows are deleted."""
        table = self.tables[name]
        base = json.loads(table.properties["dbt_mview.mlog"])["base"]
        table.properties["dbt_mview.purged"] = json.dumps({"base": base, "start": start})
        table.commit(self.minute, "SET TBLPROPERTIES")
        self._delete(name, upto, f"{0:032x}-0")

    def _delete(self, name: str, upto: int, mark: str) -> None:
        table, held = self.tables[name], self.rows_of(name)
        kept = tuple(row for row in held if row.version > upto)
        if len(kept) < len(held):
            given = {"predicate": f'["((_commit_version <= {upto}L) AND (cast(v) <> {mark}))"]'}
            gone = len(held) - len(kept)
            files = self._files(held) - self._files(kept)
            told = {"numDeletedRows": gone, "numRemovedFiles": files}
            table.commit(self.minute, "DELETE", parameters=given, **told)
            self.held[name][table.commits[-1].version] = kept

    def _files(self, rows: Iterable[Change]) -> int:
        """How many files hold these rows: each is of one version."""
        counts = Counter(row.version for row in rows)
        return sum(-(-count // self.per_file) for count in counts.values())

    def files_of(self, table: Delta | Foreign) -> int:
        names = [name for name in self.held if self.tables.get(name) is table]
        return self._files(self.rows_of(names[0])) if names else super().files_of(table)

    # reads

    def _read_logs(self, sql: str) -> Table:
        found = re.fullmatch(
            rf"select mlog_id from {NAME}(?: where base = ('.*'))? order by mlog_id", sql, re.DOTALL
        )
        assert found, sql
        base = unescape(found.group(1)) if found.group(1) else None
        ids = [mlog_id for mlog_id, of in self.logs.items() if base in (None, of)]
        return Table([[mlog_id] for mlog_id in sorted(ids)])

    def _read_logs_held(self, sql: str) -> Table:
        (owner,) = strings(sql)
        rows = [(id_, row) for id_, row in self.log_rows.items() if row.get("lock_owner") == owner]
        return Table([[id_, row["lock_token"]] for id_, row in rows])

    def _read_log_rows(self, sql: str) -> Table:
        found = re.fullmatch(rf"select count\(\*\) from ({NAME})", sql)
        assert found, sql
        return Table([[len(self.rows_of(_plain(found.group(1))))]])

    def _read_logged_changes(self, sql: str) -> Table:
        rows = self.logged(sql)
        kinds = [set(strings(part)) for part in re.findall(r"count_if\((.*)\) as", sql)]
        counts = [sum(row.kind in wanted for row in rows) for wanted in kinds]
        assert len(counts) == 2 and not kinds[0] & kinds[1], sql
        return Table([counts])

    def _read_last_logged(self, sql: str) -> Table:
        found = re.search(rf"\nfrom ({NAME}) version as of (\d+)$", sql)
        assert found and "max(_commit_version)" in sql, sql
        rows = self.rows_of(_plain(found.group(1)), int(found.group(2)))
        if not rows:
            return Table([[None, None]])
        last = max(rows, key=lambda row: row.version)
        return Table([[last.version, micros(last.minute)]])

    def logged(self, sql: str) -> list[Change]:
        """The rows of a log that a statement reads as of a version, see logged_changes.sql."""
        found = LOGGED.search(sql)
        assert found, sql
        version, after, end = (int(text) for text in found.groups()[1:])
        rows = self.rows_of(_plain(found.group(1)), version)
        return [row for row in rows if after < row.version <= end]

    def _read_log_row(self, sql: str) -> Table:
        (mlog_id,) = strings(sql.split("where", 1)[1])
        rows = self.rows_of_state("mlog_purge_info") or {}
        if mlog_id not in rows:
            return Table([])
        row = {**rows[mlog_id], "lease_over": self.lease_over(rows[mlog_id])}
        return Table([[row[name] for name in selected(sql)]])

    def rows_of_state(self, table: str) -> dict[str, dict[str, Any]] | None:
        """Those of logs and purges as well, as far as tests give them."""
        names = dict.fromkeys(columns_of_state(table))
        if table == "mlog_purge_info":
            rows = {mlog_id: as_text(self.log_rows.get(mlog_id, {})) for mlog_id in self.logs}
            return {
                mlog_id: {**names, **row, "mlog_id": mlog_id, "base": self.logs[mlog_id]}
                for mlog_id, row in rows.items()
            }
        if table == "mlog_purge_hist":
            return {id_: {**names, **row, "purge_job_id": id_} for id_, row in self.purges.items()}
        return super().rows_of_state(table)

    def put_state(self, change: state_sql.Change) -> None:
        """Writes, or deletes, a row of a state table."""
        kept = {"mlog_purge_info": self.log_rows, "mlog_purge_hist": self.purges}.get(change.table)
        if kept is None:
            super().put_state(change)
        elif change.row is None:
            del self.logs[change.key]
            self.log_rows.pop(change.key, None)
        else:
            kept.setdefault(change.key, {}).update(as_data(change.row))
            if change.table == "mlog_purge_info":
                self.logs[change.key] = change.row["base"]

    def _read_next_batch(self, sql: str) -> Table:
        found = re.search(
            rf"from ({NAME})\n +where _commit_version > (-?\d+) and _commit_version <= (\d+)", sql
        )
        most = re.search(r"files <= (\d+)$", sql)
        assert found and most, sql
        after, safe = int(found.group(2)), int(found.group(3))
        rows = [row.version for row in self.rows_of(_plain(found.group(1)))]
        upto, files, count = None, 0, 0
        for version in sorted({one for one in rows if after < one <= safe}):
            more = -(-rows.count(version) // self.per_file)
            if upto is not None and files + more > int(most.group(1)):
                break
            upto, files, count = version, files + more, count + rows.count(version)
        return Table([[upto, files or None, count or None]])

    # writes

    def _do_acquire_log(self, sql: str) -> Table:
        try:
            self.change_state(sql)
        except RaisedError:
            return Table([["busy"]])
        return Table([["acquired"]])

    _do_keep_lock = _do_acquire_log

    def _do_note_purge(self, sql: str) -> Table:
        self._alter(sql)
        return Table([])

    def _do_open_purge(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_purge_batch(self, sql: str) -> Table:
        tried = sql.startswith("begin")
        found = re.search(
            rf"delete from ({NAME})\nwhere _commit_version <= (\d+)"
            r"\n    and cast\(_commit_version as string\) <> '(.*)'",
            sql,
        )
        assert found, sql
        if self.broken and not tried:
            raise RuntimeError("[DELTA_CANNOT_MODIFY_APPEND_ONLY]")
        if not self.broken:
            self._delete(_plain(found.group(1)), int(found.group(2)), found.group(3))
        return Table([["failed" if self.broken else "done"]])

    def _do_close_purge(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_schedule(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_switch_feed_on(self, sql: str) -> Table:
        self._alter(sql)
        return Table([])

    def _do_note_capture(self, sql: str) -> Table:
        self._alter(sql)
        return Table([])

    def _do_alter_log(self, sql: str) -> Table:
        self._alter(sql)
        return Table([])

    def _alter(self, sql: str) -> None:
        found = re.fullmatch(rf"alter table ({NAME}) set tblproperties \({PROPERTY}\)", sql)
        assert found, sql
        key, value = unescape(found.group(2)), unescape(found.group(3))
        table = self.tables[_plain(found.group(1))]
        table.properties[key] = value
        parameters = {"properties": json.dumps({key: value})}
        table.commit(self.minute, "SET TBLPROPERTIES", parameters=parameters)

    def _do_start_log(self, sql: str) -> Table:
        """CREATE OR REPLACE: history and transaction identifiers stay, properties do not."""
        found = re.match(rf"create or replace table ({NAME})\n", sql)
        block = re.search(r"\ntblproperties \(\n(.*?)\n\)\n", sql, re.DOTALL)
        selected = re.search(r"\nselect\n    (.*),\n    cast\(null as string\) as _ch", sql)
        base = re.search(rf"\nfrom ({NAME})\nwhere false$", sql)
        assert found and block and selected and base, sql
        name = _plain(found.group(1))
        table = self.tables.setdefault(name, Delta([], id="table-of-log"))
        pairs = re.findall(PROPERTY, block.group(1))
        table.properties = {unescape(key): unescape(value) for key, value in pairs}
        comment = re.search(r"\ncomment ('(?:[^'\\]|\\.)*')\n", sql)
        table.comment = unescape(comment.group(1)) if comment else ""
        types = dict(self.tables[_plain(base.group(1))].columns)
        names = [text.split(" as `")[-1].strip("` ") for text in selected.group(1).split(", ")]
        table.columns = [(name, types.get(name, "string")) for name in names]
        table.columns += [("_change_type", "string"), ("_commit_version", "bigint")]
        table.columns += [("_commit_timestamp", "timestamp")]
        table.commit(self.minute, "CREATE OR REPLACE TABLE AS SELECT", 0, _meta(sql))
        self.held.setdefault(name, {})[table.commits[-1].version] = ()
        return Table([])

    def _do_add_columns(self, sql: str) -> Table:
        found = re.fullmatch(rf"alter table ({NAME}) add columns \((.*)\)", sql)
        assert found, sql
        table = self.tables[_plain(found.group(1))]
        for name, type_ in re.findall(r"`(.*?)` ([^,]+)", found.group(2)):
            table.columns = [*table.columns, (name, type_)]
        table.commit(self.minute, "ADD COLUMNS")
        return Table([])

    def _do_capture(self, sql: str) -> Table:
        """Nothing for a transaction that was seen, or for no row: then there is no commit."""
        if found := TRIED.fullmatch(sql):
            if not self.feed_is_there:
                return Table([["failed"]])
            try:
                self._do_capture(found.group(1))
            except RuntimeError:
                return Table([["failed"]])
            return Table([["done"]])
        if not self.feed_is_there:
            raise RuntimeError("[FAILED_READ_FILE.FILE_NOT_EXIST]")
        sql = _once(sql)
        found = re.match(rf"insert into ({NAME})\nwith \(", sql)
        source, transaction = CHANGES.search(sql), re.search(r"'txnVersion' = '(\d+)'", sql)
        assert found and source, sql
        name, guard = _plain(found.group(1)), GUARD.search(sql)
        base = self.tables[_plain(unescape(source.group(1)))]
        first, end = int(source.group(2)), int(source.group(3))
        if end > base.commits[-1].version or not FEED.items() <= base.properties.items():
            raise RuntimeError("[DELTA_CHANGE_DATA_NOT_RECORDED]")
        table = self.tables[name]
        rows = fed(base, first - 1, end)
        if guard and any(row.version > int(guard.group(2)) for row in self.rows_of(name)):
            rows = []
        number = int(transaction.group(1)) if transaction else table.transaction + 1
        if rows and number > table.transaction:
            table.transaction = number
            before = self.rows_of(name)
            mode = {"mode": "Append"}
            table.commit(self.minute, "WRITE", len(rows), _meta(sql), parameters=mode)
            self.held[name][table.commits[-1].version] = (*before, *rows)
        return Table([])

    def _do_register_log(self, sql: str) -> Table:
        return self.change_state(sql)


def _once(sql: str) -> str:
    """The statement of a script that repeats it on conflicts."""
    found = RETRIED.search(sql)
    assert found, sql
    statement: str = found.group(1)
    return statement
