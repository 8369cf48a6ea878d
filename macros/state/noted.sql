{#
Which of some refreshes are in history.

Args: ids (of views), jobs (mapping id -> job id).
Returns: mapping job id -> when it ended (microseconds).
#}
{% macro _noted_refreshes(ids, jobs) %}
    {%- if not ids -%} {{ return({}) }}{%- endif -%}
    {%- set sql = dbt_mview._noted_sql(
        dbt_mview._hist_table(), "mview_id", "refresh_job_id", "refresh_endtime", ids, jobs
    ) -%}
    {%- set found = {} -%}
    {%- for row in dbt_mview._read("noted", sql).rows -%}
        {%- do found.update({row[0]: row[1] | int}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# The same of purges. Args: ids (of logs), jobs (see above). Returns: list of job ids. #}
{% macro _noted_purges(ids, jobs) %}
    {%- set sql = dbt_mview._noted_sql(
        dbt_mview._log_hist_table(), "mlog_id", "purge_job_id", "purge_endtime", ids, jobs
    ) -%}
    {%- set found = [] -%}
    {%- for row in dbt_mview._read("noted", sql).rows -%} {%- do found.append(row[0]) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: table (quoted name), key, job, ended (its columns), ids, jobs. Returns: SQL text. #}
{% macro _noted_sql(table, key, job, ended, ids, jobs) -%}
select {{ job }}, unix_micros({{ ended }})
from {{ table }}
where {{ key }} in ({{ dbt_mview._literals(ids) }})
    and {{ job }} in ({{ dbt_mview._literals(jobs.values() | list) }})
{%- endmacro %}


{# A failure of a log that nobody is purging. Args: mlog_id. Returns: SQL text. #}
{% macro _charge_log_sql(mlog_id) -%}
update {{ dbt_mview._log_info_table() }}
set
    {{ dbt_mview._failed_again_sql() }}
where mlog_id = {{ dbt_mview._literal(mlog_id) }} and lock_owner is null
{%- endmacro %}
