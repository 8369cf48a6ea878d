{#
Column lineage: what is computed from which columns, and which ids may hold values that are equal
and not the same (not image-equal).
#}
{#
What is derived from other attributes, if values may come of it that are equal and not the same, see
_not_image_equal_ids: a cast to a type other than float and double gives none. The plan does not
show the types of VALUES.

Args: tree. Returns: list of mappings id, uses (ids), not_image_equal (bool: whatever it uses), text
    (as the plan prints it; none: one of what it uses, as it is).
#}
{% macro _derivations(tree) %}
    {%- set inexact = "\\bas (?:double|float)\\)|(?:Double|Float)Type|-0\\.0|\\bcollate\\b" -%}
    {%- set type = "(?!double|float)\\w+(?:\\(\\d+(?:,\\d+)?\\))?" -%}
    {%- set exact = "cast\\((?:[^()]|\\([^()]*\\))* as " ~ type ~ "\\)" -%}
    {%- set made = [] -%}
    {%- for one in dbt_mview._made_of(tree) -%}
        {%- if one.text is none or not modules.re.fullmatch(exact, one.text) -%}
            {%- set found = modules.re.search(inexact, one.text or "") -%}
            {%- do made.append(dict(one, not_image_equal=one.unknown or found is not none)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{#
What is made of other attributes.

Args: tree. Returns: list of mappings id, uses (ids), unknown (bool: the plan does not say of what,
    or of which type), text (as the plan prints it; none: one of what it uses, as it is).
#}
{% macro _made_of(tree) %}
    {%- set made = [] -%}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationRef" -%}
            {%- set read = dbt_mview._read_from_cte(tree, node) -%}
            {%- for id in node.output -%}
                {%- set uses = [] if read is none else [read[id]] -%}
                {%- do made.append(
                    {"id": id, "uses": uses, "unknown": read is none, "text": none}
                ) -%}
            {%- endfor -%}
        {%- elif node.op == "Union" -%}
            {%- do made.extend(dbt_mview._union_derivations(tree, loop.index0)) -%}
        {%- else -%}
            {%- set any = node.op in ["Generate", "LocalRelation"] -%}
            {%- for column in node.columns if column.alias or any -%}
                {%- do made.append(
                    {
                        "id": column.id,
                        "uses": node.references if any else column.references,
                        "unknown": node.op == "LocalRelation",
                        "text": node.text if any else column.expression,
                    }
                ) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{# The output of UNION ALL, by position. Args: tree, index. Returns: see _made_of. #}
{% macro _union_derivations(tree, index) %}
    {%- set out = tree[index].output -%}
    {%- set made = [] -%}
    {%- for child in tree[index].children -%}
        {%- set branch = tree[child].output -%}
        {%- set known = branch | length == out | length and none not in out + branch -%}
        {%- for id in out -%}
            {%- set uses = [branch[loop.index0]] if known else [] -%}
            {%- do made.append({"id": id, "uses": uses, "unknown": not known, "text": none}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{#
What a plan does not print where it is made. Args: tree, made (see _derivations). Returns: ids.
#}
{% macro _undefined_ids(tree, made) %}
    {%- set tables = ["Relation", "RelationV2", "LocalRelation"] -%}
    {%- set truncated = [] -%}
    {%- set told = made | map(attribute="id") | list -%}
    {%- set named = [] -%}
    {%- for node in tree if node.op != "View" -%}
        {%- if node.op in tables -%}
            {%- do told.extend(node.columns | map(attribute="id") | list) -%}
        {%- else -%}
            {%- do truncated.extend([node.op] if node.truncated else []) -%}
            {%- do named.extend(node.references) -%}
            {%- set aliases = node.columns | selectattr("alias") -%}
            {%- do told.extend(aliases | map(attribute="id") | list) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(named | reject("in", told) | unique | list if truncated else []) }}
{% endmacro %}


{#
The attributes whose values may be equal and not the same: 0.0 and -0.0, 'a' and 'A' under a
collation. The rows of one group or window may differ in them, and what is made of them above it
may be another value for each.

Args: tree (see _parse_plan), reads (see _canonical).
Returns: list of ids; those of other columns of the same name may be among them.
#}
{% macro _not_image_equal_ids(tree, reads) %}
    {%- set groups = tree | selectattr("op", "in", ["Aggregate", "Window", "Distinct"]) -%}
    {%- if not groups | list -%} {{ return([]) }}{%- endif -%}
    {%- set made = dbt_mview._derivations(tree) -%}
    {%- set types = dbt_mview._not_image_equal("float|double") -%}
    {%- set found = dbt_mview._ids_of_types(tree, reads, types) -%}
    {%- for id in dbt_mview._undefined_ids(tree, made) -%}
        {%- do found.update({id: true}) -%}
    {%- endfor -%}
    {%- set before = namespace(count=-1) -%}
    {%- for _ in made if before.count != found | length -%}
        {%- set before.count = found | length -%}
        {%- for one in made if one.not_image_equal or one.uses | select("in", found) | list -%}
            {%- do found.update({one.id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found | list) }}
{% endmacro %}


{#
The ids of the columns of tables that have some types.

Args: tree, reads (see _canonical), types (pattern). Returns: mapping id -> true; those of other
    columns of the same name may be among them.
#}
{% macro _ids_of_types(tree, reads, types) %}
    {%- set names, found = [], {} -%}
    {%- for column in reads.columns.values() | sum(start=[]) -%}
        {%- if modules.re.search(types, column.type) -%}
            {%- do names.append(modules.re.escape(dbt_mview._as_printed(reads, column.name))) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set named = "(?i)(?<!\\w)(?:" ~ names | join("|") ~ ")#(\\d+)" -%}
    {%- for node in tree if names -%}
        {%- for id in modules.re.findall(named, node.text) -%}
            {%- do found.update({id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
