{# dbt's own line of the model. Args: job. #}
{% macro _tell(job) %}
    {%- set rows = job.commit.rows if job.commit else 0 -%}
    {%- set text = dbt_mview._what_was_done(job) -%}
    {%- do store_raw_result("main", message=text, code=text.split()[0], rows_affected=rows) -%}
{% endmacro %}


{#
What was done, why, and which version came of it; what waits for its refresh group has none yet.

Args: job. Returns: string, its first word SKIP, STAGED, DEFERRED, COMPLETE or FAST.
#}
{% macro _what_was_done(job) %}
    {%- set method = "DEFERRED" if job.deferred else job.method | upper -%}
    {%- if job.skip -%} {{ return("SKIP " ~ job.skip) }}
    {%- elif job.commit is none -%}
        {%- set group = "STAGED " ~ method ~ " for refresh_group " ~ job.spec.refresh_group -%}
        {{ return(group ~ ": " ~ job.reason) }}
    {%- endif -%}
    {{
        return(
            method ~ " v" ~ job.commit.version ~ ", " ~ job.commit.rows ~ " rows: " ~ job.reason
        )
    }}
{% endmacro %}
