"""Settings for tables of a handful of rows, on top of the embedded engine's own."""

from __future__ import annotations

# Compiling what runs for milliseconds took most of the time.
QUICK = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

# An option of Java for JVMs that live for minutes: its quick compiler alone.
QUICK_COMPILER = "-XX:TieredStopAtLevel=1"

# A statement that is interrupted in the middle of a metastore call keeps its connection for ever;
# after ten of them, all that asks the catalog would wait.
INTERRUPTED = {**QUICK, "spark.hadoop.datanucleus.connectionPoolingType": "NONE"}

# What thrift servers of tests have. Some remove files that a running refresh may need.
SERVER = {**INTERRUPTED, "spark.databricks.delta.retentionDurationCheck.enabled": "false"}
