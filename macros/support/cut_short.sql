{#
Whether dbt puts a filter of its own around what a model reads: --empty, --sample.

Returns: bool.
#}
{% macro _is_cut_short() %}
    {{ return(flags.EMPTY or (flags.SAMPLE is defined and flags.SAMPLE is not none)) }}
{% endmacro %}
