"""State as Delta's log tells it: who is due when, without an engine.

One row of state is one partition, and so one file, whose statistics hold what the scheduler asks
(the macro `_state_properties_sql`). Only where they say too little the file itself is opened: a
schedule whose text is cut off and needed, a row of an older layout, the reason of a failure.
"""

from __future__ import annotations

import json
import math
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from arro3.core import DataType, Table
from deltalake import DeltaTable, QueryBuilder
from deltalake.exceptions import DeltaError

from dbt_mview.schedule import micros
from dbt_mview.serve import messages as m
from dbt_mview.serve.delta_log import Action, BadCommit, DeltaLog, Stamp, Unreadable
from dbt_mview.serve.times import SECOND
from dbt_mview.serve.words import first_line

HOUR = 3600.0
MILLISECOND = 1000
TIMES = ("next_time", "retry_time", "lease_until", "paused_time", "last_refresh_time")
NEEDED = ("failures", *TIMES)
TEXTS = ("schedule", "spec", "last_refresh_failed_reason")
PROBLEM_LENGTH = 300
# Microseconds since the epoch, of the year 9892: soon after it Python has no times.
LAST = 250_000_000_000 * SECOND
# Files that are opened at once: of each a few kilobytes are kept, and a request is waited for.
FILES = 1000
REQUESTS = 16


@dataclass(frozen=True, slots=True)
class Detail:
    """What the page shows of a row, beyond what the core is told.

    Args:
        kind: view or log.
        schedule: in the words of the config, as JSON; empty for none. Where the reading does not
            give all of it, it ends in an ellipsis.
        problem: the first line of the last failure, if there were failures since the last success
            and the reading says it.
        fault: what is wrong with the row itself, and so is left out; empty for nothing.
    """

    kind: m.Kind
    schedule: str
    problem: str
    fault: str = ""


def row_of(
    id_: str,
    version: int,
    *,
    next_time: int | None,
    retry_time: int | None,
    failures: int | None,
    ended: int | None,
    lease_until: int | None,
    paused_time: int | None,
    schedule: Mapping[str, Any] | None,
    took: float | None,
) -> m.Row:
    """Makes the row that the core is told, the same one whichever way state was read.

    Statistics of Delta's log are cut off after milliseconds, so all times are taken as the last
    microsecond of theirs: never before the time that state has, and less than 1 ms after it.

    Args:
        id_: catalog.schema.identifier.
        version: see `m.Row`.
        next_time: microseconds since the epoch, like the other times; None for null.
        retry_time: see `m.Row`.
        failures: since the last success; None for none.
        ended: last_refresh_time.
        lease_until: see `m.Row`.
        paused_time: None if it is not paused.
        schedule: see `checked`; empty if there is one of which nothing else is needed.
        took: seconds of the last refresh, if known.
    """
    cron = pause = None
    if schedule is None:
        next_time = retry_time = None
    elif next_time is None and "cron" in schedule:
        zone = schedule.get("time_zone_value") or "UTC"
        cron = m.Cron(schedule["cron"], zone, schedule.get("after"))
    elif "on_update" in schedule or "target_lag" in schedule:
        pause = int((schedule.get("target_lag") or schedule.get("at_most_every") or 0) * SECOND)
    return m.Row(
        id_,
        version,
        next_time=_end_of_millisecond(next_time),
        retry_time=_end_of_millisecond(retry_time),
        failures=failures or 0,
        ended=_end_of_millisecond(ended),
        lease_until=_end_of_millisecond(lease_until),
        paused_time=_end_of_millisecond(paused_time),
        took=took,
        cron=cron,
        at_most_every=pause,
    )


def checked(schedule: object) -> tuple[Mapping[str, Any] | None, str]:
    """A schedule that can be followed, or none: what is wrong with one row keeps up no other.

    Args:
        schedule: as state has it, whatever was written there; None for none.

    Returns:
        The schedule or None, and what is wrong with it.
    """
    if schedule is None:
        return None, ""
    if not isinstance(schedule, dict):
        return None, f"its schedule in state is {_shown(schedule)}, where a mapping is needed"
    for name, can_be in PARTS.items():
        if name in schedule and not can_be(schedule[name]):
            return None, f"its schedule in state says {name} {_shown(schedule[name])}"
    return schedule, ""


