{#
Column lineage: which ids are the same column under another id (aliases), and where a column of the
result comes from.
#}
{#
The attributes that are another one under a new id: renamed by a projection, upcast by a view, or
read from a CTE. Not those that a view makes a text of: texts have another order. Nor those of a CTE
that is read several times, whose readers have rows of their own; nor what a UNION puts out, which
has the ids of its first branch and is the same there alone.

Args: tree. Returns: mapping id -> id.
#}
{% macro _pass_through(tree) %}
    {%- set passed = {} -%}
    {%- set named = dbt_mview._attributes(tree) -%}
    {%- for node in tree if node.op == "Project" -%}
        {%- set under_view = node.parent is not none and tree[node.parent].op == "View" -%}
        {%- for column in node.columns if column.alias -%}
            {%- set upcast = none -%}
            {%- if under_view -%}
                {%- set upcast = modules.re.fullmatch(
                    "cast\\((.*#\\d+L?) as (?!string\\))[^#]*\\)", column.expression
                ) -%}
            {%- endif -%}
            {%- set source = upcast.group(1) if upcast else column.expression -%}
            {%- if source | lower in named -%}
                {%- do passed.update({column.id: named[source | lower]}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set references = tree | selectattr("op", "equalto", "CTERelationRef") | list -%}
    {%- set ctes = references | map(attribute="cte") | list -%}
    {%- for node in references if ctes.count(node.cte) == 1 -%}
        {%- for id, defined in (dbt_mview._read_from_cte(tree, node) or {}).items() -%}
            {%- if id != defined -%} {%- do passed.update({id: defined}) -%} {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for node in tree if node.op.startswith("Union") -%}
        {#- Not known, or truncated: any of them may be put out. -#}
        {%- if not node.output or none in node.output -%} {{ return({}) }}{%- endif -%}
        {%- for id in node.output -%} {%- do passed.pop(id, none) -%} {%- endfor -%}
    {%- endfor -%}
    {{ return(passed) }}
{% endmacro %}


{#
The attributes of the plan as it prints them. `NOT a#1` and `-a#1` end like the attribute a#1, so
that a text is one only if an operator puts it out, by that very name.

Args: tree. Returns: mapping text (lower case: SQL names columns in any case) -> id.
#}
{% macro _attributes(tree) %}
    {%- set listing = (
        "Relation RelationV2 LocalRelation Project Window CTERelationRef Aggregate Generate Expand"
    ).split() -%}
    {%- set named = {} -%}
    {%- for node in tree if node.op in listing -%}
        {%- for column in node.columns if column.id is not none -%}
            {%- do named.update({column.reference | lower: column.id}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(named) }}
{% endmacro %}


{#
These attributes, and those that are the same under another id: `k as id` is computed below a window
that is partitioned by k. Args: tree, ids. Returns: list of ids.
#}
{% macro _copies(tree, ids) %}
    {%- set passed = dbt_mview._pass_through(tree) -%}
    {%- set origins = [] -%}
    {%- for id in ids -%} {%- do origins.append(dbt_mview._origin(passed, id)) -%} {%- endfor -%}
    {%- set found = ids + origins -%}
    {%- for id in passed if dbt_mview._origin(passed, id) in origins -%}
        {%- do found.append(id) -%}
    {%- endfor -%}
    {{ return(found | unique | list) }}
{% endmacro %}


{#
Args: passed (see _pass_through), id, computed (ids where to stop). Returns: the id at its end.
#}
{% macro _origin(passed, id, computed=[]) %}
    {%- set at = namespace(id=id) -%}
    {%- for _ in passed if at.id in passed and at.id not in computed -%}
        {%- set at.id = passed[at.id] -%}
    {%- endfor -%}
    {{ return(at.id) }}
{% endmacro %}


{#
Where each column of the result comes from: renames are followed down to the operator that
computes it.

Args: tree, columns (of the query, in any order), computed (ids of the attributes where to stop).
Returns: mapping column name -> id of the attribute below all projections that only pass it on;
    none if the plan's columns are not those of the query.
#}
{% macro _outputs(tree, columns, computed) %}
    {%- set passed = dbt_mview._pass_through(tree) -%}
    {%- set ids = {} -%}
    {%- for column in tree[0].columns -%}
        {%- do ids.update({column.name | lower: column.id}) -%}
    {%- endfor -%}
    {%- set names = columns | map(attribute="name") | map("lower") | list -%}
    {%- if ids | length != names | length or names | reject("in", ids) | list -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set outputs = {} -%}
    {%- for column in columns -%}
        {%- set id = ids[column.name | lower] -%}
        {%- do outputs.update({column.name: dbt_mview._origin(passed, id, computed)}) -%}
    {%- endfor -%}
    {{ return(outputs) }}
{% endmacro %}


{# Args: tree, name (of a column), same (pattern). Returns: list of the ids that are the column. #}
{% macro _aliases_of(tree, name, same) %}
    {%- set named = "(?i)(?<!\\w)" ~ modules.re.escape(name) ~ "#(\\d+)" -%}
    {%- set ids = modules.re.findall(named, tree | map(attribute="text") | join("\n")) -%}
    {%- set made = dbt_mview._derivations(tree) -%}
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


{# Args: tree, ids. Returns: mapping id -> the name by which the plan prints it first. #}
{% macro _printed_names(tree, ids) %}
    {%- set text = tree | map(attribute="text") | join("\n") -%}
    {%- set names = {} -%}
    {%- for id in ids -%}
        {%- set name = modules.re.search("(\\w+)#" ~ id ~ "\\b", text) -%}
        {%- if name -%} {%- do names.update({id: name.group(1)}) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}
