{#
Whether a subquery can stand where a view is named. A sample stands in front of the alias, which
a subquery needs; options and columns that are qualified by a schema have no place in it.

Args: place (see _table_names), full (list: catalog, schema, identifier), tokens, places.
#}
{% macro _fits_subquery(place, full, tokens, places) %}
    {%- if place.after in ["tablesample", "with", "watermark"] -%} {{ return(false) }}{%- endif -%}
    {%- if dbt_mview._is_alias(place.after) -%} {{ return(true) }}{%- endif -%}
    {%- set tables = places | map(attribute="at") | list -%}
    {%- for token in tokens[1::3] -%}
        {%- if "." in token and 3 * loop.index0 + 1 not in tables -%}
            {%- set parts = dbt_mview._name_parts(token) if dbt_mview._is_name(token) else [] -%}
            {%- if parts[:3] == full or parts[:2] == full[1:] -%} {{ return(false) }}{%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# Whether a word is a name, not a literal or a sign. Args: word (string). Returns: bool. #}
{% macro _is_name(word) %} {{ return(modules.re.match("[\\w`]", word) is not none) }} {% endmacro %}


{# Whether the word after a table's name gives it an alias. Args: word (string). Returns: bool. #}
{% macro _is_alias(word) %}
    {%- set not_alias = (
        "where group having order limit offset union minus except intersect window qualify sort "
        ~ "cluster distribute lateral pivot unpivot join inner left right full cross natural semi "
        ~ "anti on using select"
    ).split() -%}
    {{ return(dbt_mview._is_name(word) and word not in not_alias) }}
{% endmacro %}
