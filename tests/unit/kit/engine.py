"""A pretended Spark: answers the reads of the protocol, notes every statement in order.

Hand-written on purpose: it knows tables, their commits, views and the rows of state, whose columns
are those of the layout. Values come out of the statements' own text, and so does what a statement
does with rows of state (`state_sql.py`). A read that it was not taught is an error.
"""

from __future__ import annotations

import datetime
import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from .lexer import Token, lex, strings, unescape
from .state_sql import Change, RaisedError, changes
from .templates import columns_of_state, state_layout

EPOCH = datetime.datetime(2024, 3, 1, tzinfo=datetime.timezone.utc)
NAME = r"(?:`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*)"
STATE_COLUMNS = columns_of_state("mview_refresh_info")
JSON_COLUMNS = ("spec", "intent", "schedule")
LAYOUT = {"dbt_mview.layout": str(state_layout()["version"])}
SOURCE_FIELDS = ("table_id", "version", "commit_time")
FUNCTIONS = (
    "avg cast count concat dense_rank explode first if max min rank row_number sum upper lag"
)
FEED = {"delta.enableChangeDataFeed": "true"}


def micros(minute: float) -> int:
    """Microseconds since the epoch of a minute of the pretended day."""
    at = EPOCH + datetime.timedelta(minutes=minute)
    return round(at.timestamp() * 1_000_000)


HISTORY_COLUMNS = (
    "version",
    "timestamp",
    "operation",
    "operationParameters",
    "operationMetrics",
    "userMetadata",
    "engineInfo",
)


POINT = re.compile(
    r"\(('[^']*'|cast\(null as string\)), ('[^']*'|cast\(null as string\)),"
    r" cast\((\d+) as bigint\), timestamp_micros\((\d+)\)\)"
)
FLASHBACK = ("mview_trackpoints", "mview_flashback_info", "mview_flashback_readers")
TRIED = re.compile(
    r"begin\n    declare exit handler for sqlexception select 'failed' as outcome;\n    begin\n"
    r"        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;\n"
    r"        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES\n"
    r"            select 'failed' as outcome;\n(.*)\n;\n        select 'done' as outcome;\n"
    r"    end;\nend",
    re.DOTALL,
)

TRIED_ANSWER = re.compile(r"begin\n.*\n;\n    end;\nend", re.DOTALL)


class Row(tuple[Any, ...]):
    """A row by position or by column name, as agate's."""

    columns: tuple[str, ...]

    def __new__(cls, values: list[Any], columns: tuple[str, ...] = ()) -> Row:
        row = super().__new__(cls, values)
        row.columns = columns
        return row

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return super().__getitem__(self.columns.index(key))
        return super().__getitem__(key)


class Table:
    """A result, as agate's table."""

    def __init__(self, rows: list[list[Any]], columns: tuple[str, ...] = ()) -> None:
        self.rows = [Row(row, columns) for row in rows]


@dataclass
class Statement:
    """One statement, or something that dbt itself does in between."""

    step: str
    sql: str


@dataclass
class Commit:
    """One commit of a Delta table. minute: of the pretended day."""

    version: int
    minute: float
    operation: str = "WRITE"
    rows: int | None = 10
    meta: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)
    engine: str | None = "Apache-Spark/4.1.1 Delta-Lake/4.4.0"

    @property
    def ours(self) -> bool:
        """Whether a refresh of the package wrote it."""
        return bool(self.meta) or "notMatchedPredicates" in self.parameters

    @property
    def at(self) -> datetime.datetime:
        return EPOCH + datetime.timedelta(minutes=self.minute)


@dataclass
class Delta:
    """A Delta table with its commits, oldest first. older_columns: of versions with others; bytes:
    so many that FAST stages what changed, as the scenes want it."""

    commits: list[Commit]
    columns: list[tuple[str, str]] = field(default_factory=list)
    id: str = "table-0"
    comment: str = ""
    transaction: int = -1
    properties: dict[str, str] = field(default_factory=dict)
    size: int = 1000
    bytes: int = 10**9
    older_columns: dict[int, list[tuple[str, str]]] = field(default_factory=dict)

    kind = "delta"

    def commit(
        self,
        minute: float,
        operation: str = "WRITE",
        rows: int | None = None,
        meta: str | None = None,
        *,
        parameters: dict[str, str] | None = None,
        **metrics: int,
    ) -> None:
        """Adds a commit."""
        version = self.commits[-1].version + 1 if self.commits else 0
        texts = {name: str(value) for name, value in metrics.items()}
        self.commits.append(Commit(version, minute, operation, rows, meta, parameters or {}, texts))


@dataclass
class Foreign:
    """A table of another format."""

    kind: str = "parquet"
    columns: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class View:
    """A view of the catalog.

    sources: the columns of the text, where they are named otherwise. facts: more lines of DESCRIBE.
    made: settings of the session that made it, without their spark.sql.
    """

    text: str
    columns: list[tuple[str, str]]
    namespace: str = "spark_catalog.shop"
    sources: list[str] | None = None
    facts: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(
        default_factory=lambda: {"ansi.enabled": "false", "session.timeZone": "Etc/UTC"}
    )

    kind = "view"


