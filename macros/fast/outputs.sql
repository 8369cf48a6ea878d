{#
Where each column of the result comes from: renames are followed down to the operator that
computes it.

Args: tree, columns (of the query), computed (ids of the attributes where to stop).
Returns: mapping column name -> id of the attribute below all projections that only pass it on;
    none if the plan's columns are not those of the query.
#}
{% macro _outputs(tree, columns, computed) %}
    {%- set passed = {} -%}
    {%- for node in tree if node.op == "Project" -%}
        {%- set under_view = node.parent is not none and tree[node.parent].op == "View" -%}
        {%- for item in dbt_mview._bracketed_lists(node.text)[0] -%}
            {%- set part = dbt_mview._plan_item(item) -%}
            {%- set source = modules.re.fullmatch(
                (
                    "(?:cast\\()?[^()]*#(\\d+)L?(?: as [^#]*\\))?"
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
        {%- set ids = dbt_mview._ids(dbt_mview._bracketed_lists(node.text)[0]) -%}
        {%- set defined = dbt_mview._defined_ids(tree, node.text.split(",")[0]) -%}
        {%- for id in ids if ids | length == defined | length -%}
            {%- if id != defined[loop.index0] -%}
                {%- do passed.update({id: defined[loop.index0]}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set items = (
        dbt_mview._bracketed_lists(tree[0].text)[0] if tree[0].op == "Project" else []
    ) -%}
    {%- if items | length != columns | length -%} {{ return(none) }}{%- endif -%}
    {%- set outputs = {} -%}
    {%- for column in columns -%}
        {%- set at = namespace(id=dbt_mview._plan_item(items[loop.index0]).id) -%}
        {%- for _ in passed -%}
            {%- if at.id in passed and at.id not in computed -%}
                {%- set at.id = passed[at.id] -%}
            {%- endif -%}
        {%- endfor -%}
        {%- do outputs.update({column.name: at.id}) -%}
    {%- endfor -%}
    {{ return(outputs) }}
{% endmacro %}
