"""TPC-H as Delta tables, made once per scale factor; the bench changes copies of them."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
CHANGED = ("lineitem", "orders")


def properties(vectors: bool) -> str:
    """Table properties: a change feed, and whether changes mark rows by deletion vectors."""
    on = str(vectors).lower()
    return f"'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{on}'"


def load(spark: SparkSession, home: Path, scale: float) -> str:
    """Generate the tables of one scale factor, unless they are there, with their change feeds on.

    Args:
        spark: the session to load with.
        home: where the generated files are kept.
        scale: the TPC-H scale factor; 1 is 6 million rows of lineitem.

    Returns:
        The schema that holds the tables.
    """
    schema = f"tpch_{scale:g}".replace(".", "_")
    spark.sql(f"create schema if not exists {schema}")
    there = {row.tableName for row in spark.sql(f"show tables in {schema}").collect()}
    files = home / schema
    if there < set(TABLES) and not all((files / f"{name}.parquet").exists() for name in TABLES):
        generator = Path(sysconfig.get_path("scripts"), "tpchgen-cli")
        subprocess.run([generator, "parquet", "-s", str(scale), "--output-dir", files], check=True)
    for table in sorted(set(TABLES) - there):
        # When a row was changed last: TPC-H has no such column, incremental models live by it.
        stamp = ", timestamp'2000-01-01 00:00:00' as updated_at" if table in CHANGED else ""
        spark.sql(
            f"create or replace table {schema}.{table} using delta"
            f" tblproperties ({properties(vectors=True)})"
            f" as select *{stamp} from parquet.`{files / table}.parquet`"
        )
    return schema


def copy(spark: SparkSession, source: str, target: str, vectors: bool) -> None:
    """Make the tables that are changed anew, as shallow clones: that costs no time and no disk.

    Args:
        spark: the session.
        source: the schema to copy from.
        target: the schema to copy to.
        vectors: whether changes mark rows by deletion vectors. Without them, which is Delta's own
            default, a change that is scattered over a table writes all of it anew.
    """
    for table in CHANGED:
        spark.sql(f"drop table if exists {target}.{table}")
        spark.sql(
            f"create table {target}.{table} shallow clone {source}.{table}"
            f" tblproperties ({properties(vectors)})"
        )
