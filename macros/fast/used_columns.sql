{#
The columns of a changed table that the query uses. Changes that differ in no other column are none
for the view: a projection of the net changes is the net change of the projection (Z-sets, DBSP), so
that the rest need be neither read nor compared.

Args: reads (see _reads), relation (name), columns (of the table, see _describe_query).
Returns: list of names, at least one, in the table's order; or none if the plan does not tell.
#}
{% macro _used_columns(reads, relation, columns) %}
    {%- if reads.cut -%} {{ return(none) }}{%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads.plan) -%}
    {%- set used = {} -%}
    {%- set needed = dbt_mview._needed_ids(tree) -%}
    {%- set places = dbt_mview._places_in_plan(tree) -%}
    {%- for index, place in places.items() if place.relation == relation -%}
        {%- set ids = dbt_mview._output_ids(tree, index) -%}
        {%- if ids | length != columns | length or not dbt_mview._is_projected(tree, index) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- for column in columns -%}
            {%- if (column.name ~ "#" ~ ids[loop.index0]) not in tree[index].text -%}
                {{ return(none) }}
            {%- elif ids[loop.index0] in needed -%} {%- do used.update({column.name: true}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%} {{ return(none) }}
    {%- endfor -%}
    {%- set names = columns | map(attribute="name") | select("in", used) | list -%}
    {#- A count of rows uses no column. -#}
    {{ return(names or [columns[0].name]) }}
{% endmacro %}


{#
The attributes that anything above them asks for. A staging view selects every column of its table;
what nobody asks of the view is not needed. The plan prints who asks before who is asked.

Args: tree. Returns: mapping, the ids as keys.
#}
{% macro _needed_ids(tree) %}
    {%- set needed = {} -%}
    {%- for node in tree -%}
        {%- set by_name = node.op == "Project" and dbt_mview._is_projected(tree, loop.index0) -%}
        {%- set texts = [node.text] -%}
        {%- if node.op in ["Relation", "RelationV2", "View"] -%} {%- set texts = [] -%}
        {%- elif by_name -%} {%- set texts = dbt_mview._first_list(node.text) or texts -%}
        {%- endif -%}
        {%- for text in texts -%}
            {%- set id = dbt_mview._plan_item(text).id if by_name else none -%}
            {%- if id is none or id in needed -%}
                {%- for used in modules.re.findall("#(\\d+)", text) -%}
                    {%- do needed.update({used: true}) -%}
                {%- endfor -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(needed) }}
{% endmacro %}


{#
Whether what is above an operator asks for its columns by their names. A UNION takes them by their
places, and says nothing of them.

Args: tree, index (of a table or a projection). Returns: bool.
#}
{% macro _is_projected(tree, index) %}
    {%- set at = namespace(node=index) -%}
    {%- for _ in tree -%}
        {%- set at.node = dbt_mview._node_above(tree, at.node) -%}
        {%- set op = "" if at.node is string or at.node is none else tree[at.node].op -%}
        {%- if op in ["Project", "Aggregate"] -%} {{ return(true) }}
        {%- elif op not in ["SubqueryAlias", "View", "Filter", "Join", "Window"] -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}