def _shown(value: object) -> str:
    """What state says, at a length that can be read."""
    return json.dumps(value)[:PROBLEM_LENGTH]


def _is_span(value: object) -> bool:
    """Whether it is a number of seconds; JSON of Python knows NaN and Infinity, too."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value < math.inf  # type: ignore[operator]


# What the parts of a schedule have to be that are read here.
PARTS: Mapping[str, Callable[[Any], bool]] = {
    "cron": lambda value: isinstance(value, str),
    "time_zone_value": lambda value: value is None or isinstance(value, str),
    "after": lambda value: value is None or (type(value) is int and 0 <= value < LAST),
    "every": _is_span,
    "at_most_every": lambda value: value is None or _is_span(value),
    "target_lag": _is_span,
}


def detail_of(kind: m.Kind, schedule: object, reason: str | None) -> Detail:
    """Makes what the page shows.

    Args:
        kind: view or log.
        schedule: as state has it, or None.
        reason: of the last failure, if it is still one; None otherwise.
    """
    return Detail(kind, _words(schedule), _problem(reason or ""), checked(schedule)[1])


def nameless(kind: m.Kind, count: int) -> dict[str, Detail]:
    """What the page shows of rows that are nobody's, as one line.

    Args:
        kind: view or log.
        count: of the rows in its table without an id.
    """
    fault = f"rows of state without an id, which are nobody's: {count}; delete them"
    return {f"({kind}s without an id)": Detail(kind, "", "", fault)} if count else {}


class LogState:
    """Reads state from the logs of its two tables. May be called from several threads.

    Args:
        views: location of mview_refresh_info, as `describe detail` prints it.
        logs: of mlog_purge_info; None where there is none.
        options: of the object store, see `DeltaLog`.
        clock: seconds since the epoch; a test may give its own.

    Raises:
        Unreadable: it is storage of another kind.
    """

    def __init__(
        self,
        views: str,
        logs: str | None,
        options: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Reads nothing yet."""
        self._tables = [_Table("view", "mview_id", DeltaLog(views, options))]
        if logs is not None:
            self._tables.append(_Table("log", "mlog_id", DeltaLog(logs, options)))
        self._clock = clock
        self._lock = threading.Lock()
        self._was_told = False

    def fetch(self, action: m.Fetch) -> m.Fetched:
        """Reads both tables: their new commits, or all that they hold.

        All of it is read the first time, where commits do not say enough, and where that was last
        done more than an hour ago.

        Raises:
            Unreadable: a table cannot be read; then nothing is told of either.
        """
        with self._lock:
            self._catch_up()
            is_whole = action.is_whole or not self._was_told
            rows: list[m.Row] = []
            gone = set()
            for table in self._tables:
                if is_whole:
                    rows += (entry.row for entry in table.entries.values())
                    continue
                rows += (table.entries[id_].row for id_ in table.changed & table.entries.keys())
                gone |= table.changed
            gone -= {id_ for table in self._tables for id_ in gone & table.entries.keys()}
            for table in self._tables:
                table.changed.clear()
            self._was_told = True
        return m.Fetched(action.number, tuple(rows), is_whole, tuple(sorted(gone)))

    def read(self, ids: Collection[str]) -> tuple[m.Row, ...]:
        """The rows of these, as new as now; what is not in state is left out.

        What else has changed meanwhile is told by the next `fetch`.

        Raises:
            Unreadable: a table cannot be read.
        """
        with self._lock:
            self._catch_up()
            return tuple(
                table.entries[id_].row
                for table in self._tables
                for id_ in ids
                if id_ in table.entries
            )

    def is_changed(self) -> bool:
        """Whether there is a commit after the last one read, by any scheduler.

        Costs microseconds on disk, and one request for each table elsewhere. False as well where
        storage does not answer: the next `fetch` says so.
        """
        try:
            return any(table.is_changed() for table in self._tables)
        except Unreadable:
            return False

    def details(self) -> Mapping[str, Detail]:
        """By id, what the page shows of the rows that were read last.

        Does not wait for a reading that goes on.
        """
        found: dict[str, Detail] = {}
        for table in self._tables:
            found |= nameless(table.kind, table.nameless)
            # A copy is made at once; the dict itself may change meanwhile.
            for id_, entry in table.entries.copy().items():
                found[id_] = Detail(table.kind, entry.schedule, entry.problem, entry.fault)
        return found

    def _catch_up(self) -> None:
        now = self._clock()
        for table in self._tables:
            table.catch_up(now)


