{#
Whether a plan can be read unambiguously: no name or literal that looks like a part of the plan, and
no line that does not parse to its last character. What fails here is refused, not guessed.
#}
{#
Whether a plan is what the package reads plans for, to the last character: lists in brackets that
close, items that end in the number of a column, a name without one behind AS, and of each table the
columns that it has. The rest is refused.

Args: tree, reads (see _canonical). Returns: bool.
#}
{% macro _is_understood(tree, reads) %}
    {%- for node in tree -%}
        {%- if node.relation in reads.columns -%}
            {%- set names = [] -%}
            {%- for column in reads.columns[node.relation] -%}
                {%- do names.append(dbt_mview._as_printed(reads, column.name)) -%}
            {%- endfor -%}
            {%- if not dbt_mview._has_columns(node, names) -%} {{ return(false) }}{%- endif -%}
        {%- elif not node.understood -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
{% endmacro %}


{# Whether the plan lists these columns of a table, or the first of them. Args: node, names. #}
{% macro _has_columns(node, names) %}
    {%- set listed = node.text.partition("[")[2].rpartition("]")[0] -%}
    {%- set items = modules.re.split(", ?", listed) if listed else [] -%}
    {%- set truncated = items and items[-1].endswith(" more fields") -%}
    {%- set shown = items[:-1] if truncated else items -%}
    {%- if shown | length != names | length and not truncated -%} {{ return(false) }}{%- endif -%}
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


{#
Whether a node's brackets close, and the columns that it lists are columns, named or not. A name
holds no number of a column, unless it is the expression itself: `max(a#1) AS max(a#1)#2`.

Args: node, lists (see _lists). Returns: bool.
#}
{% macro _is_whole(node, lists) %}
    {%- if not dbt_mview._closes_all(node.text) -%} {{ return(false) }}{%- endif -%}
    {%- set of = {"Project": [1], "Window": [1, 2, 3], "Aggregate": [1, 2], "Expand": [2]} -%}
    {%- set of = of.get(node.op) -%}
    {%- if of is none -%} {{ return(true) }}
    {%- elif lists | length not in of or (node.op == "Expand" and not node.columns) -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set odd = [] -%}
    {%- for column in node.columns if column.id is none or "#" in column.name -%}
        {#- Spark 4.0 names what HAVING alone asks for as it is printed. -#}
        {%- if column.id is none or column.name != column.expression -%}
            {%- do odd.append(column.expression) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- The last one may say how many are left out. -#}
    {%- set truncated = odd == [node.columns[-1].expression] if odd else false -%}
    {{ return(not odd or (truncated and dbt_mview._is_rest(odd[0]))) }}
{% endmacro %}


{# Whether an item says how many others a list leaves out. Args: item (text). Returns: bool. #}
{% macro _is_rest(item) %}
    {{ return(modules.re.fullmatch("\\.\\.\\. \\d+ more fields", item) is not none) }}
{% endmacro %}


{# Whether every bracket that a text opens is closed by its like. Args: text. Returns: bool. #}
{% macro _closes_all(text) %}
    {%- set at = namespace(brackets=modules.re.sub("[^\\[\\](){}]+", "", text), before="") -%}
    {%- for _ in at.brackets if at.brackets != at.before -%}
        {%- set at.before = at.brackets -%}
        {%- set at.brackets = modules.re.sub("\\(\\)|\\[\\]|\\{\\}", "", at.brackets) -%}
    {%- endfor -%}
    {{ return(not at.brackets) }}
{% endmacro %}


{#
EXPLAIN prints names and literals without their quotes. One that could be taken for a part of the
plan is ambiguous: where do `a, b`, `sum(b)`, `x#12` or 'x AS y' begin and end there?

Args: text (a name, or what is between the quotes of a literal). Returns: bool.
#}
{% macro _is_ambiguous(text) %}
    {%- set signs = "[\\[\\](){}#,\\\\`'\"\\x00-\\x1f\\x7f-\\x9f]" -%}
    {#- AS separates an expression from its name; a truncated list ends in `... 3 more fields`. -#}
    {%- set blanks = "[^\\S ]|^ | $|(?:^| )AS | more fields" -%}
    {{ return(modules.re.search(signs ~ "|" ~ blanks, text) is not none) }}
{% endmacro %}


{# Args: token (a string literal with its quotes). Returns: bool; a long one makes plans long. #}
{% macro _is_ambiguous_literal(token) %}
    {%- set text = token[1:-1] -%}
    {%- set raw = token[:1] in ["r", "R"] -%}
    {{ return(raw or token | length > 100 or dbt_mview._is_ambiguous(text)) }}
{% endmacro %}


{# Args: type (as DESCRIBE prints it). Returns: bool, whether a field of it has such a name. #}
{% macro _is_ambiguous_type(type) %}
    {%- set plain = modules.re.sub("\\(\\d+(?:,\\d+)?\\)", "", type).replace(",", "") -%}
    {{ return(dbt_mview._is_ambiguous(plain)) }}
{% endmacro %}


{#
The names in a token that Spark needs quotes for. Args: token (a name with its dots). Returns: list
of names, lower case as Spark resolves them.
#}
{% macro _quoted_names(token) %}
    {%- set names = [] -%}
    {%- for part in modules.re.findall("`((?:[^`]|``)*)`", token) -%}
        {%- do names.append(part.replace("``", "`") | lower) -%}
    {%- endfor -%}
    {{ return(names) }}
{% endmacro %}


{# Whether a query holds a name or a literal that is. Args: words (without the blanks). #}
{% macro _has_ambiguous(words) %}
    {%- for word in words -%}
        {%- if word[-1:] in ["'", '"'] -%}
            {%- if dbt_mview._is_ambiguous_literal(word) -%} {{ return(true) }}{%- endif -%}
        {%- else -%}
            {%- for name in dbt_mview._quoted_names(word) if dbt_mview._is_ambiguous(name) -%}
                {{ return(true) }}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
Literals that Spark reads while it analyzes, as the schema of from_json: it prints what it made of
them, or they are in a bracket that no other literal can be in.

Args: words (every token of a query, without the blanks). Returns: list of indexes.
#}
{% macro _literals_of_analysis(words) %}
    {%- set functions = (
        "from_json from_csv from_xml schema_of_json schema_of_csv schema_of_xml to_number "
        ~ "try_to_number to_char to_varchar variant_get try_variant_get"
    ).split() -%}
    {%- set fine = "(?:[\\w :.$@,-]|\\(\\d+(?:, *\\d+)?\\)|<|>|\\[\\d+\\])*" -%}
    {%- set calls = [""] -%}
    {%- set found = [] -%}
    {%- for word in words -%}
        {%- if word == "(" -%} {%- do calls.append(words[loop.index0 - 1] | lower) -%}
        {%- elif word == ")" and calls | length > 1 -%} {%- do calls.pop() -%}
        {%- elif calls[-1] in functions and word[:1] in ["'", '"'] -%}
            {%- if modules.re.fullmatch(fine, word[1:-1]) and " AS " not in word -%}
                {%- do found.append(loop.index0) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
