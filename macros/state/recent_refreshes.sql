{#
The last twenty refreshes of a view, newest first. History is written at the end of a run only, so
one read serves all views of a run.

Args: mview_id. Returns: list of rows, as _read_history.
#}
{% macro _recent_refreshes(mview_id) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if mview_id not in memory.recent -%}
        {%- set ids = (dbt_mview._selected("mview") + [mview_id]) | unique | list -%}
        {%- set recent = {} -%}
        {%- for id in ids -%} {%- do recent.update({id: []}) -%} {%- endfor -%}
        {%- for row in dbt_mview._read("history", dbt_mview._recent_sql(ids, 20)).rows -%}
            {%- do recent[row[0]].append(row) -%}
        {%- endfor -%}
        {#- Only when it is whole: other threads look here meanwhile. -#}
        {%- do memory.update({"recent": recent}) -%}
    {%- endif -%}
    {{ return(memory.recent[mview_id]) }}
{% endmacro %}


{# Args: mview_ids (list), each (int, rows of each view). Returns: SQL text. #}
{% macro _recent_sql(mview_ids, each) -%}
select *
from (
    select *, row_number() over (partition by mview_id order by refresh_time desc) as nth
    from (
{{ dbt_mview._history_rows_sql(mview_ids) }}
    )
)
where nth <= {{ each }}
order by mview_id, nth
{%- endmacro %}
