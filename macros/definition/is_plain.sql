{#
Whether a view means the same with and without ANSI mode: it converts nothing but whole numbers that
stand in the text, adds up nothing, and calls no function but those that are known to be the same.

Args: name (of a view). Returns: bool.
#}
{% macro _is_plain(name) %}
    {%- set view = dbt_mview._view(name) -%}
    {%- if not view or dbt_mview._has_ambiguous(dbt_mview._words(view.text)) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set reads = dbt_mview._reads("select * from " ~ dbt_mview._quoted_name(name)) -%}
    {#- Below a View Spark gives its columns their types, as _view_sql does. -#}
    {%- set plan = modules.re.sub("(?m)^(\\W*View \\(.*)\n.*", "\\1", reads.plan) -%}
    {#- Twice, as it is converted within a conversion. -#}
    {%- set literal = "cast\\(-?\\d+ as [a-z]+(\\(\\d+,\\d+\\))?\\)" -%}
    {%- set plan = modules.re.sub(literal, "0", modules.re.sub(literal, "0", plan)) -%}
    {%- set computes = modules.re.search(" ([-+*/%&|^]|div) |#\\d+L?\\[|-[a-zA-Z_(`]|~", plan) -%}
    {%- set same = (
        "count min max coalesce isnull isnotnull between upper lower concat trim length substring "
        ~ "row_number rank dense_rank windowspecdefinition specifiedwindowframe outer"
    ).split() -%}
    {%- set others = modules.re.findall("(\\w+)\\(", plan) | reject("in", same) | list -%}
    {{ return(not (reads.cut or computes or others)) }}
{% endmacro %}
