{#
Notes planned times. What has no plan, or was moved by a run meanwhile, stays as it is.

Args: times (mapping id -> microseconds). Returns: list of SQL texts, one for each state table.
#}
{% macro _plan_times_sql(times) %}
    {%- set tables = [[dbt_mview._info_table(), "mview_id"]] -%}
    {%- if dbt_mview._has_log_state() -%}
        {%- do tables.append([dbt_mview._log_info_table(), "mlog_id"]) -%}
    {%- endif -%}
    {%- set cases = [] -%}
    {%- for id, time in times.items() -%}
        {%- do cases.append(
            "when " ~ dbt_mview._literal(id) ~ " then " ~ dbt_mview._timestamp(time)
        ) -%}
    {%- endfor -%}
    {%- set statements = [] -%}
    {%- for table, key in tables -%}
        {%- do statements.append(
            "update " ~ table ~ "\nset next_time = case " ~ key ~ "\n    "
            ~ cases | join("\n    ") ~ "\nend\nwhere " ~ key ~ " in ("
            ~ dbt_mview._literals(times.keys() | list)
            ~ ")\n    and schedule is not null and next_time is null"
        ) -%}
    {%- endfor -%}
    {{ return(statements) }}
{% endmacro %}
