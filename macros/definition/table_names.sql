{#
Which tokens of a query stand where a table is named: after FROM, JOIN, TABLE or a comma in a
FROM list, at any depth. Names in comments, literals, column positions and function calls such
as extract(year from x) are left out, and so are names with a time travel of their own.

Args: tokens (list of strings, see _tokens). Returns: mapping token index -> mapping with
    parts (list of strings) and aliased (bool).
#}
{% macro _table_names(tokens) %}
    {%- set ends_from = [
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "union",
        "minus",
        "except",
        "intersect",
        "window",
        "qualify",
        "sort",
        "cluster",
        "distribute",
        "lateral",
        "select",
        "pivot",
        "unpivot",
        "set",
        "values",
    ] -%}
    {%- set words = [] -%}
    {%- for token in tokens -%}
        {%- if not dbt_mview._is_blank(token) -%}
            {%- do words.append([loop.index0, token]) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set found = {} -%}
    {%- set depth = [{"select": true, "from": false}] -%}
    {%- set at = namespace(table=false, before="") -%}
    {%- for index, token in words -%}
        {%- set word = token | lower -%}
        {%- set after = words[loop.index][1] | lower if not loop.last else "" -%}
        {%- if token == "(" -%}
            {%- set call = (
                modules.re.fullmatch("[\\w`.]+", at.before) is not none
                and at.before not in dbt_mview._words_before_brackets()
                and not at.table
            ) -%}
            {%- do depth.append({"select": not call, "from": at.table}) -%}
        {%- elif token == ")" -%}
            {%- if depth | length > 1 -%} {%- do depth.pop() -%}
            {%- endif -%}
            {%- set at.table = false -%}
        {%- elif token == "," -%} {%- set at.table = depth[-1].from -%}
        {%- elif word == "from" and at.before != "distinct" and depth[-1].select -%}
            {%- do depth[-1].update({"from": true}) -%} {%- set at.table = true -%}
        {%- elif word == "join" or (word == "table" and after != "(") -%}
            {%- set at.table = true -%}
        {%- elif word in ends_from and not token.startswith("`") -%}
            {%- do depth[-1].update({"from": false}) -%}
            {%- if word == "select" -%} {%- do depth[-1].update({"select": true}) -%}
            {%- endif -%}
            {%- set at.table = false -%}
        {%- elif modules.re.match("[\\w`]", token) and at.table -%}
            {%- if word not in ["lateral", "only"] and after != "(" and after not in [
                "version",
                "timestamp",
                "for",
                "system_version",
                "system_time",
            ] -%}
                {%- do found.update(
                    {
                        index: {
                            "parts": dbt_mview._name_parts(token),
                            "aliased": dbt_mview._is_alias(after),
                        }
                    }
                ) -%}
            {%- endif -%}
            {%- set at.table = false -%}
        {%- elif not modules.re.match("[\\w`]", token) -%} {%- set at.table = false -%}
        {%- endif -%}
        {%- set at.before = word -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
