{#
Pauses, resumes or resets what has rows in state. Rows that are so already stay as they are.

Args: how (pause, resume, reset), table (quoted name), key (its column of ids), ids (list).
Returns: SQL text.
#}
{% macro _hold_plans_sql(how, table, key, ids) %}
    {%- set values = {
        "pause": ["paused_time = current_timestamp()", "paused_time is null"],
        "resume": ["paused_time = null", "paused_time is not null"],
        "reset": ["failures = null, retry_time = null", "failures is not null"],
    }[how] -%}
update {{ table }}
set {{ values[0] }}
where {{ key }} in ({{ dbt_mview._literals(ids) }}) and {{ values[1] }}
{%- endmacro %}