class _Entry(NamedTuple):
    """A row, and the file that holds it."""

    path: str
    row: m.Row
    schedule: str
    problem: str
    fault: str


class _Gap(Exception):
    """Commits do not say what changed: the whole table has to be read."""


class _Facts(NamedTuple):
    """What is known of a row without opening its file.

    Args:
        known: by column, the value or None; unknown ones are left out.
        schedule: its text, or the beginning of it.
        is_cut: whether it is only the beginning, or unknown.
    """

    known: Mapping[str, int | None]
    schedule: str | None
    is_cut: bool


class _File(NamedTuple):
    """A file of the table, which holds one row."""

    path: str
    version: int
    facts: _Facts


class _Table:
    """One table of state, as far as its log was read. An error leaves all as it was."""

    def __init__(self, kind: m.Kind, key: str, log: DeltaLog) -> None:
        self.kind = kind
        self.entries: dict[str, _Entry] = {}
        self.changed: set[str] = set()  # since the last answer
        self.nameless = 0  # rows without an id
        self._key, self._log = key, log
        self._version = -1
        self._stamp: Stamp | None = None
        self._table_id = self._schema = ""
        self._doubled: set[str] = set()
        # A table that was made anew begins at version 0; its rows are newer all the same.
        self._base = 0
        self._whole_at = 0.0

    def is_changed(self) -> bool:
        """Whether there is a commit after the last one read, or another table."""
        if self._version < 0 or self._is_another():
            return True
        return self._log.stamp(self._version + 1) is not None

    def catch_up(self, now: float) -> None:
        """Reads what is new; all of it once an hour, however much was read meanwhile.

        Commits alone do not say that others are missing, as the log is cleaned up after a day and
        this machine may have slept; nor, in an object store, that the table was made anew.
        """
        is_old = abs(now - self._whole_at) > HOUR
        if self._version >= 0 and not is_old and not self._is_another():
            try:
                self._read_forward()
                return
            except (_Gap, BadCommit, ValueError):
                pass  # The whole table says it, or what is wrong with it.
        self._read_whole()
        self._whole_at = now

    def _is_another(self) -> bool:
        """Whether the last commit read is gone, or another: the table was made anew.

        In an object store it would be one more request each time: there `catch_up` finds it, by
        what it reads each hour.
        """
        return self._log.is_local and self._log.stamp(self._version) != self._stamp

    def _read_forward(self) -> None:
        """Reads the commits after the last one read."""
        files: dict[str, _File | None] = {}
        version = self._version
        while (commit := self._log.commit(version + 1)) is not None:
            version += 1
            self._apply(version + self._base, list(commit), files)
        if version == self._version:
            return
        found = self._entries_of({id_: file for id_, file in files.items() if file}, self._schema)
        self._replace(found, files.keys() - found.keys())
        self._reach(version)

    def _apply(self, version: int, commit: list[Action], files: dict[str, _File | None]) -> None:
        """Notes what a commit did.

        Raises:
            _Gap: it does not say, or it changes more than rows.
        """
        if any("metaData" in action or "protocol" in action for action in commit):
            raise _Gap
        held: _File | _Entry | None
        for action in commit:
            if remove := action.get("remove"):
                id_ = self._id_of(remove)
                held = files[id_] if id_ in files else self.entries.get(id_)
                if held and held.path == remove["path"]:
                    files[id_] = None
        for action in commit:
            if add := action.get("add"):
                id_ = self._id_of(add)
                held = files[id_] if id_ in files else self.entries.get(id_)
                if add.get("deletionVector") or (held and held.path != add["path"]):
                    raise _Gap
                files[id_] = _File(add["path"], version, self._facts_of(add))

    def _id_of(self, file: Action) -> str:
        """Whose row a file holds."""
        id_ = (file.get("partitionValues") or {}).get(self._key)
        # Of two files of a row the newer one counts, until it goes.
        if not isinstance(id_, str) or id_ in self._doubled:
            raise _Gap
        return id_

    def _facts_of(self, add: Action) -> _Facts:
        """What the statistics of a file say."""
        statistics = json.loads(add.get("stats") or "{}")
        if statistics.get("numRecords", 1) != 1:
            raise _Gap
        nulls, lows, highs = (
            statistics.get(name) or {} for name in ("nullCount", "minValues", "maxValues")
        )
        known: dict[str, int | None] = {}
        for column in _columns(self._schema):
            if column in highs:
                high = highs[column]
                known[column] = _micros(high) if column in TIMES else high
            elif nulls.get(column) == 1:
                known[column] = None
        return _facts(known, nulls.get("schedule"), lows.get("schedule"), highs.get("schedule"))

    def _read_whole(self) -> None:
        """Reads what the table holds now."""
        where = self._log.location
        try:
            table = DeltaTable(where, storage_options=self._log.options)
            version, schema = table.version(), table.schema().to_json()
            table_id = str(table.metadata().id)
            deleted = _deleted(table)
            adds = table.get_add_actions(flatten=True)
        except (DeltaError, OSError, ValueError) as error:
            raise Unreadable(f"{where}: state cannot be read: {first_line(error)}") from error
        if f"partition.{self._key}" not in adds.column_names:
            raise Unreadable(f"{where} is not partitioned by {self._key}: it is no table of state")
        base = self._base
        if self._table_id not in ("", table_id):
            base += self._version + 1
        newest: dict[str, tuple[int, _File]] = {}
        doubled = set()
        unnamed = 0
        for id_, path, modified, rows, facts in _listed(adds, self._key, _columns(schema)):
            if rows == deleted.get(path, 0):
                continue
            if id_ is None:
                unnamed += 1 if rows is None else rows - deleted.get(path, 0)
                continue
            if (rows or 1) > 1 or path in deleted:
                raise Unreadable(
                    f"{where}: a file holds {rows} rows of {id_}, where state has one row of each; "
                    "give --reader operation"
                )
            if id_ in newest:
                doubled.add(id_)
                if newest[id_][0] > modified:
                    continue
            newest[id_] = modified, _File(path, version + base, facts)
        new = {}
        for one, (_, file) in newest.items():
            held = self.entries.get(one)
            if held is None or held.path != file.path:
                new[one] = file
        found = self._entries_of(new, schema)
        self._replace(found, (self.entries.keys() - newest.keys()) | (new.keys() - found.keys()))
        self._schema, self._table_id, self._doubled, self._base = schema, table_id, doubled, base
        self.nameless = unnamed
        self._reach(version)

    def _reach(self, version: int) -> None:
        """Notes up to where it was read."""
        self._version = version
        self._stamp = self._log.stamp(version) if self._log.is_local else None

    def _replace(self, found: Mapping[str, _Entry], gone: Collection[str]) -> None:
        """Takes rows over. One that says the same as before keeps its version."""
        for id_, entry in found.items():
            held = self.entries.get(id_)
            if held and replace(entry.row, version=held.row.version) == held.row:
                entry = entry._replace(row=held.row)
            else:
                self.changed.add(id_)
            self.entries[id_] = entry
        for id_ in gone:
            if self.entries.pop(id_, None):
                self.changed.add(id_)

    def _entries_of(self, files: Mapping[str, _File], schema: str) -> dict[str, _Entry]:
        """Makes rows of files; opens those of which too little is known."""
        needed = len(_columns(schema))
        found: dict[str, _Entry] = {}
        unknown: dict[str, str] = {}
        for id_, file in files.items():
            known, text, is_cut = file.facts
            if len(known) < needed or known.get("failures") or _is_needed(file.facts):
                unknown[id_] = file.path
            else:
                plan = _Plan({}, f"{text}…", "") if is_cut else _plan(text)
                found[id_] = self._entry(id_, file, known, plan)
        for id_, values in _contents(self._log, self._key, schema, unknown):
            plan = _plan(values.get("schedule"))
            if id_ in found:
                raise Unreadable(f"{self._log.location}: {id_} has two rows; keep one of them")
            found[id_] = self._entry(id_, files[id_], values, plan)
        return found

    def _entry(self, id_: str, file: _File, values: Mapping[str, Any], plan: _Plan) -> _Entry:
        took, fault = _took(values.get("spec"))
        reason = values.get("last_refresh_failed_reason") if values.get("failures") else None
        row = row_of(
            id_,
            file.version,
            next_time=values.get("next_time"),
            retry_time=values.get("retry_time"),
            failures=values.get("failures"),
            ended=values.get("last_refresh_time"),
            lease_until=values.get("lease_until"),
            paused_time=values.get("paused_time"),
            schedule=plan.schedule,
            took=took,
        )
        return _Entry(file.path, row, plan.words, _problem(reason or ""), plan.fault or fault)


