"""FAST, COMPLETE, dbt-spark's own materializations and a stream, in one run (make bench)."""
