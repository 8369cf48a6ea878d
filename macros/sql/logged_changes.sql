{#
The rows of a log that belong to a change.

Args: change (see _change_from_log). Returns: SQL text, what stands after SELECT ... .
#}
{% macro _logged_sql(change) -%}
from {{ change.log.name }} version as of {{ change.log.version }}
    where _commit_version > {{ change.start }} and _commit_version <= {{ change.log.end }}
{%- endmacro %}


{# Args: change. Returns: SQL text, one row: how many rows came, how many went. #}
{% macro _count_logged_sql(change) -%}
select
    count_if(_change_type in ({{ dbt_mview._change_types(1) }})) as came,
    count_if(_change_type in ({{ dbt_mview._change_types(-1) }})) as went
{{ dbt_mview._logged_sql(change) }}
{%- endmacro %}


{# Args: name (of a log), version (of its table). Returns: SQL text, one row: its last change. #}
{% macro _last_logged_sql(name, version) -%}
select
    max(_commit_version) as version,
    unix_micros(max_by(_commit_timestamp, _commit_version)) as commit_time
from {{ name }} version as of {{ version }}
{%- endmacro %}
