{# One operator of a plan as a record: what the rest of the package knows of it. #}
{#
One operator of a plan. This constructor says all that the rest of the package knows of it; text and
what is said to be printed is for this folder alone.

Args: index, op (first word of its line), text (the rest), depth, parent, inner, position (see
    below).
Returns: mapping
  of its place, set here
    index           in the list of all nodes
    op              Project, Join, Relation, ...
    depth           level, 0 at the root
    parent          index of the node above, or none
    inner           bool, whether it begins a subquery of an expression of its parent
    position        0, 1, ... among the children of its parent
  of its line, set here
    text            as it is printed
    truncated       bool: it leaves out some of its columns
    understood      bool: brackets close, and the columns of its lists are columns, named or not
    references      ids that it names, in the order of the text, as often as it does
    join_type       of a Join: Inner, LeftOuter, ...; else none
    condition       of a Join or Filter, as printed; else none
    relation        of a table, string catalog.schema.identifier; else none
    cte             of a CTE and of its references, its number; else none
    columns         what it lists of columns, see _plan_item: those that a Project, an Aggregate, an
                    Expand (see _expand_columns) or a table has, and those that a Window adds
    group_keys      of an Aggregate, list of mappings key (see _as_group_key), shown (for a
                    message); empty where it is one group of all
    partition_keys  of a Window, list of mappings id (none of an expression), name
    decides         ids that the lists of an Aggregate or Window name beside its columns
    order           of a Sort of all rows, list of mappings id (none of an expression), direction
                    (DESC NULLS LAST, ...); else empty
  of others, set by _parse_plan
    children        indexes of those below it, without subqueries
    output          ids of the columns of its result; empty if they are not known, an id is none of
                    what is left out
    uses            of a CTE, indexes of its references; else none
    definition      of a reference to a CTE, index of the CTE, or none
    asked           of a subquery that a filter asks by one of its conditions, mapping type (exists,
                    not exists, in, not in), condition (as printed), without_null (bool: neither
                    what IN compares nor the subquery's column is NULL); else none
#}
{% macro _plan_node(index, op, text, depth, parent, inner, position) %}
    {%- set lists = dbt_mview._lists(op, text) -%}
    {%- set node = {
        "index": index,
        "op": op,
        "depth": depth,
        "parent": parent,
        "inner": inner,
        "position": position,
        "text": text,
        "truncated": " more fields" in text,
        "understood": true,
        "references": modules.re.findall("#(\\d+)", text),
        "join_type": text.split(",")[0].strip() if op == "Join" else none,
        "condition": {"Join": text.partition(", ")[2], "Filter": text}.get(op),
        "relation": dbt_mview._relation_name(op, text),
        "cte": (
            text.split(",")[0] if op in ["CTERelationDef", "CTERelationRef"] else none
        ),
        "columns": [],
        "group_keys": [],
        "partition_keys": [],
        "decides": [],
        "order": dbt_mview._sort_order(op, text, lists),
        "children": [],
        "output": [],
        "uses": none,
        "definition": none,
        "asked": none,
    } -%}
    {%- set at = dbt_mview._list_of_columns(op) -%}
    {%- if at is none -%}
        {%- do node.update({"columns": dbt_mview._plan_items(lists | sum(start=[]))}) -%}
    {%- elif op == "Expand" -%}
        {%- do node.update({"columns": dbt_mview._expand_columns(lists)}) -%}
    {%- elif lists -%}
        {%- do node.update({"columns": dbt_mview._plan_items(lists[at])}) -%}
        {%- do dbt_mview._note_keys(node, lists) -%}
    {%- endif -%}
    {%- do node.update({"understood": dbt_mview._is_whole(node, lists)}) -%}
    {{ return(node) }}
{% endmacro %}


{#
What an operator groups or parts rows by. Args: node, lists. Sets group_keys, partition_keys and
decides.
#}
{% macro _note_keys(node, lists) %}
    {%- if node.op == "Aggregate" and lists | length == 2 -%}
        {%- for text in dbt_mview._grouping(lists[0], node.columns) -%}
            {%- set shown = modules.re.sub("#\\d+L?", "", text) -%}
            {#- Spark's name of what numbers grouping sets. -#}
            {%- set shown = "grouping_id()" if shown == "spark_grouping_id" else shown -%}
            {%- do node.group_keys.append({"key": dbt_mview._nameless(text), "shown": shown}) -%}
        {%- endfor -%}
    {%- elif node.op == "Window" and lists | length > 1 -%}
        {%- for text in lists[1] -%}
            {%- set plain = modules.re.fullmatch("([^()]*)#(\\d+)L?", text) -%}
            {%- do node.partition_keys.append(
                {
                    "id": plain.group(2) if plain else none,
                    "name": text.rpartition("#")[0],
                }
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- for text in (lists[:-1] if node.op == "Aggregate" else lists[1:]) | sum(start=[]) -%}
        {%- do node.decides.extend(modules.re.findall("#(\\d+)", text)) -%}
    {%- endfor -%}
{% endmacro %}


{#
Args: op, text (of a node). Returns: string catalog.schema.identifier of a table, empty if it has
    none; none of what is no table.
#}
{% macro _relation_name(op, text) %}
    {%- if op not in ["Relation", "RelationV2"] -%} {{ return(none) }}{%- endif -%}
    {%- set text = text if op == "Relation" else text.split("] ")[-1] -%}
    {{ return(dbt_mview._name_parts(modules.re.split("[\\[, ]", text)[0]) | join(".")) }}
{% endmacro %}


{# Args: op, text, lists (of a node). Returns: see _plan_node, order. #}
{% macro _sort_order(op, text, lists) %}
    {%- set order = [] -%}
    {%- if op == "Sort" and text.endswith("], true") -%}
        {%- for item in lists | sum(start=[]) -%}
            {%- set found = modules.re.fullmatch(
                "(.*) ((?:ASC|DESC) NULLS (?:FIRST|LAST))", item
            ) -%}
            {%- set plain = (
                modules.re.fullmatch("[^()#]*#(\\d+)L?", found.group(1))
                if found
                else none
            ) -%}
            {%- do order.append(
                {
                    "id": plain.group(1) if plain else none,
                    "direction": found.group(2) if found else none,
                }
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(order) }}
{% endmacro %}
