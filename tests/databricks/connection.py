"""`databricks.sql.connect` without Databricks: a session of Spark Connect on a local Spark.

What a statement gives comes as Arrow, as it does from Databricks, and the connector's own code
makes rows of it: a MAP is a list of pairs, a TIMESTAMP has a zone. Spark has Unity Catalog's
`system.information_schema.tables` not; dbt-databricks asks it for the tables of a schema, which are
listed here instead. All else goes to Spark as dbt sends it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import databricks.sql
import pyarrow
from databricks.sql.exc import ServerOperationError
from databricks.sql.result_set import ResultSet
from databricks.sql.types import Row
from databricks.sql.utils import ParamEscaper, inject_parameters
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.connect.session import SparkSession

TABLES = re.compile(
    r"from `system`\.`information_schema`\.`tables`\s+where table_catalog = '\S+'"
    r"\s+and table_schema = '(?P<schema>\S+)'(?:\s+and table_name = '(?P<name>\S+)')?",
    re.IGNORECASE,
)
# A session of Spark Connect that the garbage collector takes closes itself, and waits for a thread
# that may be starting below the very call that the collector interrupts: for ever.
KEPT: list[SparkSession] = []
LISTED = ("table_name", "table_type", "file_format", "table_owner", "databricks_table_type")


def install() -> None:
    """Makes every connection of dbt-databricks in this process one to a local Spark."""
    databricks.sql.connect = connect


def connect(address: str, catalog: str, **_: Any) -> Connection:
    """A connection.

    Args:
        address: of the Spark Connect server; `connection_parameters` of the profile has it.
        catalog: the one that is current.
    """
    session = SparkSession.builder.remote(address).create()
    KEPT.append(session)
    session.catalog.setCurrentCatalog(catalog)
    return Connection(session)


class Connection:
    """What dbt-databricks uses of databricks.sql.client.Connection."""

    disable_pandas = False  # the connector's default

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def get_session_id_hex(self) -> str:
        """The id that dbt's log shows."""
        return self.session.session_id

    def cursor(self) -> Cursor:
        """A cursor for one statement."""
        return Cursor(self)

    def close(self) -> None:
        """Ends the session."""
        self.session.stop()


class Cursor:
    """What dbt-databricks uses of databricks.sql.client.Cursor."""

    query_id = None

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None
        self.rows: list[Row] = []

    def execute(self, operation: str, parameters: Sequence[Any] | None = None) -> Cursor:
        """Runs a statement.

        Raises:
            ServerOperationError: Spark's own error.
        """
        if parameters:
            values = ParamEscaper().escape_args(parameters)
            operation = inject_parameters(operation, values)
        try:
            table = self._table(operation)
        except PySparkException as error:
            raise ServerOperationError(str(error)) from error
        self.description = [
            (name, None, None, None, None, None, None) for name in table.column_names
        ]
        rows: Any = ResultSet._convert_arrow_table(self, table)  # type: ignore[arg-type]
        self.rows = rows
        return self

    def _table(self, operation: str) -> pyarrow.Table:
        found = TABLES.search(operation)
        if found:
            return listed(self.connection.session, found["schema"], found["name"] or "*")
        return self.connection.session.sql(operation).toArrow()

    def fetchall(self) -> list[Row]:
        """All rows that were not fetched."""
        rows, self.rows = self.rows, []
        return rows

    def fetchmany(self, size: int) -> list[Row]:
        """The next rows."""
        rows, self.rows = self.rows[:size], self.rows[size:]
        return rows

    def fetchone(self) -> Row | None:
        """The next row."""
        return self.rows.pop(0) if self.rows else None

    def cancel(self) -> None:
        """Interrupts what the session runs."""
        self.connection.session.interruptAll()

    def close(self) -> None:
        """Nothing to free."""


def listed(session: SparkSession, schema: str, name: str) -> pyarrow.Table:
    """The rows of `system.information_schema.tables` as dbt-databricks selects them.

    Args:
        session: of a server.
        schema: whose tables.
        name: of one, or `*`.
    """
    try:
        found = session.sql(f"show table extended in `{schema}` like '{name}'").collect()
    except AnalysisException as error:
        if error.getCondition() != "SCHEMA_NOT_FOUND":
            raise
        found = []
    rows = []
    for table in found:
        if not table.isTemporary:
            facts = dict(re.findall(r"(?m)^(Type|Provider|Owner): (.*)$", table.information))
            kind, provider = facts["Type"], facts.get("Provider")
            view = kind == "VIEW"
            of_table = None if view else kind.lower()
            told = "view" if view else "table"
            rows.append((table.tableName, told, provider, facts.get("Owner"), of_table))
    columns = zip(*rows, strict=True) if rows else [[] for _ in LISTED]
    fields = [pyarrow.array(list(column), pyarrow.string()) for column in columns]
    return pyarrow.Table.from_arrays(fields, names=list(LISTED))
