{#
Args: days (int, how long history is kept), logs (list of mlog_ids whose tables are there).
Returns: list of SQL statements.
#}
{% macro _maintain_sql(days, logs) %}
    {%- set state = [[dbt_mview._info_table(), none], [dbt_mview._hist_table(), "refresh_time"]] -%}
    {%- if logs is not none -%}
        {%- do state.append([dbt_mview._log_info_table(), none]) -%}
        {%- do state.append([dbt_mview._log_hist_table(), "purge_time"]) -%}
    {%- endif -%}
    {%- set statements = [] -%}
    {%- for table, time in state if time -%}
        {%- set old = " < current_timestamp() - interval " ~ days ~ " days" -%}
        {#- Whoever records a refresh meanwhile reads what is deleted here. -#}
        {%- do statements.append(
            dbt_mview._retry_on_conflict_sql("delete from " ~ table ~ " where " ~ time ~ old)
        ) -%}
    {%- endfor -%}
    {%- set tables = state | map(attribute=0) | list -%}
    {%- for mlog_id in logs or [] -%}
        {%- do tables.append(dbt_mview._quoted_name(mlog_id)) -%}
    {%- endfor -%}
    {%- for table in tables -%}
        {%- do statements.append("optimize " ~ table) -%}
        {%- do statements.append("vacuum " ~ table) -%}
    {%- endfor -%}
    {{ return(statements) }}
{% endmacro %}
