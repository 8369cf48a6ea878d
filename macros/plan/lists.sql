{# The bracketed lists of an operator's line, parted where the plan parts them. #}
{#
The lists of an operator. What it puts out ends in the number of a column, so that a comma in a
literal, which is printed without its quotes, parts nothing there: `CASE WHEN p THEN many, really
ELSE few END AS label#3` is one item. In other lists a comma parts what is one; of what an Aggregate
groups by, its columns tell, see _grouping.

Args: op, text (of a node). Returns: as _bracketed_lists.
#}
{% macro _lists(op, text) %}
    {%- if op in ["Relation", "RelationV2", "LocalRelation"] and "[" in text -%}
        {%- set text = text[text.find("[") : text.rfind("]") + 1] -%}
    {%- endif -%}
    {%- set lists = dbt_mview._bracketed_lists(text) -%}
    {%- set at = dbt_mview._list_of_columns(op) -%}
    {%- if at is none or not lists -%} {{ return(lists) }}{%- endif -%}
    {%- set items, begun = [], [] -%}
    {%- for part in lists[at] -%}
        {%- set ends = modules.re.search("#\\d+L?$|^\\.\\.\\. \\d+ more fields$", part) -%}
        {%- if ends and not begun -%} {%- do items.append(part) -%}
        {%- else -%}
            {%- do begun.append(part) -%}
            {%- if ends -%} {%- do items.append(begun | join(", ")) -%} {%- do begun.clear() -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set items = items + begun -%}
    {{ return([items] + lists[1:] if at == 0 else lists[:-1] + [items]) }}
{% endmacro %}


{#
Which of its lists has the columns that an operator makes. Args: op. Returns: its index, or none of
one whose lists are all alike.
#}
{% macro _list_of_columns(op) %}
    {{ return({"Project": 0, "Window": 0, "Aggregate": -1, "Expand": -1}.get(op)) }}
{% endmacro %}


{#
The bracketed lists of an operator's line: `Aggregate [a], [a, b]` has two.

Args: text (string). Returns: list of lists of strings.
#}
{% macro _bracketed_lists(text) %}
    {%- set lists = [] -%}
    {%- if modules.re.search("(?:^|,)\\s*\\[", text) -%}
        {%- for part in dbt_mview._split_list(text) if part.startswith("[") -%}
            {%- if part.endswith("]") -%}
                {%- do lists.append(dbt_mview._split_list(part[1:-1])) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(lists) }}
{% endmacro %}


{#
Splits a list as the plan prints it at its outer commas.

Args: text (string, without the outer brackets). Returns: list of strings.
#}
{% macro _split_list(text) %}
    {%- set signs = modules.re.split("([\\[\\](){},])", text) -%}
    {%- set parts = [] -%}
    {%- set at = namespace(depth=0, start=0) -%}
    {#- Every other one is a sign, so that only these are looked at. -#}
    {%- for sign in signs[1::2] -%}
        {%- if sign == "," -%}
            {%- if at.depth == 0 -%}
                {%- set end = 2 * loop.index0 + 1 -%}
                {%- do parts.append((signs[at.start : end] | join).strip()) -%}
                {%- set at.start = end + 1 -%}
            {%- endif -%}
        {%- elif sign in "([{" -%} {%- set at.depth = at.depth + 1 -%}
        {%- else -%} {%- set at.depth = at.depth - 1 -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do parts.append((signs[at.start :] | join).strip()) -%}
    {{ return(parts | select | list) }}
{% endmacro %}


{#
What an Aggregate is grouped by: one of its columns may be printed with commas in it.

Args: parts (of GROUP BY, parted at every comma), columns (of the Aggregate). Returns: list of
    strings.
#}
{% macro _grouping(parts, columns) %}
    {%- set wide = columns | map(attribute="expression") | join("\n") if columns else "" -%}
    {%- set known = wide.split("\n") -%}
    {%- set grouping = [] -%}
    {%- set at = namespace(next=0) -%}
    {%- for start in range(parts | length) if start >= at.next -%}
        {%- set found = namespace(text=parts[start], end=start + 1) -%}
        {%- if ("\n" ~ parts[start] ~ ", ") in "\n" ~ wide -%}
            {%- for end in range(start + 2, parts | length + 1) -%}
                {%- set text = parts[start:end] | join(", ") -%}
                {%- if text in known -%}
                    {%- set found.text = text -%} {%- set found.end = end -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endif -%}
        {%- do grouping.append(found.text) -%} {%- set at.next = found.end -%}
    {%- endfor -%}
    {{ return(grouping) }}
{% endmacro %}
