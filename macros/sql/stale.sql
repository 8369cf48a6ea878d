{#
The findings of the test mview_fresh that are older than the lag that is allowed.

Args: lines (list of mappings, see _unread), max_lag (SQL interval or none). Returns: SQL text.
#}
{% macro _stale_sql(lines, max_lag) -%}
select *
from values
{%- for line in lines + [{"source": none, "read": none, "newest": none, "since": none}] %}
    (
        {{ dbt_mview._literal(line.source) }}, {{ dbt_mview._bigint(line.read) }},
        {{ dbt_mview._bigint(line.newest) }}, {{ dbt_mview._timestamp(line.since) }},
        {{ dbt_mview._literal(line.get("problem")) }}
    ){{ "" if loop.last else "," }}
{%- endfor %}
    as stale (source, read_version, newest_version, unread_since, problem)
where
    problem is not null
{%- if max_lag is not none %}
    and (
        source is null
        or unread_since < current_timestamp() - cast({{ dbt_mview._literal(max_lag) }} as interval)
    )
{%- endif %}
{%- endmacro %}
