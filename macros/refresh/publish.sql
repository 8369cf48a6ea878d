{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

Args: spec, job. Errors: «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job) %}
    {%- if job.publish == "insert" -%} {%- set sql = dbt_mview._insert_replace_sql(spec, job) -%}
    {%- else -%} {%- set sql = dbt_mview._create_table_sql(spec, job) -%}
    {%- endif -%}
    {%- do dbt_mview._run("publish", sql, job) -%}
    {%- if job.publish == "swap" -%} {%- do dbt_mview._swap(spec, job) -%} {%- endif -%}
{% endmacro %}


{#
What the commit says of itself: enough to record the refresh if its run dies right after.

Args: spec, job. Returns: mapping.
#}
{% macro _publish_meta(spec, job) %}
    {{
        return(
            {
                "dbt_mview": {
                    "mview_id": spec.mview_id,
                    "refresh_job_id": job.id,
                    "lock_token": job.token,
                    "method": job.method,
                    "reason": job.reason,
                    "started": job.started,
                    "read_time": none if job.deferred else job.read_time,
                    "sources": job.sources,
                    "definition_hash": job.definition_hash,
                    "invocation_id": job.owner,
                }
            }
        )
    }}
{% endmacro %}
