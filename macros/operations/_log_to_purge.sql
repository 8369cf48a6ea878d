{#
Args: mlog_id. Returns: see _find_log.
Errors: the log or its base is gone.
#}
{% macro _log_to_purge(mlog_id) %}
    {%- set log_ = dbt_mview._find_log(mlog_id) -%}
    {%- if not log_.coverage.base -%}
        {%- do dbt_mview._raise(
            mlog_id,
            "the materialized view log is gone"
            ~ ("." if log_.kind == "missing" else ", something else has its name."),
            "Run its model to begin it anew.",
        ) -%}
    {%- endif -%}
    {%- set base = log_.coverage.base.split(".") -%}
    {%- if dbt_mview._kind_of(base[1], base[2]) != "delta" -%}
        {%- do dbt_mview._raise(
            mlog_id,
            "its base " ~ log_.coverage.base ~ " is gone.",
            "Create it again and run the log's model, or drop the log.",
        ) -%}
    {%- endif -%}
    {{ return(log_) }}
{% endmacro %}
