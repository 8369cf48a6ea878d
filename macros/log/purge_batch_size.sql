{#
The most data files that one batch of a purge removes.

Args: given (of the run-operation, or none for the var dbt_mview:purge_batch_size).
Returns: int, 1 to 1000000; the default of 100000 with a warning for anything else.
#}
{% macro _purge_batch_size(given=none) %}
    {%- set value = given -%}
    {%- if value is none -%}
        {%- set value = var("dbt_mview:purge_batch_size", 100000) -%}
    {%- endif -%}
    {%- set text = value | string | trim -%}
    {%- set counts = modules.re.compile("[0-9]{1,7}").fullmatch(text) -%}
    {%- if counts and 1 <= text | int <= 1000000 -%} {{ return(text | int) }}{%- endif -%}
    {%- do exceptions.warn(
        "dbt_mview: the batch size '"
        ~ text
        ~ "' of a purge is no whole number from 1 to 1000000; 100000 is used."
    ) -%}
    {{ return(100000) }}
{% endmacro %}
