{#
A var that counts something. Jinja's `int` makes 0 of what is no number: with a lease of 0 s no
lock would hold, and after 0 days no history would be left.

Args: name (string), default (int). Returns: int. Errors: no whole number above 0.
#}
{% macro _count_from_var(name, default) %}
    {%- set value = var(name, default) | string | trim -%}
    {%- if not modules.re.compile("[0-9]+").fullmatch(value) or value | int < 1 -%}
        {%- do dbt_mview._raise(
            "the var " ~ name,
            "'" ~ value ~ "' is no whole number above 0.",
            "Correct it in dbt_project.yml or in --vars; the default is "
            ~ default
            ~ ".",
        ) -%}
    {%- endif -%}
    {{ return(value | int) }}
{% endmacro %}
