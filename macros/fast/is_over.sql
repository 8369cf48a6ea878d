{#
Whether an expression looks at none but these columns, and at those that are alike only as they are
or for what they are equal to.

Args: text (as the plan prints it), ids (none: all that there are), alike (see _covered_path).
Returns: bool.
#}
{% macro _is_over(text, ids, alike) %}
    {%- if ids is none and not alike -%} {{ return(true) }}{%- endif -%}
    {%- set column = "[^()# ]*#\\d+L?" -%}
    {%- set compared = column ~ "(?: = | <=> )" ~ column -%}
    {%- set made = modules.re.sub("^" ~ column ~ "$|" ~ compared, "", text) -%}
    {%- set seen = modules.re.findall("#(\\d+)", text) -%}
    {{
        return(
            " more fields" not in text
            and not (ids is not none and seen | reject("in", ids) | list)
            and not dbt_mview._names_one_of(made, alike)
        )
    }}
{% endmacro %}
