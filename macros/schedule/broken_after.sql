{#
After how many failures since its last success a view, or the purge of a log, is broken: no longer
due by its schedule (Oracle's jobs stop after 16).

Returns: int. Errors: the var dbt_mview:broken_after is no whole number from 1 to 1000.
#}
{% macro _broken_after() %}
    {%- set count = dbt_mview._count_from_var("dbt_mview:broken_after", 16) -%}
    {%- if count > 1000 -%}
        {%- do dbt_mview._raise(
            "the var dbt_mview:broken_after",
            "'" ~ count ~ "' is more than 1000.",
            "Give 1 to 1000; the default is 16.",
        ) -%}
    {%- endif -%}
    {{ return(count) }}
{% endmacro %}


{# Args: row (of state: failures). Returns: bool. #}
{% macro _is_broken(row) %}
    {{ return((row.failures or 0) >= dbt_mview._broken_after()) }}
{% endmacro %}