def delta(*minutes: float, columns: str = "", id: str = "table-0") -> Delta:
    """A Delta table with one append at each of these minutes. columns: 'name type, name type'."""
    commits = [
        Commit(version, minute, parameters={"mode": "Append"})
        for version, minute in enumerate(minutes)
    ]
    pairs = [tuple(pair.split()) for pair in columns.split(",") if pair]
    return Delta(commits, [(name, type_) for name, type_ in pairs], id)


class Engine:
    """Tables by name catalog.schema.identifier, rows of state by mview_id."""

    def __init__(self) -> None:
        self.log: list[Statement] = []
        self.tables: dict[str, Any] = {}
        self.states: dict[str, dict[str, Any]] = {}
        self.schemas: set[str] = set()
        self.state_tables: dict[str, dict[str, str]] = {}
        self.columns: list[tuple[str, str]] = [("customer", "string"), ("total", "bigint")]
        self.described: dict[str, list[tuple[str, str]]] = {}
        self.plan = ""
        self.times: dict[str, int] = {}
        self.due: list[list[Any]] = []
        self.plans: list[list[Any]] = []
        self.noted: dict[str, int] = {}  # rows of history: when a job ended
        self.audit = [0, 0, 0]
        self.verdict = [0, 0]
        self.verdict_within_tolerance = [0, 0]
        self.verdict_of_determined = [0, 0]
        self.history: list[list[Any]] = []
        self.acquire: list[str] = []
        self.publishes = True
        self.zone = "UTC"
        self.shown_in = ""
        self.place = "file:/warehouse/shop_mview.db"
        self.settings: dict[str, str] = {}
        self.extensions = "io.delta.sql.DeltaSparkSessionExtension"
        self.ansi = False
        self.rows = 3
        self.merged = (3, 3)
        self.staged = [3, 0]
        self.bounds: list[Any] = ["1", "9", 0]
        self.feed_is_there = True
        self.chars: dict[int, dict[str, int]] = {}  # version -> CHARs of a table and their lengths
        self.redacts: str | None = None  # what SHOW TBLPROPERTIES hides
        self.runs = True  # the query that is asked for
        self.without_files: set[str] = set()  # tables that the catalog alone has
        self.without_rights: set[str] = set()  # tables that nobody here may drop or alter
        self.keeps_versions = True  # those that are compared
        self.unreadable: list[int] = []  # versions that Delta refuses
        self.whole_type = "struct<a:int,b:int>"
        self.compared: tuple[Any, ...] = (5, 5)  # rows that came and went between two versions
        self.undecided = False  # a group, by the changes that a publish reads itself
        self.unmet = False  # an audit, by the rows that a publish writes
        self.below_zero = 0  # groups of which a count is
        self.breaks: list[Any] = [0, 0]  # of the other invariants of FAST
        self.condition_plan = ""  # what EXPLAIN says of an audit over one row, if not the usual
        self.functions = FUNCTIONS.split()
        self.registered: list[str] = []  # beside what rows of state name
        # Track points: time, relation, id of its table, version, time of its commit.
        self.points: list[tuple[int, str, str, int, int]] = []
        self.infos: dict[str, list[Any]] = {}
        self.low: int | None = None  # what was cleaned of the past
        self.plan_of_cleaning: list[Any] = [None, 0, 0, 0]
        self.status: list[Any] = [0, None, None, None, 0]
        self.silent = False  # VACUUM commits nothing
        self.minute = 720.0
        self.on: dict[str, Callable[[str], None]] = {}

    # what tests look at

    def note(self, step: str, text: str) -> str:
        """Notes something that is no statement of the package."""
        self.log.append(Statement(step, text))
        return ""

    @property
    def steps(self) -> list[str]:
        """The names of all statements, in order."""
        return [statement.step for statement in self.log]

    @property
    def writes(self) -> list[Statement]:
        """The statements that are no reads."""
        return [one for one in self.log if not one.step.startswith("read_")]

    def sql(self, step: str, index: int = 0) -> str:
        """The text of the (index+1)-th statement of that name."""
        return [one.sql for one in self.log if one.step == step][index]

    def forget(self) -> None:
        """Empties the log."""
        self.log.clear()

    # what tests set up

    def reads(self, *tables: str, views: tuple[str, ...] = (), extra: str = "") -> None:
        """What EXPLAIN says that every query reads: the tables joined, below the views, summed."""
        lines = ["Project [customer#1, total#3L]", "+- Filter false"]
        lines += ["   +- Aggregate [customer#1], [customer#1, sum(amount#2) AS total#3L]"]
        lines += [f"      {extra}"] if extra else []
        depth = 2
        for name in views:
            lines += ["   " * depth + f"+- View ({_quoted(name)}, [id#1])"]
            depth += 1
        if len(tables) > 1:
            lines += ["   " * depth + "+- Join Inner"]
            depth += 1
        for name in tables:
            branch = "+-" if name == tables[-1] else ":-"
            lines += ["   " * depth + f"{branch} Relation {name}[customer#1,amount#2] parquet"]
        self.explains("customer: string, total: bigint", "\n".join(lines))

    def explains(
        self, columns: str, plan: str, inner: str | None = None, relaxed: str | None = None
    ) -> None:
        """What EXPLAIN says of every query. plan: the analyzed one; inner: of a text with an inner
        join; relaxed: of one with relaxed filters, whose outer joins become inner with the text."""
        relaxed_and_inner = re.sub("Join (?:Left|Right)Outer", "Join Inner", relaxed or "")
        self.plan, self.inner, self.relaxed, self.relaxed_and_inner = (
            f"== Parsed Logical Plan ==\n'Project [*]\n\n"
            f"== Analyzed Logical Plan ==\n{columns}\n{one}\n\n"
            "== Optimized Logical Plan ==\nRelation spark_catalog.no.such[x#1] parquet\n"
            for one in (plan, inner or plan, relaxed or plan, relaxed_and_inner or inner or plan)
        )

    def built_state(self) -> None:
        """State tables that are there already, in the schema that is the default."""
        self.schemas.add("shop_mview")
        for name in state_layout()["tables"]:
            if name.startswith("mview_refresh"):
                self.state_tables[name] = dict(LAYOUT)

    def has_flashback(self) -> None:
        """The tables of flashback are there as well."""
        self.built_state()
        for name in FLASHBACK:
            self.state_tables[name] = dict(LAYOUT)

    def rest(self) -> None:
        """Two hours go by: what state says of views is that much older."""
        for state in self.states.values():
            state["last_refresh_time"] -= micros(120) - micros(0)

    def state(self, mview_id: str, **values: Any) -> dict[str, Any]:
        """Writes a row of mview_refresh_info."""
        unknown = set(values) - set(STATE_COLUMNS)
        assert not unknown, unknown
        new = {**dict.fromkeys(STATE_COLUMNS), "lock_token": 0}
        row = self.states.setdefault(mview_id, new)
        row.update({"mview_id": mview_id, **values})
        return row

    def lease_over(self, row: dict[str, Any]) -> bool:
        """Whether a lock may be taken over."""
        return row["lease_until"] is None or bool(row["lease_until"] < micros(self.minute))

    # answering

    def execute(self, step: str, sql: str) -> Table:
        """Runs one statement."""
        sql = sql.strip()
        name = step.removeprefix("read_")
        header = f"/* dbt_mview step={name}" + (" */" if step != name else " job=")
        assert sql.startswith(header), f"{step}: no header {header!r} in {sql[:80]!r}"
        self.log.append(Statement(step, sql))
        if step in self.on:
            self.on[step](sql)
        kind = "read" if step != name else "do"
        body = sql.split("*/\n", 1)[1].strip()
        answer = getattr(self, f"_{kind}_{name}", None)
        if answer is None:
            assert kind == "do", f"the engine was not taught to answer {step}"
            answer = self._write
        result: Table = answer(body)
        return result

    def _read_explain(self, sql: str) -> Table:
        assert re.fullmatch(r"explain extended\nselect \* from \(\n.*\n\) where false", sql, re.S)
        if ") as met\nfrom (select cast(null as " in sql:
            return Table([[self.condition_plan or _plan_of_condition(sql)]], ("plan",))
        assert self.plan, "Engine.reads was not called"
        relaxed = " 1000000 = " in sql
        plan = self.relaxed if relaxed else self.plan
        if " inner join " in sql:
            plan = self.relaxed_and_inner if relaxed else self.inner
        return Table([[plan]], ("plan",))

    def _read_place(self, sql: str) -> Table:
        rows = [["Catalog Name", "spark_catalog"], ["Location", self.place], ["Owner", "me"]]
        return Table(rows, ("info_name", "info_value"))

    def _read_extensions(self, sql: str) -> Table:
        return Table([[self.extensions]])

    def _read_log_store(self, sql: str) -> Table:
        """As Spark reads settings in a text: those that are not set stay as they are written."""
        names = re.findall(r"'(\$\{[^}]+\})'", sql)
        return Table([[self.settings.get(name[2:-1], name) for name in names]])

    def _read_clock(self, sql: str) -> Table:
        common = "bigint" if self.ansi else "string"
        times = [micros(self.minute), *map(int, re.findall(r"timestamp_micros\((\d+)\)", sql))]
        names = ("micros", "zone", "common_type", "now", "winter", "summer")
        return Table([[times[0], self.zone, common, *map(self.shows, times)]], names)

    def shows(self, time: int) -> datetime.datetime:
        """A time as the driver gives it: by the client's zone, unless `shown_in` says another."""
        at = datetime.datetime.fromtimestamp(time / 1_000_000, datetime.timezone.utc)
        zone = ZoneInfo(self.shown_in) if self.shown_in else None
        return at.astimezone(zone).replace(tzinfo=None)

    def _read_due(self, sql: str) -> Table:
        return Table(self.due)

    def _read_noted(self, sql: str) -> Table:
        return Table([[job, at] for job, at in self.noted.items() if job in strings(sql)])

    def _read_plans(self, sql: str) -> Table:
        return Table(self.plans)

    def _read_times(self, sql: str) -> Table:
        """The clock; an expression is worth what `times` says."""
        now = micros(self.minute)
        return Table([[now, *(self.times.get(part) for part in ("start", "next"))]])

    def _read_view(self, sql: str) -> Table:
        view = self.tables[_plain(sql.removeprefix("describe extended "))]
        rows: list[list[Any]] = [[name, type_, None] for name, type_ in view.columns]
        output = ", ".join(_quoted(name) for name in view.sources or dict(view.columns))
        catalog, schema = view.namespace.split(".")
        text = {"View Text": view.text} if view.text else {}
        rows += [
            ["", "", ""],
            ["# Detailed Table Information", "", ""],
            ["Type", "VIEW", ""],
            *[[name, value, ""] for name, value in {**text, **view.facts}.items()],
            ["View Catalog and Namespace", f"{catalog}.{schema}", ""],
            ["View Query Output Columns", f"[{output}]", ""],
        ]
        return Table(rows, ("col_name", "data_type", "comment"))

    def _read_view_settings(self, sql: str) -> Table:
        name = sql.removeprefix("describe extended ").removesuffix(" as json")
        made = {f"spark.sql.{key}": value for key, value in self.tables[_plain(name)].made.items()}
        facts = {"type": "VIEW", **({"view_creation_spark_configuration": made} if made else {})}
        return Table([[json.dumps(facts)]], ("json_metadata",))

    def files_of(self, table: Delta | Foreign) -> int:
        """How many data files a table has: one for each commit, as far as anybody asks."""
        return len(table.commits) if isinstance(table, Delta) else 0

    def _read_describe_detail(self, sql: str) -> Table:
        plain = _plain(sql.removeprefix("describe detail "))
        identifier = plain.split(".")[-1]
        table = Delta([]) if identifier in self.state_tables else self.tables[plain]
        id_ = table.id if table.kind == "delta" else None
        properties = table.properties if table.kind == "delta" else {}
        comment = getattr(table, "comment", "") or None
        size = table.bytes if table.kind == "delta" else None
        row = [table.kind, id_, properties, comment, self.files_of(table), size]
        row += [plain, f"file:/warehouse/{identifier}"]
        names = ("format", "id", "properties", "description", "numFiles", "sizeInBytes")
        names += ("name", "location")
        return Table([row], names)

    def _read_properties(self, sql: str) -> Table:
        table = self.tables[_plain(sql.removeprefix("show tblproperties "))]
        found = {}
        if table.kind == "delta":
            found = {**table.properties, "delta.minReaderVersion": "1"}
        for key, value in found.items() if self.redacts else ():
            if re.search(self.redacts, key) or re.search(self.redacts, value):
                found[key] = "*********(redacted)"
        return Table([list(pair) for pair in found.items()], ("key", "value"))

    def _read_describe_history(self, sql: str) -> Table:
        found = re.fullmatch(rf"describe history ({NAME})(?: limit (\d+))?", sql)
        assert found, sql
        name = _plain(found.group(1))
        state = [Commit(7, 0, "UPDATE")] if name.split(".")[-1] in self.state_tables else None
        commits = state or self.tables[name].commits[::-1]
        if found.group(2):
            commits = commits[: int(found.group(2))]
        return Table([_history_row(commit) for commit in commits], HISTORY_COLUMNS)

    def _read_catalog(self, sql: str) -> Table:
        found = re.fullmatch(rf"show table extended in ({NAME}) like ('.*')", sql, re.DOTALL)
        assert found, sql
        # With a table's name, so that two parts are a schema and a table.
        schema = _plain(f"{found.group(1)}.`t`").rpartition(".")[0]
        pattern = unescape(found.group(2))
        rows = []
        for name, table in self.tables.items():
            in_schema, identifier = name.rsplit(".", 1)
            if in_schema == schema and re.fullmatch(pattern.replace("*", ".*"), identifier):
                rows.append([schema.rpartition(".")[2], identifier, False, _information(table)])
        return Table(rows, ("namespace", "tableName", "isTemporary", "information"))

    def _read_schemas(self, sql: str) -> Table:
        found = re.fullmatch(rf"show schemas (?:in ({NAME}) )?like ('.*')", sql, re.DOTALL)
        assert found, sql
        catalog = _plain(found.group(1) or "`spark_catalog`")
        names = {name.split(".")[1] for name in self.tables if name.startswith(f"{catalog}.")}
        names |= self.schemas if catalog == "spark_catalog" else set()
        pattern = re.compile(unescape(found.group(2)), re.IGNORECASE)
        names = {name for name in names if pattern.fullmatch(name)}
        shown = [name if re.fullmatch(r"\w+", name) else _quoted(name) for name in names]
        return Table([[name] for name in shown], ("namespace",))

    def _read_tables(self, sql: str) -> Table:
        found = re.fullmatch(rf"show tables in ({NAME})(?: like ('.*'))?", sql)
        assert found, sql
        schema, pattern = _plain(found.group(1)), unescape(found.group(2) or "'*'")
        pattern = pattern.replace("*", ".*")
        names = [name.split(".")[2] for name in self.tables if f".{schema}." in name]
        names += self.state_tables
        rows = [[schema, name, False] for name in names if re.fullmatch(pattern, name)]
        return Table(rows, ("namespace", "tableName", "isTemporary"))

    def _read_layout(self, sql: str) -> Table:
        name = _plain(sql.removeprefix("show tblproperties ")).split(".")[-1]
        return Table([list(pair) for pair in self.state_tables[name].items()], ("key", "value"))

    def _read_types(self, sql: str) -> Table:
        """What the engine leaves out when it describes a query."""
        return Table([[self.whole_type] * sql.count("typeof(")])

    def _read_describe_query(self, sql: str) -> Table:
        star = re.search(rf"select \* from ({NAME})(?: version as of (\d+))?$", sql)
        text = re.sub(r" version as of \d+", "", sql.removeprefix("describe query\n"))
        columns = self.described.get(text, self.columns)
        if star:
            table = self.tables[_plain(star.group(1))]
            columns = table.columns
            if table.kind == "delta" and star.group(2):
                columns = table.older_columns.get(int(star.group(2)), columns)
        return Table([[name, type_, None] for name, type_ in columns], ("col_name", "data_type"))

    def _read_columns(self, sql: str) -> Table:
        """Of several tables at once, each behind its mark: those that the plan lists."""
        rows: list[list[Any]] = []
        for turn, (name, version) in enumerate(
            re.findall(rf"({NAME})(?: version as of (\d+))? as t\d+", sql.partition("\nfrom ")[2])
        ):
            table = self.tables[_plain(name)]
            columns = table.columns
            if table.kind == "delta" and version:
                columns = table.older_columns.get(int(version), columns)
            listed = re.search(rf"Relation(?:V2)? {re.escape(_plain(name))}\[(.*?)\]", self.plan)
            if listed:
                types = dict(columns)
                found = re.findall(r"(\w+)#", listed.group(1))
                columns = [(one, types.get(one, "bigint")) for one in found]
            rows += [[f"mview:{turn}", "int"], *([one, type_] for one, type_ in columns)]
        return Table(rows, ("col_name", "data_type"))

    def _read_state(self, sql: str) -> Table:
        wanted = strings(sql.split("where mview_id in", 1)[1]) if "mview_id in" in sql else None
        owner = strings(sql.split("lock_owner = ", 1)[1])[0] if "lock_owner = " in sql else ""
        names, rows = selected(sql), []
        for mview_id, state in self.states.items():
            by_operation = state["lock_owner"] and not (state["intent"] or {}).get("definition")
            held = not owner or state["lock_owner"] == owner or by_operation
            if (wanted is None or mview_id in wanted) and held:
                row = {**as_text(state), "lease_over": self.lease_over(state)}
                # to_json leaves out what is null, unless it is told not to.
                nulls = dict.fromkeys(SOURCE_FIELDS) if "'ignoreNullFields', 'false'" in sql else {}
                given = [
                    nulls | {key: value for key, value in source.items() if value is not None}
                    for source in row["sources"] or []
                ]
                row["sources"] = None if row["sources"] is None else json.dumps(given)
                rows.append([row[name] for name in names])
        return Table(rows, names)

    def _read_stage_time(self, sql: str) -> Table:
        """The newest file of a stage; an error is a row without a time."""
        found = re.fullmatch(
            r"begin\n    declare exit handler for sqlexception select cast\(null as bigint\) as"
            r" micros;\n    select coalesce\(unix_micros\(max\(_metadata.file_modification_time\)\)"
            rf", 0\) as micros\n    from ({NAME});\nend",
            sql,
        )
        assert found, sql
        stage = _plain(found.group(1))
        finished = (
            micros(self.tables[stage].commits[-1].minute) if self._is_readable(stage) else None
        )
        return Table([[finished]], ("micros",))

    def _read_history(self, sql: str) -> Table:
        return Table(self.history)

    def _read_audit(self, sql: str) -> Table:
        """As a script, of the rows that FAST writes: they are gone where the changes are."""
        gone = TRIED_ANSWER.fullmatch(sql) and not self.feed_is_there
        return Table([["failed"] if gone else self.audit])

    def _read_functions(self, sql: str) -> Table:
        assert sql == "show system functions", sql
        return Table([[name] for name in self.functions], ("function",))

    def _read_count(self, sql: str) -> Table:
        found = re.fullmatch(rf"select count\(\*\) from ({NAME}) version as of \d+", sql)
        assert found, sql
        return Table([[self.tables[_plain(found.group(1))].size]])

    def _read_staged_changes(self, sql: str) -> Table:
        asked = sql.count("cast(min(")
        counts = re.findall(r",\n    (?:(count_if\(`[^`]+` < 0\))|0)(?=[,\n])", sql)
        below_zero = [self.below_zero if counted else 0 for counted in counts]
        return Table([self.staged + (self.bounds * asked)[: 3 * asked] + below_zero])

    def _read_invariants(self, sql: str) -> Table:
        """As a script: how many keys are staged twice, how many rows go that are not there."""
        assert TRIED_ANSWER.fullmatch(sql), sql
        return Table([[*self.breaks, *[self.below_zero] * sql.count("count_if(")]])

    def _read_compared(self, sql: str) -> Table:
        return Table([list(self.compared)])

    def _read_feed(self, sql: str) -> Table:
        assert TRIED.fullmatch(sql), sql
        return Table([["done" if self.feed_is_there else "failed"]])

    def _read_chars(self, sql: str) -> Table:
        """The plan of a read, as far as it pads CHARs."""
        found = re.fullmatch(r"explain extended select .* version as of (\d+)", sql)
        assert found, sql
        padded = self.chars.get(int(found.group(1)), {}).items()
        lines = [f"static_invoke(readSidePadding({name}#7, {n})) AS {name}#8" for name, n in padded]
        return Table([["\n".join(["== Optimized Logical Plan ==", *lines])]])

    def _read_nap(self, sql: str) -> Table:
        """The engine sleeps, if it runs what is asked of it."""
        assert "'java.lang.Thread', 'sleep'" in sql
        return Table([["done" if self.runs else "failed"]])

    def _read_is_there(self, sql: str) -> Table:
        """A table by its name, or whether a query runs."""
        tried = TRIED.fullmatch(sql)
        assert tried, sql
        found = re.fullmatch(rf"select 1 from ({NAME}) where false", tried.group(1))
        there = self._is_readable(_plain(found.group(1))) if found else self.runs
        return Table([["done" if there else "failed"]])

    def _is_readable(self, name: str) -> bool:
        return name in self.tables and name not in self.without_files

    def _read_registered(self, sql: str) -> Table:
        assert "explode(sources)" in sql, sql
        built = [row for row in self.states.values() if row["target_version"] is not None]
        read = {one["relation"] for row in built for one in row["sources"] or []}
        known = read | {row["mview_id"] for row in built}
        return Table([[name] for name in sorted({*self.registered, *known})])

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

    def _read_flashback_low(self, sql: str) -> Table:
        return Table([[self.low]])

    def _read_versions(self, sql: str) -> Table:
        assert TRIED.fullmatch(sql), sql
        return Table([["done" if self.keeps_versions else "failed"]])

    def _read_now(self, sql: str) -> Table:
        assert sql == "select unix_micros(current_timestamp()) as micros", sql
        return Table([[micros(self.minute)]])

    def _read_version(self, sql: str) -> Table:
        tried = TRIED.fullmatch(sql)
        assert tried, sql
        found = re.fullmatch(rf"select 1 from {NAME} version as of (\d+) where false", tried[1])
        assert found, sql
        return Table([["failed" if int(found[1]) in self.unreadable else "done"]])

    def _read_verify(self, sql: str) -> Table:
        return Table([self.verdict])

    def _read_verify_nearly(self, sql: str) -> Table:
        return Table([self.verdict_within_tolerance])

    def _read_verify_determined(self, sql: str) -> Table:
        return Table([self.verdict_of_determined])

    def _do_ensure_state(self, sql: str) -> Table:
        if found := re.fullmatch(rf"create schema if not exists ({NAME})", sql):
            self.schemas.add(_plain(found.group(1)))
        elif found := re.match(rf"create table if not exists ({NAME})", sql):
            self.state_tables[_plain(found.group(1)).split(".")[-1]] = dict(LAYOUT)
        elif found := re.search(rf"alter table ({NAME}) add columns \((\w+) (.*)\)", sql):
            name = _plain(found.group(1))
            if name not in self.without_rights:
                self.tables[name].columns = [*self.tables[name].columns, found.group(2, 3)]
            elif not TRIED.fullmatch(sql):
                raise RuntimeError("[INSUFFICIENT_PERMISSIONS]")
        return Table([])

    def _do_acquire(self, sql: str) -> Table:
        """Takes the lock if the statement's own conditions hold; `acquire` may say otherwise."""
        if self.acquire:
            return Table([[self.acquire.pop(0)]])
        try:
            self.change_state(sql)
        except RaisedError:
            return Table([["busy"]])
        return Table([["acquired"]])

    def change_state(self, sql: str) -> Table:
        """Does with the rows of state what a statement says of them."""
        for change in changes(sql, self.rows_of_state, micros(self.minute)):
            self.put_state(change)
        return Table([])

    def rows_of_state(self, table: str) -> dict[str, dict[str, Any]] | None:
        """The rows of a state table by their key, as SQL has them; history is not kept here."""
        if table != "mview_refresh_info":
            return None
        return {mview_id: as_text(row) for mview_id, row in self.states.items()}

    def put_state(self, change: Change) -> None:
        """Writes, or deletes, a row of a state table."""
        if change.row is None:
            del self.states[change.key]
        else:
            self.states.setdefault(change.key, {}).update(as_data(change.row))

    def _do_record(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_decide(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_renew(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_release(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_forget(self, sql: str) -> Table:
        return self.change_state(sql)

    def _do_publish(self, sql: str) -> Table:
        """Commits what the statement says of itself, unless publishes is off."""
        if found := TRIED.fullmatch(sql):
            failing = self.undecided and "is undecided" in sql
            failing = failing or (self.unmet and "audit failed" in sql)
            failing = failing or (self.below_zero and "falls below zero" in sql)
            failing = failing or (any(self.breaks) and "s._mview_op = 'delete' then" in sql)
            if failing or not self.feed_is_there:
                return Table([["failed"]])
            try:
                self._do_publish(found.group(1))
            except RuntimeError:
                return Table([["failed"]])
            return Table([["done"]])
        found = re.match(rf"(?:insert into|merge into|create or replace table) ({NAME})", sql)
        assert found, sql
        if not self.publishes or not self._holds_the_lock(sql):
            return Table([])
        table = self.tables.get(_plain(found.group(1)))
        if sql.startswith("insert"):
            self._insert(table, sql)
            return Table([])
        if sql.startswith("merge"):
            self._merge_rows(table, sql)
            return Table([])
        if not isinstance(table, Delta):
            assert table is None, f"CREATE OR REPLACE onto a {table.kind}"
            table = self.tables[_plain(found.group(1))] = Delta([], [], "table-of-view")
        table.columns = list(self.columns)
        table.commit(self.minute, "CREATE OR REPLACE TABLE AS SELECT", self.rows, _meta(sql))
        return Table([])

    def _holds_the_lock(self, sql: str) -> bool:
        """What the statement's own text asserts."""
        token = re.search(r"and lock_token = (\d+)", sql)
        job = re.search(r"and refresh_job_id = ('.*?')\n", sql)
        assert token and job, sql
        wanted = (int(token.group(1)), unescape(job.group(1)))
        held = [row for row in self.states.values() if row["lock_owner"] is not None]
        assert "and lock_owner is not null" in sql, sql
        rows = [(row["lock_token"], row["refresh_job_id"]) for row in held]
        if wanted not in rows:
            raise RuntimeError("[USER_RAISED_EXCEPTION] dbt_mview: lock lost")
        return True

    def _insert(self, table: Delta, sql: str) -> None:
        """Delta drops an INSERT whose txnVersion is not above the last one, without an error.

        And it commits nothing where nothing changes.
        """
        found = re.search(r"'txnVersion' = '(\d+)'", sql)
        assert found, sql
        if self.rows and int(found.group(1)) > table.transaction:
            table.transaction = int(found.group(1))
            mode = {"mode": "Overwrite", "predicate": '["true"]'}
            parameters = mode if "\nreplace where" in sql else {"mode": "Append"}
            table.commit(self.minute, "WRITE", self.rows, _meta(sql), parameters=parameters)

    def _merge_rows(self, table: Delta, sql: str) -> None:
        """MERGE has no userMetadata; Delta keeps the text of its conditions."""
        found = re.search(r"when not matched and (.*?) then insert", sql, re.DOTALL)
        assert found, sql
        condition = json.dumps([{"predicate": found.group(1), "actionType": "insert"}])
        if any(self.merged):
            table.commit(
                self.minute,
                "MERGE",
                parameters={"predicate": "[]", "notMatchedPredicates": condition},
                numTargetRowsUpdated=0,
                numTargetRowsDeleted=self.merged[0],
                numTargetRowsInserted=self.merged[1],
            )

    def _do_stage(self, sql: str) -> Table:
        tried = TRIED.fullmatch(sql)
        if tried and not self.feed_is_there:
            return Table([["failed"]])
        found = re.match(rf"create or replace table ({NAME})", tried.group(1) if tried else sql)
        assert found, sql
        self.tables[_plain(found.group(1))] = Delta([])
        return Table([["done"]] if tried else [])

    def _do_fence(self, sql: str) -> Table:
        if found := TRIED.fullmatch(sql):
            self._do_fence(found.group(1))
            return Table([["done"]])
        found = re.match(rf"alter table ({NAME}) set tblproperties", sql)
        assert found, sql
        self.tables[_plain(found.group(1))].commit(self.minute, "SET TBLPROPERTIES")
        return Table([])

    def _do_sweep(self, sql: str) -> Table:
        """Drops; as a script, it says whether it could."""
        if not (found := TRIED.fullmatch(sql)):
            return self._write(sql)
        name = re.fullmatch(rf"drop table if exists ({NAME})", found.group(1))
        assert name, sql
        if _plain(name.group(1)) in self.without_rights:
            return Table([["failed"]])
        self._write(found.group(1))
        return Table([["done"]])

    def _write(self, sql: str) -> Table:
        """Renames, drops and changes of state; every other statement changes nothing here."""
        if found := re.fullmatch(rf"alter (table|view) ({NAME}) rename to ({NAME})", sql):
            self.tables[_plain(found.group(3))] = self.tables.pop(_plain(found.group(2)))
        elif found := re.fullmatch(rf"drop (table|view) if exists ({NAME})", sql):
            self.tables.pop(_plain(found.group(2)), None)
        elif any(f"`{name}`" in sql for name in state_layout()["tables"]):
            self.change_state(sql)
        return Table([])


def _plan_of_condition(sql: str) -> str:
    """A condition over one row, as EXPLAIN has it; one that calls an aggregate is an Aggregate."""
    over_all = re.search(r"\b(?:count|max|min|sum)\(", sql)
    kind = "Aggregate" if over_all else "Project"
    return (
        "== Parsed Logical Plan ==\n'Project [*]\n\n== Analyzed Logical Plan ==\nmet: boolean\n"
        f"Project [met#0]\n+- Filter false\n   +- {kind} [(a#1 > 0) AS met#0]\n"
        "      +- Project [cast(null as bigint) AS a#1]\n         +- OneRowRelation\n\n"
        "== Optimized Logical Plan ==\nLocalRelation <empty>, [met#0]\n"
    )


def _meta(sql: str) -> str:
    found = re.search(r"'userMetadata' = ('(?:[^'\\]|\\.)*')", sql)
    assert found, sql
    return unescape(found.group(1))


def outcome_rows(sql: str) -> list[dict[str, Any]]:
    """The rows that `_outcomes_sql` wrote, JSON read; or those of an UPDATE."""
    if "from values" not in sql:
        return _updated_rows(sql[sql.index("update ") :])
    values, names = sql.split("from values", 1)[1].split("as outcome (", 1)
    rows = _values(values, names.split(")", 1)[0])
    for row in rows:
        sources = row.pop("sources_json")
        row["sources"] = None if sources is None else json.loads(sources)
        for name in ("spec", "schedule"):
            row[name] = None if row[name] is None else json.loads(row[name])
    return rows


def _updated_rows(sql: str) -> list[dict[str, Any]]:
    """What `_update_where_sql` says, as the rows of the MERGE that it stands for."""
    tokens = [token for token in lex(sql) if token.kind != "space"]
    words = [token.text for token in tokens]
    start, end = words.index("set"), words.index("where")
    until = words.index(";", end) if ";" in words else len(words)
    ids = [unescape(one.text) for one in tokens[end:until] if one.kind == "string"]
    found: dict[str, Any] = {"job_id": None}
    for name, _, if_, _, *rest in _between_commas(tokens[start + 1 : end]):
        assert if_.text == "if" and rest[-1].text == ")", sql
        condition, value, otherwise = _between_commas(rest[:-1])
        assert [token.text for token in otherwise] == [name.text], sql
        if value[0].text == "coalesce":
            value = value[2:-3]
        strings_ = [one for one in value if one.kind == "string"]
        found[name.text] = _value(strings_[:1] if name.text == "sources" else value)
    found["planned"] = "schedule" in found
    for name in ("spec", "schedule", "sources"):
        found[name] = json.loads(found[name]) if found.get(name) else None
    if found["last_refresh_type"] == "skip":
        seen = _value(condition[[token.text for token in condition].index(">") + 1 :])
        skip = {"type": "skip", "result": "success", "token": None, "owner": None, "seen": seen}
        reason = found["last_refresh_failed_reason"]
        return [{**found, "mview_id": one, "failed_reason": reason, **skip} for one in ids]
    return [
        {
            **found,
            "mview_id": ids[0],
            "token": next(int(one.text) for one in condition if one.text.isdigit()),
            "owner": unescape(condition[-1].text),
            "read_time": found["last_successful_refresh_read_time"],
            "result": found["last_refresh_result"],
            "type": found["last_refresh_type"],
            "failed_reason": found["last_refresh_failed_reason"],
            "release": "lock_owner" in found,
        }
    ]


def as_text(row: dict[str, Any]) -> dict[str, Any]:
    """A row of state as SQL has it, with JSON as text."""
    texts = {name: json.dumps(row[name]) for name in JSON_COLUMNS if row.get(name) is not None}
    return {**row, **texts}


def as_data(row: dict[str, Any]) -> dict[str, Any]:
    """A row of state with JSON read."""
    data = {name: json.loads(row[name]) for name in JSON_COLUMNS if row.get(name) is not None}
    return {**row, **data}


@functools.cache
def _selected(sql: str) -> tuple[str, ...]:
    items = _between_commas([token for token in lex(sql) if token.kind != "space"])
    return tuple(item[-1].text.strip("`") for item in items)


def selected(sql: str) -> tuple[str, ...]:
    """The names of the columns that a SELECT of one table gives."""
    return _selected(sql[sql.index("select") + 6 : sql.rindex("\nfrom ")])


def _between_commas(tokens: list[Token]) -> list[list[Token]]:
    """The items of a list, whatever stands in brackets within them."""
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.kind, 0)
        if token.kind == "," and depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return items


def _values(sql: str, names: str) -> list[dict[str, Any]]:
    """The rows of a VALUES list of literals; what is computed there becomes None."""
    columns = [name.strip() for name in names.split(",")]
    rows: list[list[list[Token]]] = []
    depth = 0
    for token in lex(sql):
        depth += {"(": 1, ")": -1}.get(token.kind, 0)
        if depth < 0:
            break
        if token.kind == "(" and depth == 1:
            rows.append([[]])
        elif token.kind == "," and depth == 1:
            rows[-1].append([])
        elif depth and token.kind != "space":
            rows[-1][-1].append(token)
    for row in rows:
        assert len(row) == len(columns), (len(row), columns)
    return [dict(zip(columns, map(_value, row), strict=True)) for row in rows]


def _value(tokens: list[Token]) -> Any:
    text = [token.text for token in tokens]
    if text[:2] in (["cast", "("], ["timestamp_micros", "("]):
        return _value(tokens[2 : text.index("as") if "as" in text else -1])
    if len(tokens) > 1 or text[0] == "null":
        return None
    if tokens[0].kind == "string":
        return unescape(text[0])
    return text[0] == "true" if text[0] in ("true", "false") else int(text[0])


def _quoted(name: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in name.split("."))


def _plain(name: str) -> str:
    """The key of a table: lower case, the session catalog where none is named."""
    parts = [part.replace("``", "`") for part in re.findall(r"`((?:[^`]|``)*)`", name)]
    if len(parts) == 2:
        parts.insert(0, "spark_catalog")
    return ".".join(parts).lower()


def _history_row(commit: Commit) -> list[Any]:
    rows = {} if commit.rows is None else {"numOutputRows": str(commit.rows)}
    metrics = {**rows, **commit.metrics}
    facts = [commit.version, commit.at, commit.operation]
    return [*facts, commit.parameters, metrics, commit.meta, commit.engine]


def _information(table: Any) -> str:
    if table.kind == "view":
        return f"Catalog: spark_catalog\nType: VIEW\nView Text: {table.text}\n"
    comment = getattr(table, "comment", "")
    return f"Catalog: spark_catalog\nType: MANAGED\nProvider: {table.kind}\nComment: {comment}\n"
