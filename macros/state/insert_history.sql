{# The history of refreshes: rows are appended, at most once for each job, and read. #}
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


{#
The last rows of mview_refresh_hist, newest first, times in microseconds.

Args: mview_ids (list or none), limit (int). Returns: agate table.
#}
{% macro _read_history(mview_ids, limit) %}
    {{ return(dbt_mview._read("history", dbt_mview._read_history_sql(mview_ids, limit))) }}
{% endmacro %}


{#
The last rows of each of some views, newest first.

Args: mview_ids (list), limit (int, of each). Returns: agate table, the first eight columns of
    _read_history.
#}
{% macro _read_last_of_each(mview_ids, limit) %}
    {%- set sql -%}
select
    mview_id,
    unix_micros(refresh_time) as refresh_time,
    unix_micros(refresh_endtime) as refresh_endtime,
    refresh_method,
    refresh_status,
    refresh_rows,
    refresh_reason,
    refresh_failed_reason
from (
    select
        *,
        row_number() over (partition by mview_id order by refresh_time desc) as place
    from {{ dbt_mview._hist_table() }}
    where mview_id in ({{ dbt_mview._literals(mview_ids) }})
)
where place <= {{ limit }}
order by refresh_time desc
    {%- endset -%}
    {{ return(dbt_mview._read("history", sql)) }}
{% endmacro %}


{% macro _read_history_sql(mview_ids, limit) %}
select
    mview_id,
    unix_micros(refresh_time) as refresh_time,
    unix_micros(refresh_endtime) as refresh_endtime,
    refresh_method,
    refresh_status,
    refresh_rows,
    refresh_reason,
    refresh_failed_reason,
    refresh_job_id,
    invocation_id,
    refresh_group
from {{ dbt_mview._hist_table() }}
{%- if mview_ids is not none %}
where mview_id in ({{ dbt_mview._literals(mview_ids) }})
{%- endif %}
order by refresh_time desc
limit {{ limit | int }}
{%- endmacro %}


{#
Which of some refreshes are in history.

Args: ids (of views), jobs (mapping id -> job id).
Returns: mapping job id -> when it ended (microseconds).
#}
{% macro _recorded_refreshes(ids, jobs) %}
    {%- if not ids -%} {{ return({}) }}{%- endif -%}
    {%- set sql = dbt_mview._recorded_sql(
        dbt_mview._hist_table(),
        "mview_id",
        "refresh_job_id",
        "refresh_endtime",
        ids,
        jobs,
    ) -%}
    {%- set found = {} -%}
    {%- for row in dbt_mview._read("noted", sql).rows -%}
        {%- do found.update({row[0]: row[1] | int}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# The same of purges. Args: ids (of logs), jobs (see above). Returns: list of job ids. #}
{% macro _recorded_purges(ids, jobs) %}
    {%- set sql = dbt_mview._recorded_sql(
        dbt_mview._log_hist_table(),
        "mlog_id",
        "purge_job_id",
        "purge_endtime",
        ids,
        jobs,
    ) -%}
    {%- set found = [] -%}
    {%- for row in dbt_mview._read("noted", sql).rows -%}
        {%- do found.append(row[0]) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: table (quoted name), key, job, ended (its columns), ids, jobs. Returns: SQL text. #}
{% macro _recorded_sql(table, key, job, ended, ids, jobs) -%}
select {{ job }}, unix_micros({{ ended }})
from {{ table }}
where {{ key }} in ({{ dbt_mview._literals(ids) }})
    and {{ job }} in ({{ dbt_mview._literals(jobs.values() | list) }})
{%- endmacro %}
