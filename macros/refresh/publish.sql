{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

An append, and a MERGE without a stage, read the changes in this statement itself. Where an append
cannot read them after all, the publish is COMPLETE, unless the model insists on FAST. Where the
MERGE fails, the changes are staged: what was in doubt is looked at, and any other error comes again
and is the user's.

Args: spec, job. Errors: «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job) %}
    {%- set at_once = job.publish == "merge" and not job.staged -%}
    {%- set may_fail = at_once or (job.publish == "append" and spec.refresh != "fast") -%}
    {%- if job.publish != "nothing" -%}
        {%- set sql = dbt_mview._publish_sql(spec, job) -%}
        {%- do job.update({"sent": true}) -%}
        {%- set outcome = dbt_mview._run(
            "publish", dbt_mview._try_sql(sql) if may_fail else sql, job
        ) -%}
        {%- if may_fail and not job.dry_run and outcome[0][0] != "done" -%}
            {%- if at_once -%}
                {%- do job.update({"staged": true}) -%} {%- do dbt_mview._stage(spec, job) -%}
            {%- else -%}
                {%- do dbt_mview._turn_to_complete(spec, job, "CHANGE_DATA_UNAVAILABLE") -%}
            {%- endif -%}
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
