{#
The last rows of mview_refresh_hist, newest first, times in microseconds.

Args: mview_ids (list or none), limit (int). Returns: agate table.
#}
{% macro _read_history(mview_ids, limit) %}
    {{ return(dbt_mview._read("history", dbt_mview._read_history_sql(mview_ids, limit))) }}
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
