{#
Step publish: ONE Delta commit on the view that carries the data, the refresh and what it read,
and whose own text asserts that the lock is still held.

Args: spec, job. Errors: «lock lost»; a violated constraint; the engine's own.
#}
{% macro _publish(spec, job) %}
    {%- if job.publish == "insert" -%}
        {%- set sql = dbt_mview._insert_replace_sql(spec, job) -%}
    {%- else -%}
        {%- set sql = dbt_mview._create_table_sql(spec, job) -%}
    {%- endif -%}
    {%- do dbt_mview._run("publish", sql, job) -%}
    {%- if job.publish == "swap" -%}{%- do dbt_mview._swap(spec, job) -%}{%- endif -%}
{% endmacro %}


{#
What the commit says of itself: enough to record the refresh if its run dies right after.

Args: spec, job. Returns: mapping.
#}
{% macro _publish_meta(spec, job) %}
    {{ return({"dbt_mview": {
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
    }}) }}
{% endmacro %}


{#
The result, and a branch without rows that fails if the lock was lost. A branch of its own,
because the optimizer may drop a condition on a result that it knows to be empty.

Args: spec, job. Returns: SQL text.
#}
{% macro _guarded_result_sql(spec, job) %}
    {%- set nulls = [] -%}
    {%- for column in job.columns -%}{%- do nulls.append("null") -%}{%- endfor -%}
{%- if job.staged %}
select {{ dbt_mview._quote_all(job.columns | map(attribute="name") | list) }}
from {{ dbt_mview._stage_name(job.id) }}
{%- else %}
select {{ dbt_mview._select_list(job.columns) }}
from (
{{ job.query }}
)
{%- endif %}
{%- if job.deferred %}
where false
{%- endif %}
union all
select {{ nulls | join(", ") }}
where case
    when (
        select count(*) = 1
        from {{ dbt_mview._state_table("mview_refresh_info") }}
        where mview_id = {{ dbt_mview._literal(spec.mview_id) }}
            and lock_token = {{ job.token }}
            and refresh_job_id = {{ dbt_mview._literal(job.id) }}
    ) then false
    else raise_error({{ dbt_mview._literal(
        "dbt_mview: lock lost: another run took over the refresh of " ~ spec.mview_id
        ~ ", nothing was published by this one"
    ) }})
end
{%- endmacro %}
