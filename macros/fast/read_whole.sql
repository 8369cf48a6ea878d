{#
Whether a plan is what the package reads plans for, to the last character: lists in brackets that
close, items that end in the number of a column, a name without one behind AS, and of each table the
columns that it has. The rest is refused.

Args: tree, reads (see _canonical). Returns: bool.
#}
{% macro _is_read_whole(tree, reads) %}
    {%- for node in tree -%}
        {%- set relation = dbt_mview._relation_name(node) -%}
        {%- if relation in reads.columns -%}
            {%- set names = [] -%}
            {%- for column in reads.columns[relation] -%}
                {%- do names.append(dbt_mview._as_printed(reads, column.name)) -%}
            {%- endfor -%}
            {%- if not dbt_mview._has_columns(node, names) -%} {{ return(false) }}{%- endif -%}
        {%- elif not dbt_mview._are_items(node) -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# Whether the plan lists these columns of a table, or the first of them. Args: node, names. #}
{% macro _has_columns(node, names) %}
    {%- set listed = node.text.partition("[")[2].rpartition("]")[0] -%}
    {%- set items = modules.re.split(", ?", listed) if listed else [] -%}
    {%- set cut = items and items[-1].endswith(" more fields") -%}
    {%- set shown = items[:-1] if cut else items -%}
    {%- if shown | length != names | length and not cut -%} {{ return(false) }}{%- endif -%}
    {%- for item in shown -%}
        {%- set id = item[names[loop.index0] | length :] -%}
        {%- if not item.startswith(names[loop.index0]) or not modules.re.fullmatch(
            "#\\d+L?", id
        ) -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# Whether an operator's items are columns, named or not. Args: node. Returns: bool. #}
{% macro _are_items(node) %}
    {%- if not dbt_mview._closes_all(node.text) -%} {{ return(false) }}{%- endif -%}
    {%- set at = {"Project": 0, "Window": 0, "Aggregate": -1}.get(node.op) -%}
    {%- if at is none -%} {{ return(true) }}{%- endif -%}
    {%- set lists = dbt_mview._lists(node) -%}
    {%- for item in lists[at] if lists -%}
        {%- set part = dbt_mview._plan_item(item) -%}
        {%- set cut = loop.last and modules.re.fullmatch("\\.\\.\\. \\d+ more fields", item) -%}
        {%- if not cut and (part.id is none or "#" in part.name) -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# Whether every bracket that a text opens is closed by its like. Args: text. Returns: bool. #}
{% macro _closes_all(text) %}
    {%- set open = [] -%}
    {%- for char in modules.re.findall("[\\[\\](){}]", text) -%}
        {%- if char in "([{" -%} {%- do open.append({"(": ")", "[": "]", "{": "}"}[char]) -%}
        {%- elif not open or open.pop() != char -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(not open) }}
{% endmacro %}
