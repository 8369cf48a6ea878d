{# Appends history rows, each at most once by its job id. Args: outcomes. Returns: SQL text. #}
{% macro _insert_history_sql(outcomes) %}
    {%- set ids = outcomes | map(attribute="mview_id") | list -%}
    {%- set jobs = outcomes | map(attribute="job_id") | list -%}
insert into {{ dbt_mview._hist_table() }}
select
    job_id, mview_id, method, reason, started, coalesce(ended, current_timestamp()), rows,
    result, failed_reason, sources, invocation_id, refresh_group
from (
{{ dbt_mview._outcomes_sql(outcomes) }}
) as s
left anti join (
    select refresh_job_id
    from {{ dbt_mview._hist_table() }}
    where mview_id in ({{ dbt_mview._literals(ids) }})
        and refresh_job_id in ({{ dbt_mview._literals(jobs) }})
) as h on h.refresh_job_id = s.job_id
{%- endmacro %}
