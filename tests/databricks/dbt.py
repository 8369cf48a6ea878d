"""As tests.support.dbt, for dbt-databricks: ``python -m tests.databricks.dbt run ...``."""

from __future__ import annotations

from dbt.adapters.databricks.connections import DatabricksConnectionManager

from tests.databricks import connection
from tests.support import dbt

if __name__ == "__main__":
    connection.install()
    dbt.main(DatabricksConnectionManager)
