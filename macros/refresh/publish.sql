{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

An append reads the changes in this statement itself. Where they cannot be read after all, the
publish is COMPLETE, unless the model insists on FAST.

Args: spec, job. Errors: «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job) %}
    {%- set may_fail = job.publish == "append" and spec.refresh != "fast" -%}
    {%- if job.publish != "nothing" -%}
        {%- set sql = dbt_mview._publish_sql(spec, job) -%}
        {%- set outcome = dbt_mview._run(
            "publish", dbt_mview._try_sql(sql) if may_fail else sql, job
        ) -%}
        {%- if may_fail and not job.dry_run and outcome[0][0] != "done" -%}
            {%- do dbt_mview._turn_to_complete(spec, job, "CHANGE_DATA_UNAVAILABLE") -%}
            {{ return(dbt_mview._publish(spec, job)) }}
        {%- endif -%}
    {%- endif -%}
    {%- if job.publish == "swap" -%} {%- do dbt_mview._swap(spec, job) -%} {%- endif -%}
    {%- do dbt_mview._check_published(spec, job) -%}
{% endmacro %}


{# The statement of each kind of publish, see _plan. Args: spec, job. Returns: SQL text. #}
{% macro _publish_sql(spec, job) %}
    {%- if job.publish == "insert" -%} {{ return(dbt_mview._insert_replace_sql(spec, job)) }}
    {%- elif job.publish == "merge" -%} {{ return(dbt_mview._merge_changes_sql(spec, job)) }}
    {%- elif job.publish == "append" -%} {{ return(dbt_mview._append_changes_sql(spec, job)) }}
    {%- endif -%}
    {{ return(dbt_mview._create_table_sql(spec, job)) }}
{% endmacro %}
