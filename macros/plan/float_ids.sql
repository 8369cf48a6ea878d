{# Which attributes may be floats or doubles, and whether such are added up. #}
{#
The attributes that may be floats or doubles, or hold them. A cast to another type gives none,
whatever it is made of: each row has the same digits each time. The plan does not show what a scalar
subquery gives.

Args: tree (see _parse_plan), reads (see _canonical). Returns: mapping id -> true.
#}
{% macro _float_ids(tree, reads) %}
    {%- set made = dbt_mview._made_of(tree) -%}
    {%- set found = dbt_mview._ids_of_types(tree, reads, "float|double") -%}
    {%- for id in dbt_mview._undefined_ids(tree, made) -%}
        {%- do found.update({id: true}) -%}
    {%- endfor -%}
    {%- for node in tree -%}
        {%- for id in modules.re.findall("subquery#(\\d+)", node.text) -%}
            {%- do found.update({id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set open = [] -%}
    {%- for one in made -%}
        {%- set text = none if one.text is none else dbt_mview._outside_exact_casts(one.text) -%}
        {%- if one.unknown or (text is not none and dbt_mview._makes_floats(text)) -%}
            {%- do found.update({one.id: true}) -%}
        {%- elif text is none -%} {%- do open.append(one) -%}
        {%- else -%} {%- do open.append(dict(one, uses=modules.re.findall("#(\\d+)", text))) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set before = namespace(count=-1) -%}
    {%- for _ in open if before.count != found | length -%}
        {%- set before.count = found | length -%}
        {%- for one in open if one.uses | select("in", found) | list -%}
            {%- do found.update({one.id: true}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
The first column for which one of some operators may add up floats or doubles: their sum depends on
the order of rows.

Args: tree, reads (see _canonical), sums (indexes of Aggregates and Windows). Returns: list of that
    column, see _plan_item; empty where none says what is added up; none: no floats are.
#}
{% macro _adds_floats(tree, reads, sums) %}
    {%- set floats = dbt_mview._float_ids(tree, reads) -%}
    {%- for index in sums -%}
        {%- set told = [] -%}
        {%- for column in tree[index].columns if column.alias -%}
            {%- for text in dbt_mview._summed(column.expression) -%}
                {%- do told.append(text) -%}
                {%- set text = none if text is none else dbt_mview._outside_exact_casts(text) -%}
                {%- if text is none or dbt_mview._makes_floats(text) -%} {{ return([column]) }}
                {%- elif modules.re.findall("#(\\d+)", text) | select("in", floats) | list -%}
                    {{ return([column]) }}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
        {#- It adds up something, and none of its columns says what. -#}
        {%- if not told -%} {{ return([]) }}{%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
What an expression adds up. Args: text. Returns: list of texts; none among them for what cannot be
    told, or has floats always, as a vector has.
#}
{% macro _summed(text) %}
    {%- set parts = modules.re.split("\\b(try_|vector_|)sum\\(", text) -%}
    {%- set found = [] -%}
    {%- for index in range(1, parts | length, 2) -%}
        {%- set rest = parts[index + 1 :] -%}
        {%- set inner = dbt_mview._inside_bracket(rest[0]) if rest | length == 1 else none -%}
        {%- do found.append(none if parts[index] == "vector_" else inner) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
An expression without what it casts to types other than float and double; `0` stands there.

Args: text. Returns: text; as it is where its brackets do not close.
#}
{% macro _outside_exact_casts(text) %}
    {%- set parts = modules.re.split("\\bcast\\(", text, maxsplit=1) -%}
    {%- if parts | length == 1 -%} {{ return(text) }}{%- endif -%}
    {%- set inner = dbt_mview._inside_bracket(parts[1]) -%}
    {%- if inner is none -%} {{ return(text) }}{%- endif -%}
    {%- set rest = dbt_mview._outside_exact_casts(parts[1][inner | length + 1 :]) -%}
    {%- set exact = "(?s).* as (?!double|float)\\w+(?:\\(\\d+(?:,\\d+)?\\))?" -%}
    {%- if modules.re.fullmatch(exact, inner) -%} {{ return(parts[0] ~ "0" ~ rest) }}{%- endif -%}
    {{ return(parts[0] ~ "cast(" ~ dbt_mview._outside_exact_casts(inner) ~ ")" ~ rest) }}
{% endmacro %}


{#
Args: text (what follows an opening bracket). Returns: text up to the one that closes it, or none.
#}
{% macro _inside_bracket(text) %}
    {%- set parts = modules.re.split("([()])", text) -%}
    {%- set at = namespace(depth=1) -%}
    {%- for sign in parts[1::2] -%}
        {%- set at.depth = at.depth + (1 if sign == "(" else -1) -%}
        {%- if at.depth == 0 -%} {{ return(parts[: 2 * loop.index0 + 1] | join) }}{%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Whether an expression may make floats or doubles of other types. Args: text. Returns: bool. #}
{% macro _makes_floats(text) %}
    {%- set makes = (
        "\\bas [\\w<>,: ]*\\b(?:double|float)\\b|(?:Double|Float)Type|\\b(?i:try_divide|"
        ~ "months_between|percent_rank|cume_dist|median|percentile\\w*|vector_\\w+|xpath_\\w+|"
        ~ "from_avro|from_protobuf|pi|e)\\("
    ) -%}
    {{ return(modules.re.search(makes, text) is not none) }}
{% endmacro %}


{# Whether an operator calls one of some aggregates. Args: node, functions (pattern). #}
{% macro _adds_up(node, functions) %}
    {{ return(modules.re.search(dbt_mview._calls(functions), node.text) is not none) }}
{% endmacro %}


{# The columns of an operator that call one of some aggregates. Args: as _adds_up. #}
{% macro _adding(node, functions) %}
    {%- set found = [] -%}
    {%- for column in node.columns if column.alias -%}
        {%- if modules.re.search(dbt_mview._calls(functions), column.expression) -%}
            {%- do found.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: functions (pattern of names). Returns: pattern of their calls. #}
{% macro _calls(functions) %}
    {{ return("\\b(?:try_|vector_)?(?:" ~ functions ~ ")\\(") }}
{% endmacro %}
