{# dbt's own line of the log: how many changes were captured, of which versions. Args: job. #}
{% macro _tell_log(job) %}
    {%- set at = job.coverage.captured.version -%}
    {%- if job.gap -%} {%- set code, text = "START", "START v" ~ at ~ ": " ~ job.gap -%}
    {%- elif job.get("empty") -%}
        {%- set code, text = "SKIP", "SKIP " ~ job.empty ~ " captures nothing" -%}
    {%- elif job.was.version == at -%}
        {%- set code, text = "SKIP", "SKIP nothing changed since v" ~ at -%}
    {%- else -%}
        {%- set code = "CAPTURE" -%}
        {%- set text = "CAPTURE v" ~ at ~ ", " ~ job.rows ~ " rows: v" ~ job.was.version -%}
        {%- set text = text ~ " -> v" ~ at -%}
    {%- endif -%}
    {%- do store_raw_result("main", message=text, code=code, rows_affected=job.rows) -%}
{% endmacro %}
