"""TPC-H as Delta tables, made once per scale factor."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


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
    if there >= set(TABLES):
        return schema
    files = home / schema
    generator = Path(sysconfig.get_path("scripts"), "tpchgen-cli")
    subprocess.run([generator, "parquet", "-s", str(scale), "--output-dir", files], check=True)
    for table in TABLES:
        spark.sql(
            f"create or replace table {schema}.{table} using delta"
            " tblproperties ('delta.enableChangeDataFeed' = 'true')"
            f" as select * from parquet.`{files / table}.parquet`"
        )
    return schema
