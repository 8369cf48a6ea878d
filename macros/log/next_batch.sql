{# Args: log_, job. Returns: mapping upto (version), files, rows: what the next batch deletes. #}
{% macro _next_batch(log_, job) %}
    {%- set row = dbt_mview._read("next_batch", dbt_mview._next_batch_sql(log_, job)).rows[0] -%}
    {{
        return(
            {
                "upto": none if row[0] is none else row[0] | int,
                "files": (row[1] or 0) | int,
                "rows": (row[2] or 0) | int,
            }
        )
    }}
{% endmacro %}
