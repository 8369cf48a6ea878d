{#
One column of a node's list: expression, name, id; what it calls, and how an expression is looked up
in GROUP BY.
#}
{#
One item of a list of the plan: `sum(a#1) AS total#2L`, `k#3`.

The name begins at the first AS outside of brackets: that of a column without an alias is its
expression, as SQL writes it, with an AS for each cast. See _canonical for what names may be.

Returns: mapping
    expression  as printed; of what has no alias, the item
    name, id    strings; none where the item is no column
    reference   the name with its number, as other operators print it
    alias       bool
    references  ids that the expression names
    truncated   bool: it leaves something out
#}
{% macro _plan_item(item) %}
    {#- An empty text is printed as nothing. -#}
    {%- set parts = (" " ~ item if item.startswith("AS ") else item).split(" AS ") -%}
    {%- set at = namespace(depth=0, named=0) -%}
    {%- for part in parts[:-1] if not at.named -%}
        {%- set opened = modules.re.findall("[\\[({]", part) | length -%}
        {%- set at.depth = at.depth + opened - modules.re.findall("[\\])}]", part) | length -%}
        {%- if at.depth == 0 -%} {%- set at.named = loop.index -%} {%- endif -%}
    {%- endfor -%}
    {%- set name = parts[at.named :] | join(" AS ") -%}
    {%- set column = modules.re.fullmatch("(.*)#(\\d+)L?", name) -%}
    {%- set alias = at.named > 0 and column is not none -%}
    {%- set text = parts[: at.named] | join(" AS ") | trim if alias else item -%}
    {{
        return(
            {
                "expression": text,
                "name": column.group(1) if column else none,
                "reference": name,
                "id": column.group(2) if column else none,
                "alias": alias,
                "references": modules.re.findall("#(\\d+)", text),
                "truncated": " more fields" in item,
            }
        )
    }}
{% endmacro %}


{# Args: items (list of strings, each one of a list of the plan). Returns: list, see _plan_item. #}
{% macro _plan_items(items) %}
    {%- set found = [] -%}
    {%- for item in items -%}
        {#- Most are columns as they are: `k#3`. -#}
        {%- set plain = modules.re.fullmatch("([^#]*)#(\\d+)L?", item) -%}
        {%- if plain and " AS " not in item and not item.startswith("AS ") -%}
            {%- do found.append(
                {
                    "expression": item,
                    "name": plain.group(1),
                    "reference": item,
                    "id": plain.group(2),
                    "alias": false,
                    "references": [plain.group(2)],
                    "truncated": " more fields" in item,
                }
            ) -%}
        {%- else -%} {%- do found.append(dbt_mview._plan_item(item)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
An expression without the names of its columns: SQL names them in any case, and the plan prints each
as it was written. Args: text (as the plan prints it). Returns: string.
#}
{% macro _nameless(text) %} {{ return(modules.re.sub("\\w+#(?=\\d)", "#", text)) }} {% endmacro %}


{#
A column's expression as it is looked for in GROUP BY. A literal is printed there without its
quotes: one that reads 'count(1)' is no count.

Args: column (see _plan_item). Returns: string, see _nameless; or none, where it calls something of
    no column.
#}
{% macro _as_group_key(column) %}
    {%- set calls = column.expression.endswith(")") and "#" not in column.expression -%}
    {{ return(none if calls else dbt_mview._nameless(column.expression)) }}
{% endmacro %}


{# Whether a column is a literal, which the plan prints as it is. Args: column. Returns: bool. #}
{% macro _is_constant(column) %}
    {%- set constant = "[\\w ]+|cast\\(null as [\\w(),]+\\)" -%}
    {{ return(modules.re.fullmatch(constant, column.expression) is not none) }}
{% endmacro %}


{#
The function that a column is one call of, and nothing around it.

Args: column (see _plan_item). Returns: none if it is no such call; else mapping
    function   its name
    of         what it is called of, see _nameless, without DISTINCT
    shown      the same, for a message
    distinct   bool
    of_all     bool: `count(1)`
    references ids
    is_short   bool: it is called of a column as it is, which the plan does not print as a bigint
               (#5L): whole numbers of it have 32 bits
#}
{% macro _call_of(column) %}
    {%- set call = modules.re.fullmatch("(\\w+)\\((.*)\\)", column.expression) -%}
    {%- if not call or dbt_mview._closes_early(call.group(2)) -%} {{ return(none) }}{%- endif -%}
    {%- set inner = call.group(2) -%}
    {{
        return(
            {
                "function": call.group(1),
                "of": dbt_mview._nameless(inner),
                "shown": modules.re.sub("#\\d+L?", "", inner),
                "distinct": inner.startswith("distinct "),
                "of_all": inner == "1",
                "references": column.references,
                "is_short": modules.re.fullmatch("[A-Za-z_]\\w*#\\d+", inner) is not none,
            }
        )
    }}
{% endmacro %}


{# Whether a text closes a bracket that it did not open. Args: text. Returns: bool. #}
{% macro _closes_early(text) %}
    {%- set at = namespace(depth=0, early=false) -%}
    {%- for char in modules.re.findall("[()]", text) -%}
        {%- set at.depth = at.depth + (1 if char == "(" else -1) -%}
        {%- if at.depth < 0 -%} {%- set at.early = true -%} {%- endif -%}
    {%- endfor -%}
    {{ return(at.early) }}
{% endmacro %}


{# Whether any id is among others. Args: references, ids (lists of ids). Returns: bool. #}
{% macro _are_any_in(references, ids) %}
    {{ return(references | select("in", ids) | list | length > 0) }}
{% endmacro %}
