{#
The rows of mview_flashback_info: which tables stay readable, since when, why not, and what was
changed for that.
#}
{#
Returns: mapping relation -> mapping table_id, guaranteed_since, reason, properties_before (mapping
    before and set, or none) and keep_alive_time; times in microseconds.
#}
{% macro _flashback_infos() %}
    {%- set found = {} -%}
    {%- for row in dbt_mview._read("flashback_info", dbt_mview._flashback_infos_sql()).rows -%}
        {%- do found.update(
            {
                row[0]: {
                    "table_id": row[1],
                    "guaranteed_since": none if row[2] is none else row[2] | int,
                    "reason": row[3],
                    "properties_before": fromjson(row[4]) if row[4] else none,
                    "keep_alive_time": none if row[5] is none else row[5] | int,
                }
            }
        ) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{% macro _flashback_infos_sql() -%}
select
    relation,
    table_id,
    unix_micros(guaranteed_since) as guaranteed_since,
    reason,
    properties_before,
    unix_micros(keep_alive_time) as keep_alive_time
from {{ dbt_mview._flashback_info_table() }}
where relation != '*'
{%- endmacro %}


{# Writes rows, in one commit. Args: infos (see _flashback_infos). Returns: SQL text. #}
{% macro _merge_flashback_infos_sql(infos) -%}
    {%- set rows = [] -%}
    {%- for relation, info in infos | dictsort -%}
        {%- do rows.append(
            "    ("
            ~ [
                dbt_mview._literal(relation),
                dbt_mview._literal(info.table_id),
                dbt_mview._timestamp(info.guaranteed_since),
                dbt_mview._literal(info.reason),
                dbt_mview._json_literal(info.properties_before),
                dbt_mview._timestamp(info.keep_alive_time),
            ] | join(", ") ~ ")"
        ) -%}
    {%- endfor -%}
    {%- set columns = [
        "table_id", "guaranteed_since", "reason", "properties_before", "keep_alive_time"
    ] -%}
    {%- set assigned = [] -%}
    {%- for column in columns -%}
        {%- do assigned.append(column ~ " = s." ~ column) -%}
    {%- endfor -%}
merge into {{ dbt_mview._flashback_info_table() }} as t
using (
    select *
    from values
{{ rows | join(",\n") }}
        as info (relation, {{ columns | join(", ") }})
) as s
on t.relation = s.relation and t.relation in ({{ dbt_mview._literals(infos | sort) }})
when matched then update set
    {{ assigned | join(",\n    ") }}
when not matched then insert (relation, {{ columns | join(", ") }})
    values (s.relation, s.{{ columns | join(", s.") }})
{%- endmacro %}


{# Forgets tables. Args: relations (list of names). Returns: SQL text. #}
{% macro _delete_flashback_infos_sql(relations) -%}
delete from {{ dbt_mview._flashback_info_table() }}
where relation in ({{ dbt_mview._literals(relations) }})
{%- endmacro %}


{# The tables that views are, and that they read. Returns: SQL text. #}
{% macro _tables_of_views_sql() -%}
select mview_id as relation
from {{ dbt_mview._info_table() }}
where target_version is not null
union
select source.relation
from {{ dbt_mview._info_table() }}
lateral view explode(sources) sources_of as source
where source.version is not null
order by relation
{%- endmacro %}
