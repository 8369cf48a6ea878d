{#
Args: mlog_id. Returns: mapping mlog_id, name (quoted), coverage (see _coverage).
Errors: the log or its base is gone.
#}
{% macro _log_to_purge(mlog_id) %}
    {%- set parts = mlog_id.split(".") -%}
    {%- set name = dbt_mview._quoted_name(mlog_id) -%}
    {%- set kind = dbt_mview._kind_of(parts[1], parts[2]) -%}
    {%- set coverage = dbt_mview._coverage(name) if kind == "delta" else {"base": none} -%}
    {%- if not coverage.base -%}
        {%- do dbt_mview._raise(
            mlog_id,
            "the materialized view log is gone"
            ~ ("." if kind == "missing" else ", something else has its name."),
            "Run its model to begin it anew.",
        ) -%}
    {%- endif -%}
    {%- set base = coverage.base.split(".") -%}
    {%- if dbt_mview._kind_of(base[1], base[2]) != "delta" -%}
        {%- do dbt_mview._raise(
            mlog_id,
            "its base " ~ coverage.base ~ " is gone.",
            "Create it again and run the log's model, or drop the log.",
        ) -%}
    {%- endif -%}
    {{ return({"mlog_id": mlog_id, "name": name, "coverage": coverage}) }}
{% endmacro %}