def _end_of_millisecond(at: int | None) -> int | None:
    return None if at is None else at // MILLISECOND * MILLISECOND + MILLISECOND - 1


def _micros(text: str) -> int:
    """The microseconds of a time as statistics have it. Raises ValueError."""
    # Python 3.10 knows no Z.
    return micros(datetime.fromisoformat(text.replace("Z", "+00:00")))


def _facts(
    known: Mapping[str, int | None], nulls: int | None, low: str | None, high: str | None
) -> _Facts:
    """Statistics of texts are cut off after some characters; then the maximum is another one."""
    if low is None or high is None:
        return _Facts(known, None, nulls != 1)
    return _Facts(known, low, low != high)


def _is_needed(facts: _Facts) -> bool:
    """Whether more of the schedule has to be known than the beginning that is.

    The beginning is the package's own, before any text of a user: `_schedule_form` in macros.
    """
    if not facts.is_cut:
        return False
    beginning = facts.schedule or ""
    if beginning.startswith(('{"start_with": ', '{"next": ', '{"every": ')):
        return False
    return not beginning.startswith('{"cron": ') or facts.known.get("next_time") is None


class _Plan(NamedTuple):
    """What a text of state says of when a row is due: see `checked` and `Detail`."""

    schedule: Mapping[str, Any] | None
    words: str
    fault: str


