{#
What is made of other attributes, as far as values that are equal and not the same may come of it,
see _coarse_ids: a cast to another type than float and double gives none. The plan does not tell
the types of VALUES.

Args: tree. Returns: list of mappings id, uses (ids), coarse (bool: whatever it uses), text (as the
    plan prints it; none: one of what it uses, as it is).
#}
{% macro _made_of(tree) %}
    {%- set coarse = "\\bas (?:double|float)\\)|(?:Double|Float)Type|-0\\.0|\\bcollate\\b" -%}
    {%- set type = "(?!double|float)\\w+(?:\\(\\d+(?:,\\d+)?\\))?" -%}
    {%- set exact = "cast\\((?:[^()]|\\([^()]*\\))* as " ~ type ~ "\\)" -%}
    {%- set made = [] -%}
    {%- for node in tree -%}
        {%- if node.op == "CTERelationRef" -%}
            {%- set read = dbt_mview._read_from_cte(tree, node) -%}
            {%- for id in dbt_mview._ids(dbt_mview._first_list(node)) -%}
                {%- set uses = [] if read is none else [read[id]] -%}
                {%- do made.append(
                    {"id": id, "uses": uses, "coarse": read is none, "text": none}
                ) -%}
            {%- endfor -%}
        {%- elif node.op == "Union" -%} {%- do made.extend(dbt_mview._united(tree, loop.index0)) -%}
        {%- else -%}
            {%- set any = node.op in ["Generate", "Expand", "LocalRelation"] -%}
            {%- for item in dbt_mview._lists(node) | sum(start=[]) -%}
                {%- set part = dbt_mview._plan_item(item) -%}
                {%- set text = node.text if any else part.expression -%}
                {%- if (part.alias or any) and not modules.re.fullmatch(exact, text) -%}
                    {%- set made_so = (
                        modules.re.search(coarse, text) or node.op == "LocalRelation"
                    ) -%}
                    {%- set uses = modules.re.findall("#(\\d+)", text) -%}
                    {%- do made.append(
                        {"id": part.id, "uses": uses, "coarse": made_so, "text": text}
                    ) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}


{# What UNION ALL puts out, by its places. Args: tree, index. Returns: see _made_of. #}
{% macro _united(tree, index) %}
    {%- set out = dbt_mview._output_ids(tree, index) -%}
    {%- set made = [] -%}
    {%- for node in tree if node.parent == index and not node.inner -%}
        {%- set branch = dbt_mview._output_ids(tree, tree.index(node)) -%}
        {%- set known = branch | length == out | length and none not in out + branch -%}
        {%- for id in out -%}
            {%- set uses = [branch[loop.index0]] if known else [] -%}
            {%- do made.append({"id": id, "uses": uses, "coarse": not known, "text": none}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(made) }}
{% endmacro %}
