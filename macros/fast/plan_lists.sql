{#
The bracketed lists of an operator's line: `Aggregate [a], [a, b]` has two.

Args: text (string). Returns: list of lists of strings.
#}
{% macro _bracketed_lists(text) %}
    {%- set lists = [] -%}
    {%- for part in dbt_mview._split_list(text) if part.startswith("[") and part.endswith("]") -%}
        {%- do lists.append(dbt_mview._split_list(part[1:-1])) -%}
    {%- endfor -%}
    {{ return(lists) }}
{% endmacro %}


{#
The lists of an operator. What it puts out ends in the number of a column, so that a comma in a
literal, which is printed without its quotes, parts nothing there: `CASE WHEN p THEN many, really
ELSE few END AS label#3` is one item. What it is grouped by is told by the items; in other lists a
comma parts what is one.

Args: node (see _plan_tree). Returns: as _bracketed_lists.
#}
{% macro _lists(node) %}
    {%- set text = node.text -%}
    {%- if node.op in ["Relation", "RelationV2", "LocalRelation"] and "[" in text -%}
        {%- set text = text[text.index("[") : text.rindex("]") + 1] -%}
    {%- endif -%}
    {%- set lists = dbt_mview._bracketed_lists(text) -%}
    {%- set at = {"Project": 0, "Window": 0, "Aggregate": -1}.get(node.op) -%}
    {%- if at is none or not lists -%} {{ return(lists) }}{%- endif -%}
    {%- set items = [] -%}
    {%- set begun = [] -%}
    {%- for part in lists[at] -%}
        {%- do begun.append(part) -%}
        {%- if modules.re.search("#\\d+L?$|^\\.\\.\\. \\d+ more fields$", part) -%}
            {%- do items.append(begun | join(", ")) -%} {%- do begun.clear() -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if at == 0 -%} {{ return([items + begun] + lists[1:]) }}{%- endif -%}
    {%- set grouping = [dbt_mview._grouping(lists[0], items)] if lists | length > 1 else [] -%}
    {{ return(grouping + lists[1:-1] + [items + begun]) }}
{% endmacro %}


{# Args: node. Returns: list of strings, the first list of an operator. #}
{% macro _first_list(node) %}
    {%- set lists = dbt_mview._lists(node) -%} {{ return(lists[0] if lists else []) }}
{% endmacro %}


{#
Splits a list as the plan prints it at its outer commas.

Args: text (string, without the outer brackets). Returns: list of strings.
#}
{% macro _split_list(text) %}
    {%- set parts = [] -%}
    {%- set at = namespace(depth=0, start=0) -%}
    {%- for char in text -%}
        {%- if char in "([{" -%} {%- set at.depth = at.depth + 1 -%}
        {%- elif char in ")]}" -%} {%- set at.depth = at.depth - 1 -%}
        {%- elif char == "," and at.depth == 0 -%}
            {%- do parts.append(text[at.start : loop.index0].strip()) -%}
            {%- set at.start = loop.index -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do parts.append(text[at.start :].strip()) -%}
    {{ return(parts | select | list) }}
{% endmacro %}
