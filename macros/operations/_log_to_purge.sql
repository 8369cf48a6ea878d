{#
Args: mlog_id, pass_over (bool: what is gone is a warning).
Returns: see _find_log; or none, if it is passed over.
Errors: the log or its base is gone.
#}
{% macro _log_to_purge(mlog_id, pass_over=false) %}
    {%- set log_ = dbt_mview._find_log(mlog_id) -%}
    {%- set base = log_.coverage.base -%}
    {%- if not base -%}
        {%- set taken = "" if log_.kind == "missing" else ", something else has its name" -%}
        {%- set what = "the materialized view log is gone" ~ taken -%}
        {%- set way_out = "Run its model to begin it anew." -%}
    {%- elif dbt_mview._kind_at(base) != "delta" -%}
        {%- set what = "its base " ~ base ~ " is gone" -%}
        {%- set way_out = "Create it again and run the log's model, or drop the log." -%}
    {%- else -%} {{ return(log_) }}
    {%- endif -%}
    {%- if not pass_over -%} {%- do dbt_mview._raise(mlog_id, what ~ ".", way_out) -%} {%- endif -%}
    {%- do exceptions.warn(
        "dbt_mview: " ~ mlog_id ~ ": " ~ what ~ ", it is not purged. " ~ way_out
    ) -%}
    {{ return(none) }}
{% endmacro %}
