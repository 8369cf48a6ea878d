"""dbt projects on a real Spark with Delta, embedded or behind a thrift server."""
