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
    {%- if not found and log is not none -%} {%- do dbt_mview._raise_no_log(log) -%}
    {%- elif not found and base is not none -%} {%- do dbt_mview._raise_no_log(base, "has no") -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{# Args: name (of a log, or of a table without one), verb (what it is not). Errors: always. #}
{% macro _raise_no_log(name, verb="is no") %}
    {%- do dbt_mview._raise(
        name,
        verb ~ " materialized view log that state knows.",
        "Build it once with dbt run; mlog_info lists all.",
    ) -%}
{% endmacro %}
