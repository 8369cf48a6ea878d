{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

Args: spec, job. Errors: «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job) %}
    {%- if job.publish == "insert" -%} {%- set sql = dbt_mview._insert_replace_sql(spec, job) -%}
    {%- elif job.publish == "merge" -%} {%- set sql = dbt_mview._merge_changes_sql(spec, job) -%}
    {%- elif job.publish == "append" -%} {%- set sql = dbt_mview._append_changes_sql(spec, job) -%}
    {%- elif job.publish != "nothing" -%} {%- set sql = dbt_mview._create_table_sql(spec, job) -%}
    {%- endif -%}
    {%- if job.publish != "nothing" -%} {%- do dbt_mview._run("publish", sql, job) -%} {%- endif -%}
    {%- if job.publish == "swap" -%} {%- do dbt_mview._swap(spec, job) -%} {%- endif -%}
    {%- do dbt_mview._check_published(spec, job) -%}
{% endmacro %}
