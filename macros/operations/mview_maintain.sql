{#
Keeps state and logs small: deletes history older than the var dbt_mview:history_days, compacts the
state tables and the materialized view logs, and removes files that no version of the last days
needs. What views need of a log stays; mlog_purge takes the rest.

Args: dry_run (bool: print the statements).
Errors: dbt_mview:history_days is no whole number above 0.
Example: dbt run-operation mview_maintain
#}
{% macro mview_maintain(dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set job = dbt_mview._bare_job(dry_run) -%}
    {%- set days = dbt_mview._count_from_var("dbt_mview:history_days", 30) -%}
    {%- set flashback = dbt_mview._has_flashback_state() -%}
    {%- for statement in dbt_mview._maintain_sql(days, dbt_mview._logs_there(), flashback) -%}
        {%- do dbt_mview._run("maintain", statement, job) -%}
    {%- endfor -%}
    {%- if not dry_run -%}
        {%- do print("dbt_mview: state and logs compacted and pruned") -%}
    {%- endif -%}
{% endmacro %}


{#
Args: days (int, how long history is kept), logs (list of mlog_ids whose tables are there),
    flashback (bool: its tables are there).
Returns: list of SQL statements.
#}
{% macro _maintain_sql(days, logs, flashback=false) %}
    {%- set parts = [[dbt_mview._info_table(), none], [dbt_mview._hist_table(), "refresh_time"]] -%}
    {%- if logs is not none -%}
        {%- do parts.append([dbt_mview._log_info_table(), none]) -%}
        {%- do parts.append([dbt_mview._log_hist_table(), "purge_time"]) -%}
    {%- endif -%}
    {%- set statements = [] -%}
    {%- for table, time in parts if time -%}
        {%- set old = " < current_timestamp() - interval " ~ days ~ " days" -%}
        {#- A run that records a refresh meanwhile reads what is deleted here. -#}
        {%- do statements.append(
            dbt_mview._retry_on_conflict_sql(
                "delete from " ~ table ~ " where " ~ time ~ old
            )
        ) -%}
    {%- endfor -%}
    {%- set tables = parts | map(attribute=0) | list -%}
    {%- if flashback -%}
        {%- do tables.append(dbt_mview._trackpoint_table()) -%}
        {%- do tables.append(dbt_mview._flashback_info_table()) -%}
        {%- do tables.append(dbt_mview._table_of_readers()) -%}
    {%- endif -%}
    {%- for mlog_id in logs or [] -%}
        {%- do tables.append(dbt_mview._quoted_name(mlog_id)) -%}
    {%- endfor -%}
    {%- for table in tables -%}
        {%- do statements.append("optimize " ~ table) -%}
        {%- do statements.append("vacuum " ~ table) -%}
    {%- endfor -%}
    {{ return(statements) }}
{% endmacro %}
