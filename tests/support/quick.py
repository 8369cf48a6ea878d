"""Settings for tables of a handful of rows, on top of the embedded engine's own."""

from __future__ import annotations

# Compiling what runs for milliseconds took most of the time. VACUUM lists files in as many tasks
# as the last setting says.
QUICK = {
    "spark.master": "local[2]",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
}
