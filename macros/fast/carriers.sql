{# Args: tree, name (of a column), same (pattern). Returns: list of the ids that are the column. #}
{% macro _carriers(tree, name, same) %}
    {%- set named = "(?i)(?<!\\w)" ~ modules.re.escape(name) ~ "#(\\d+)" -%}
    {%- set ids = modules.re.findall(named, tree | map(attribute="text") | join("\n")) -%}
    {%- set made = dbt_mview._made_of(tree) -%}
    {%- set before = namespace(count=-1) -%}
    {%- for _ in made if before.count != ids | length -%}
        {%- set before.count = ids | length -%}
        {%- for one in made if one.id not in ids and one.uses | select("in", ids) | list -%}
            {%- if one.text is none or modules.re.fullmatch(same, one.text) -%}
                {%- do ids.append(one.id) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(ids) }}
{% endmacro %}
