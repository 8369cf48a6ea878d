{# Which columns of a table a query uses. Changes in other columns are none for the view. #}
{#
The columns of a changed table that the query uses. The others need be neither read nor compared: a
projection of the consolidated changes is the consolidated change of the projection (Z-sets, DBSP).

Args: reads (see _canonical), relation (name), columns (of the table, see _describe_query).
Returns: list of names, at least one, in the table's order; or none if the plan does not show them.
#}
{% macro _column_pruning(reads, relation, columns) %}
    {%- if reads.truncated -%} {{ return(none) }}{%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set used = {} -%}
    {%- set needed = dbt_mview._required_ids(tree) -%}
    {%- if needed is none -%} {{ return(none) }}{%- endif -%}
    {%- set occurrences = dbt_mview._occurrences(tree) -%}
    {%- for index, occurrence in occurrences.items() if occurrence.relation == relation -%}
        {%- set ids = tree[index].output -%}
        {%- if ids | length != columns | length or not dbt_mview._is_projected(tree, index) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- for column in columns -%}
            {%- set printed = dbt_mview._as_printed(reads, column.name) -%}
            {%- if tree[index].columns[loop.index0].name != printed -%} {{ return(none) }}
            {%- elif ids[loop.index0] in needed -%} {%- do used.update({column.name: true}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%} {{ return(none) }}
    {%- endfor -%}
    {%- for column in columns if used and not dbt_mview._is_printable_type(column.type) -%}
        {#- An expression of their type replaces the others; it has to be written. -#}
        {%- do used.update({column.name: true}) -%}
    {%- endfor -%}
    {%- set names = columns | map(attribute="name") | select("in", used) | list -%}
    {#- A count of rows uses no column. -#}
    {{ return(names or [columns[0].name]) }}
{% endmacro %}


{#
The attributes that anything above them references. A staging view and a CTE select every column of
their table; what nothing references is not needed.

Args: tree. Returns: mapping, the ids as keys; or none if a CTE's columns are not known.
#}
{% macro _required_ids(tree) %}
    {%- set asked = [] -%}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationRef" -%}
            {%- set read = dbt_mview._read_from_cte(tree, node) -%}
            {%- if read is none -%} {{ return(none) }}{%- endif -%}
            {%- for id, defined in read.items() -%}
                {%- do asked.append({"id": id, "uses": [defined]}) -%}
            {%- endfor -%}
        {%- elif node.op not in ["Relation", "RelationV2", "View"] -%}
            {%- do asked.extend(dbt_mview._requirements_of(tree, loop.index0)) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- Who asks a CTE is printed after it, who asks a view before it. -#}
    {%- set needed = {} -%}
    {%- set before = namespace(count=-1) -%}
    {%- for _ in asked if before.count != needed | length -%}
        {%- set before.count = needed | length -%}
        {%- for one in asked if one.id is none or one.id in needed -%}
            {%- for id in one.uses -%} {%- do needed.update({id: true}) -%} {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(needed) }}
{% endmacro %}


{#
What an operator asks of those below it. Of a projection that is itself asked by names, each column
asks only if it is asked for; of what EXISTS asks, none does.

Args: tree, index. Returns: list of mappings id (of such a column, or none), uses (ids).
#}
{% macro _requirements_of(tree, index) %}
    {%- set node = tree[index] -%}
    {%- if node.op == "Project" and node.asked and node.asked.type in ["exists", "not exists"] -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set by_name = node.op in ["Project", "Expand"] and dbt_mview._is_projected(tree, index) -%}
    {%- set asked = [] -%}
    {%- for column in node.columns if by_name -%}
        {%- do asked.append({"id": column.id, "uses": column.references}) -%}
    {%- endfor -%}
    {{ return(asked or [{"id": none, "uses": node.references}]) }}
{% endmacro %}


{#
Whether what is above an operator references its columns by name. A UNION and IN take them by
position, and name none.

Args: tree, index (of a table or a projection). Returns: bool.
#}
{% macro _is_projected(tree, index) %}
    {%- set way = dbt_mview._climb(tree, index).nodes -%}
    {%- for above in way -%}
        {%- set below = tree[([index] + way)[loop.index0]] -%}
        {%- set traits = dbt_mview._rule_of(tree[above]).traits -%}
        {%- if "names" in traits -%}
            {{ return(true) }} {%- elif "by_id" not in traits or below.inner -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
