{#
dbt's own line of the model: what was done, why, and which version came of it.

Args: job.
#}
{% macro _tell(job) %}
    {%- if job.skip -%}
        {%- do store_raw_result(
            "main", message="SKIP " ~ job.skip, code="SKIP", rows_affected=0
        ) -%}
    {%- else -%}
        {%- set method = "DEFERRED" if job.deferred else job.method | upper -%}
        {%- do store_raw_result(
            "main",
            message=method
            ~ " v"
            ~ job.commit.version
            ~ ", "
            ~ job.commit.rows
            ~ " rows: "
            ~ job.reason,
            code=method,
            rows_affected=job.commit.rows,
        ) -%}
    {%- endif -%}
{% endmacro %}
