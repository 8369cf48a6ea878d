{#
How a query can follow changes of some of its tables, read from its analyzed plan. What does not
change may stand anywhere in the query; what does must reach the result by a path that is
understood.

Args: reads, columns (see _canonical), changed (names of tables).
Returns: mapping
    reason    why there is no exact way but COMPLETE, or none
    strategy  append: the changed rows themselves; aggregate: signed changes of sums and counts;
              keyed: the groups or partitions that are touched are computed again
    keys      columns that say which rows of the result belong together
    one_row   whether there is one row for each key
    emptied   place -> places that are bound to no rows meanwhile, see _other_branches
    turned    place -> outer joins that are inner ones in its terms, see _keyed_shape; may lack
    opened    place -> filters of the text that its terms do without, see _keyed_shape; may lack
    text      the query with the texts of views, whose filters these are; lacks where none is opened
    values    column -> sum, wide_sum (decimals of 38 digits), count, count_all, mean, min, max or
              other (aggregate only)
    means     column -> what the mean follows, see _means (aggregate only; may lack)
    wanted    column -> what would have it added up, see _sums_wanted (aggregate only; may lack)
#}
{% macro _shape(reads, columns, changed) %}
    {%- if not changed -%}
        {{ return({"reason": "INPUT_NOT_IN_DELTA: the query reads no table"}) }}
    {%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads.plan) -%}
    {%- set places = dbt_mview._places_in_plan(tree) -%}
    {%- set unseen = dbt_mview._unseen(places, reads, changed) -%}
    {%- if unseen -%} {{ return({"reason": "SOURCE_NOT_BOUND: " ~ unseen}) }}{%- endif -%}
    {%- set paths = [] -%}
    {%- set emptied = {} -%}
    {%- for index, place in places.items() if place.relation in changed -%}
        {%- set path = dbt_mview._linear_path(tree, index) -%}
        {%- if path.reason -%} {{ return({"reason": path.reason}) }}{%- endif -%}
        {%- set others = dbt_mview._other_branches(tree, path, reads.get("nested", true)) -%}
        {%- if others is string -%} {{ return({"reason": others}) }}{%- endif -%}
        {%- set names = [] -%}
        {%- for other in others -%} {%- do names.append(places[other].name) -%} {%- endfor -%}
        {%- do emptied.update({place.name: names}) -%}
        {%- do paths.append(path) -%}
    {%- endfor -%}
    {%- if paths | map(attribute="core") | unique | list | length != 1 -%}
        {{ return({"reason": "AGGREGATE_NOT_TOP_NODE"}) }}
    {%- endif -%}
    {%- set shape = dbt_mview._shape_of_core(tree, paths[0], columns) -%}
    {%- do shape.update({"emptied": emptied}) -%}
    {{ return(shape) }}
{% endmacro %}


{# Returns: the first of these tables that the plan does not show at all of its places, or none. #}
{% macro _unseen(places, reads, changed) %}
    {%- for relation in changed -%}
        {%- set seen = places.values() | selectattr("relation", "equalto", relation) | list -%}
        {%- if seen | length != reads.places.count(relation) -%}
            {{ return(relation) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# What ends the linear part decides how the result follows. Returns: see _shape. #}
{% macro _shape_of_core(tree, path, columns) %}
    {%- if path.core is none -%} {{ return(dbt_mview._append_shape(columns)) }}{%- endif -%}
    {%- set cut = dbt_mview._is_cut(tree, path.core) -%}
    {%- if tree[path.core].op == "Distinct" -%}
        {{ return(dbt_mview._distinct_shape(tree, path.core, columns, not cut)) }}
    {%- endif -%}
    {%- if cut -%}
        {{ return({"reason": "OPERATOR_NOT_INCREMENTAL: more columns than the plan prints"}) }}
    {%- elif tree[path.core].op == "Window" -%}
        {{ return(dbt_mview._window_shape(tree, path, columns)) }}
    {%- endif -%}
    {{ return(dbt_mview._aggregate_shape(tree, path.core, columns)) }}
{% endmacro %}


{#
Whether the plan leaves out columns of the core or of what stands over it. Below, as in a wide
table, the names of columns do not matter.

Args: tree, core (index). Returns: bool.
#}
{% macro _is_cut(tree, core) %}
    {%- set at = namespace(node=core, cut=false) -%}
    {%- for _ in tree if at.node is not none -%}
        {%- if " more fields" in tree[at.node].text -%} {%- set at.cut = true -%} {%- endif -%}
        {%- set above = dbt_mview._node_above(tree, at.node) -%}
        {%- set at.node = none if above is string else above -%}
    {%- endfor -%}
    {{ return(at.cut) }}
{% endmacro %}
