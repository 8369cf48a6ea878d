"""SQL on a thrift server, with the little of a Spark session that tests use."""

from __future__ import annotations

from pyhive import hive
from pyspark.sql import Row


class Session:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.connection = hive.connect("127.0.0.1", port)
        self.rows: list[Row] = []
        self.columns: list[str] = []

    def sql(self, text: str) -> Session:
        """Runs one statement and keeps its rows."""
        cursor = self.connection.cursor()
        cursor.execute(text)
        self.columns = names = [column[0] for column in cursor.description or []]
        self.rows = [Row(*names)(*row) for row in cursor.fetchall()] if names else []
        return self

    def collect(self) -> list[Row]:
        """The rows of the last statement."""
        return self.rows
