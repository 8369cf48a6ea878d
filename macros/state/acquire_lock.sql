{# Args: spec, job, token (int, of the lock that is taken). Returns: SQL text, a script. #}
{% macro _acquire_sql(spec, job, token) %}
    {%- set published = job.holder.job_id if job.holder and job.holder.published else none -%}
    {%- set intent = dbt_mview._json_literal(dbt_mview._intent(spec, job)) -%}
    {%- set lease = "current_timestamp() + " ~ dbt_mview._lease_sql() -%}
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    {%- if job.state is none %}
    merge into {{ dbt_mview._info_table() }} as t
    using (select 1 as one) as s
    on t.mview_id = {{ dbt_mview._literal(spec.mview_id) }}
    when matched then update set lock_owner = raise_error('busy')
    when not matched then insert
        (mview_id, last_refresh_result, lock_owner, lock_token, lock_time, lease_until,
        refresh_job_id, intent)
        values (
            {{ dbt_mview._literal(spec.mview_id) }}, 'running', {{ dbt_mview._literal(job.owner) }},
            {{ token }}, current_timestamp(), {{ lease }}, {{ dbt_mview._literal(job.id) }},
            {{ intent }}
        );
    {%- else %}
    update {{ dbt_mview._info_table() }}
    set
        lock_owner = case
            when lock_token = {{ job.state.lock_token or 0 }} and (
                lock_owner is null or lease_until < current_timestamp()
                {%- if job.force %} or true{% endif %}
                {%- if published %}
                or refresh_job_id = {{ dbt_mview._literal(published) }}
                {%- endif %}
            ) then {{ dbt_mview._literal(job.owner) }}
            else raise_error('busy')
        end,
        lock_token = {{ token }},
        lock_time = current_timestamp(),
        lease_until = {{ lease }},
        last_refresh_result = 'running',
        refresh_job_id = {{ dbt_mview._literal(job.id) }},
        intent = {{ intent }}
    where mview_id = {{ dbt_mview._literal(spec.mview_id) }};
    {%- endif %}
    select 'acquired' as outcome;
end
{%- endmacro %}
