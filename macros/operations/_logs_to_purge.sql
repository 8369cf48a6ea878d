{# Args: log, base (as given). Returns: list of mlog_ids. Errors: none is meant. #}
{% macro _logs_to_purge(log, base) %}
    {%- set found = [] -%}
    {%- set table = none if base is none else base | string | lower -%}
    {%- if table and table.count(".") < 2 -%}
        {%- set table = dbt_mview._current_catalog() ~ "." ~ table -%}
    {%- endif -%}
    {%- for mlog_id in dbt_mview._logs_of(table) -%}
        {%- if log is none or dbt_mview._is_log_called(log, mlog_id) -%}
            {%- do found.append(mlog_id) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not found and (log is not none or base is not none) -%}
        {%- do dbt_mview._raise(
            log or base,
            ("is no" if log is not none else "has no")
            ~ " materialized view log that state knows.",
            "Build it once with dbt run; mlog_info lists all.",
        ) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
