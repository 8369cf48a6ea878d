"""Classes of dbt-tests-adapter as they are, over the materialization mview."""
