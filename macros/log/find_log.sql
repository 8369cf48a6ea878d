{#
A log that state knows, and what it holds.

Args: mlog_id. Returns: mapping mlog_id, short (schema.identifier), name (quoted), kind (see
    _kind_of), coverage (see _coverage; base is none where there is no log any more).
#}
{% macro _find_log(mlog_id) %}
    {%- set parts = mlog_id.split(".") -%}
    {%- set name = dbt_mview._quoted_name(mlog_id) -%}
    {%- set kind = dbt_mview._kind_of(parts[1], parts[2], parts[0]) -%}
    {{
        return(
            {
                "mlog_id": mlog_id,
                "short": parts[1:] | join("."),
                "name": name,
                "kind": kind,
                "coverage": dbt_mview._coverage(name) if kind == "delta" else {"base": none},
            }
        )
    }}
{% endmacro %}
