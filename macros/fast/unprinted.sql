{# What a plan does not print where it is made. Args: tree, made (see _made_of). Returns: ids. #}
{% macro _unprinted(tree, made) %}
    {%- set tables = ["Relation", "RelationV2", "LocalRelation"] -%}
    {%- set cut = [] -%}
    {%- set told = made | map(attribute="id") | list -%}
    {%- set named = [] -%}
    {%- for node in tree if node.op != "View" -%}
        {%- if node.op in tables -%}
            {%- do told.extend(dbt_mview._ids(dbt_mview._first_list(node))) -%}
        {%- else -%}
            {%- do cut.extend([node.op] if " more fields" in node.text else []) -%}
            {%- do named.extend(modules.re.findall("#(\\d+)", node.text)) -%}
            {%- for item in dbt_mview._lists(node) | sum(start=[]) -%}
                {%- set part = dbt_mview._plan_item(item) -%}
                {%- do told.extend([part.id] if part.alias else []) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(named | reject("in", told) | unique | list if cut else []) }}
{% endmacro %}
