{#
The result, and a branch without rows that fails if the lock was lost. A branch of its own,
because the optimizer may drop a condition on a result that it knows to be empty.

Args: spec, job. Returns: SQL text.
#}
{% macro _guarded_result_sql(spec, job) %}
    {%- set nulls = [] -%}
    {%- set columns = [] -%}
    {%- for column in job.columns -%}
        {%- set staged = dict(column, expression=dbt_mview._quote(column.name)) -%}
        {%- do columns.append(staged if job.staged else column) -%}
        {%- do nulls.append("null") -%}
    {%- endfor -%}
    {%- if job.publish != "insert" -%}
        {%- set columns = dbt_mview._without_lengths(columns) -%}
    {%- endif -%}
select {{ dbt_mview._select_list(columns) }}
    {%- if job.staged %}
from {{ dbt_mview._stage_name(job.id) }}
    {%- else %}
from (
{{ job.query }}
)
    {%- endif %}
{%- if job.deferred %}
where false
{%- endif %}
union all
select {{ nulls | join(", ") }}
where {{ dbt_mview._guard_sql(spec, job) }}
{%- endmacro %}


{#
False while the lock is held, else an error: what every publish asserts in its own text.

Args: spec, job (lock_id, lock_token: of the holder, where it publishes another's refresh).
Returns: SQL condition.
#}
{% macro _guard_sql(spec, job) -%}
case
    when (
        select count(*) = 1
        from {{ dbt_mview._info_table() }}
        where mview_id = {{ dbt_mview._literal(spec.mview_id) }}
            and lock_token = {{ job.get("lock_token") or job.token }}
            and lock_owner is not null
            and refresh_job_id = {{ dbt_mview._literal(job.get("lock_id") or job.id) }}
    ) then false
    else raise_error({{ dbt_mview._literal(
        "dbt_mview: lock lost: another run took over the refresh of " ~ spec.mview_id
        ~ ", nothing was published by this one"
    ) }})
end
{%- endmacro %}
