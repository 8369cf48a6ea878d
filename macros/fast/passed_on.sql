{#
The attributes that are another one under a new id: renamed by a projection, upcast by a view, or
read from a CTE. Not those that a view makes a text of: texts have another order.

Args: tree. Returns: mapping id -> id.
#}
{% macro _passed_on(tree) %}
    {%- set passed = {} -%}
    {%- for node in tree if node.op == "Project" -%}
        {%- set under_view = node.parent is not none and tree[node.parent].op == "View" -%}
        {%- for item in dbt_mview._first_list(node.text) -%}
            {%- set part = dbt_mview._plan_item(item) -%}
            {%- set source = modules.re.fullmatch(
                (
                    "(?:cast\\()?[^()]*#(\\d+)L?(?: as (?!string\\))[^#]*\\))?"
                    if under_view
                    else "[^()]*#(\\d+)L?"
                ),
                part.expression,
            ) -%}
            {%- if part.alias and source -%}
                {%- do passed.update({part.id: source.group(1)}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for node in tree if node.op == "CTERelationRef" -%}
        {%- for id, defined in (dbt_mview._read_from_cte(tree, node) or {}).items() -%}
            {%- if id != defined -%} {%- do passed.update({id: defined}) -%} {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(passed) }}
{% endmacro %}
