"""What the replaced connection gives is what Databricks' connector gives."""

from __future__ import annotations

import datetime

import pytest
from databricks.sql.exc import ServerOperationError

from tests.databricks.connection import connect
from tests.support.project import Project

pytestmark = pytest.mark.spark


def test_rows_errors_and_parameters(databricks: Project) -> None:
    """Maps and times as in databricks/sql/result_set.py, `_convert_arrow_table`, of 4.4.0."""
    (address,) = databricks.outputs["t"]["connection_parameters"].values()
    connection = connect(address, "spark_catalog")
    cursor = connection.cursor()
    at = datetime.datetime(2024, 3, 1, 12, tzinfo=datetime.timezone.utc)
    query = "select map('a', 'b', 'c', null) as pairs, timestamp_micros(%s) as at, 'x' as text"
    cursor.execute(f"{query}, 1 as one", [int(at.timestamp()) * 1_000_000])
    assert [column[0] for column in cursor.description or []] == ["pairs", "at", "text", "one"]
    (row,) = cursor.fetchall()
    assert row.pairs == [("a", "b"), ("c", None)]
    assert row.at == at and row.at.tzinfo is not None
    assert (row.text, row.one) == ("x", 1) and cursor.fetchone() is None
    with pytest.raises(ServerOperationError, match="TABLE_OR_VIEW_NOT_FOUND"):
        cursor.execute("select * from no.such")
    connection.close()
