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


{#
One item of a list of the plan: `sum(a#1) AS total#2L`, `k#3`.

Returns: mapping expression, id (string), alias (bool).
#}
{% macro _plan_item(item) %}
    {%- set named = modules.re.fullmatch("(.*) AS (?:.*)#(\\d+)L?", item) -%}
    {%- if named -%}
        {{ return({"expression": named.group(1), "id": named.group(2), "alias": true}) }}
    {%- endif -%}
    {%- set plain = modules.re.fullmatch(".*#(\\d+)L?", item) -%}
    {{ return({"expression": item, "id": plain.group(1) if plain else none, "alias": false}) }}
{% endmacro %}


{# Args: items (list of a plan). Returns: list of the ids of their attributes. #}
{% macro _ids(items) %}
    {%- set ids = [] -%}
    {%- for item in items -%} {%- do ids.append(dbt_mview._plan_item(item).id) -%} {%- endfor -%}
    {{ return(ids) }}
{% endmacro %}


{# Args: tree, cte (its number). Returns: list of the ids of its columns; empty if not known. #}
{% macro _defined_ids(tree, cte) %}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationDef" and node.text.split(",")[0] == cte -%}
            {{ return(dbt_mview._output_ids(tree, loop.index0 + 1)) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return([]) }}
{% endmacro %}


{# Args: tree, index. Returns: list of the ids of an operator's columns; empty if not known. #}
{% macro _output_ids(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op in ["Project", "Aggregate", "CTERelationRef", "Relation"] -%}
        {%- set text = node.text -%}
        {%- if node.op == "Relation" -%}
            {%- set text = text[text.index("[") : text.rindex("]") + 1] -%}
        {%- endif -%}
        {%- set lists = dbt_mview._bracketed_lists(text) -%}
        {{ return(dbt_mview._ids(lists[-1]) if lists else []) }}
    {%- endif -%}
    {%- set ids = [] -%}
    {%- for child in tree -%}
        {%- if child.parent == index and not child.inner -%}
            {%- if child.position == 0 or node.op == "Join" and "Semi" not in node.text.split(
                ","
            )[0] and "Anti" not in node.text.split(",")[0] -%}
                {%- do ids.extend(dbt_mview._output_ids(tree, loop.index0)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if node.op == "Window" -%}
        {%- do ids.extend(dbt_mview._ids(dbt_mview._bracketed_lists(node.text)[0])) -%}
    {%- endif -%}
    {{ return(ids) }}
{% endmacro %}
