{#
Notes planned times. What has no plan, or was moved by a run meanwhile, stays as it is.

Args: times (mapping id -> microseconds), after (mapping id -> microseconds or none, from when each
    plan counts, see _counted_from; or none: that is not asked).
Returns: list of SQL texts, one for each state table.
#}
{% macro _plan_times_sql(times, after=none) %}
    {%- set tables = [[dbt_mview._info_table(), "mview_id"]] -%}
    {%- if dbt_mview._has_log_state() -%}
        {%- do tables.append([dbt_mview._log_info_table(), "mlog_id"]) -%}
    {%- endif -%}
    {%- set next, open = {}, {} -%}
    {%- for id, time in times.items() -%}
        {%- do next.update({id: dbt_mview._timestamp(time)}) -%}
        {%- do open.update({id: dbt_mview._bigint((after or {}).get(id))}) -%}
    {%- endfor -%}
    {%- set statements = [] -%}
    {%- for table, key in tables -%}
        {%- set sql = (
            "update " ~ table ~ "\nset next_time = " ~ dbt_mview._by_id_sql(key, next) ~ "\nwhere "
            ~ key ~ " in (" ~ dbt_mview._literals(times.keys() | list)
            ~ ")\n    and schedule is not null and next_time is null"
        ) -%}
        {%- set as_read = (
            "\n    and cast(get_json_object(schedule, '$.after') as bigint) <=> "
            ~ dbt_mview._by_id_sql(key, open)
        ) -%}
        {%- do statements.append(sql ~ (as_read if after is not none else "")) -%}
    {%- endfor -%}
    {{ return(statements) }}
{% endmacro %}


{# A value for each id. Args: key (column), values (mapping id -> SQL). Returns: SQL expression. #}
{% macro _by_id_sql(key, values) %}
    {%- set cases = [] -%}
    {%- for id, value in values.items() -%}
        {%- do cases.append("when " ~ dbt_mview._literal(id) ~ " then " ~ value) -%}
    {%- endfor -%}
    {{ return("case " ~ key ~ "\n    " ~ cases | join("\n    ") ~ "\nend") }}
{% endmacro %}
