"""dbt-databricks, unchanged, over a connection that leads to a local Spark instead of Databricks.

It has an environment of its own (`make jars DBT=databricks`): the adapter needs another dbt-spark.
"""
