{#
Sources of which nothing was read yet: a view that was never built names them all the same, and a
purge of their logs counts it as version 0.

Args: relations (list of names, or none). Returns: list as of the column sources, or none.
#}
{% macro _named_sources(relations) %}
    {%- if not relations -%} {{ return(none) }}{%- endif -%}
    {%- set sources = [] -%}
    {%- for name in relations -%}
        {%- do sources.append(
            {"relation": name, "table_id": none, "version": none, "commit_time": none}
        ) -%}
    {%- endfor -%}
    {{ return(sources) }}
{% endmacro %}
