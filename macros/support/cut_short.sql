{#
Whether dbt puts a filter of its own around what a model reads: --empty, --sample.

Returns: bool.
#}
{% macro _is_cut_short() %}
    {#- Of these, `flags` has only the first. -#}
    {{ return(flags.EMPTY or invocation_args_dict.get("sample") is not none) }}
{% endmacro %}