@lru_cache(maxsize=4096)
def _plan(text: str | None) -> _Plan:
    """Reads it; what is none has no plan."""
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return _Plan(None, text or "", f"its schedule in state is no JSON: {_problem(text or '')}")
    schedule, fault = checked(found)
    return _Plan(schedule, _words(found), fault)


def _words(schedule: object) -> str:
    if schedule is None:
        return ""
    if not isinstance(schedule, dict):
        return json.dumps(schedule)
    return json.dumps({key: value for key, value in schedule.items() if key != "after"})


def _problem(reason: str) -> str:
    return first_line(reason)[:PROBLEM_LENGTH]


def _took(spec: str | None) -> tuple[float | None, str]:
    """The seconds of the last refresh, which a view's spec keeps (`_with_durations` in macros).

    Returns:
        None where it does not say them; and what is wrong with it.
    """
    try:
        last = ((json.loads(spec) if spec else {}).get("took") or {}).get("last")
        took = float(last[0][2]) if last else None
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError):
        return None, f"its spec in state is not understood: {_problem(spec or '')}"
    return (took if _is_span(took) else None), ""


@lru_cache(maxsize=16)
def _columns(schema: str) -> tuple[str, ...]:
    """Those whose values a row needs; logs, and older layouts, do not have all of them."""
    there = _names(schema)
    return tuple(name for name in NEEDED if name in there)


@lru_cache(maxsize=16)
def _names(schema: str) -> frozenset[str]:
    """The columns of a table."""
    return frozenset(field["name"] for field in json.loads(schema)["fields"])


def _deleted(table: DeltaTable) -> dict[str, int]:
    """By path of a file with a deletion vector, how many rows it deletes."""
    if "deletionVectors" not in (table.protocol().reader_features or []):
        return {}
    found = table.deletion_vectors().read_all()
    root = table.table_uri.rstrip("/") + "/"
    paths = (str(uri).removeprefix(root) for uri in found.column("filepath").to_pylist())
    kept = found.column("selection_vector").to_pylist()
    return {path: flags.count(False) for path, flags in zip(paths, kept, strict=True)}


def _listed(
    adds: Table, key: str, columns: Collection[str]
) -> Iterator[tuple[str | None, str, int, int | None, _Facts]]:
    """The files of a table: partition, path, time of modification, number of rows, facts."""

    def values(name: str) -> list[Any]:
        if name not in adds.column_names:
            return [None] * adds.num_rows
        column = adds.column(name)
        if name.partition(".")[2] in TIMES and not name.startswith("null_count"):
            column = column.cast(DataType.int64())
        return list(column.to_pylist())

    plain = zip(
        *map(values, (f"partition.{key}", "path", "modification_time", "num_records")),
        *map(values, ("null_count.schedule", "min.schedule", "max.schedule")),
        strict=True,
    )
    highs = zip(*(values(f"max.{name}") for name in columns), strict=True)
    nulls = zip(*(values(f"null_count.{name}") for name in columns), strict=True)
    for (id_, path, modified, rows, none, low, top), high, null in zip(
        plain, highs, nulls, strict=True
    ):
        known = {
            name: value
            for name, value, empty in zip(columns, high, null, strict=True)
            if value is not None or empty == 1
        }
        yield id_, path, modified, rows, _facts(known, none, low, top)


def _contents(
    log: DeltaLog, key: str, schema: str, paths: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Opens files: yields the values of their rows, by partition.

    deltalake opens the files of tables only, and would read the whole log of this one again for it:
    so they are a table of their own for a moment.
    """
    ids = list(paths)
    there = _names(schema)
    columns = [f'cast("{name}" as bigint) as "{name}"' for name in _columns(schema)]
    columns += [f'"{name}"' for name in TEXTS if name in there]
    query = f'select "{key}", {", ".join(columns)} from state'
    for begin in range(0, len(ids), FILES):
        some = ids[begin : begin + FILES]
        with (
            tempfile.TemporaryDirectory(prefix="dbt-mview-") as place,
            ThreadPoolExecutor(1 if log.is_local else REQUESTS) as pool,
        ):
            contents = pool.map(log.file, [paths[id_] for id_ in some])
            actions: list[Action] = [
                {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
                {
                    "metaData": {
                        "id": str(uuid4()),
                        "format": {"provider": "parquet", "options": {}},
                        "schemaString": schema,
                        "partitionColumns": [key],
                        "configuration": {},
                    }
                },
            ]
            for number, (id_, content) in enumerate(zip(some, contents, strict=True)):
                Path(place, f"{number}.parquet").write_bytes(content)
                add = {"path": f"{number}.parquet", "partitionValues": {key: id_}}
                file = {"size": len(content), "modificationTime": 0, "dataChange": True}
                actions.append({"add": {**add, **file}})
            Path(place, "_delta_log").mkdir()
            text = "\n".join(map(json.dumps, actions))
            Path(place, "_delta_log", f"{0:020d}.json").write_text(text)
            try:
                table = (
                    QueryBuilder().register("state", DeltaTable(place)).execute(query).read_all()
                )
            except (DeltaError, OSError, ValueError) as error:
                raise Unreadable(
                    f"{log.location}: rows cannot be read: {first_line(error)}"
                ) from error
        for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
            row = dict(zip(table.column_names, values, strict=True))
            yield row.pop(key), row
