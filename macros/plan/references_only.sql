{#
What conditions and expressions ask of columns: none but these, the first ranks of a window, or
nothing, where the text has the condition relaxed.
#}
{#
Whether an expression looks at none but these columns, and at those that are alike only as they are
or for what they are equal to.

Args: one (a column, see _plan_item, or a Filter or Join), ids (none: all that there are),
    equal_only (see _affected_path). Returns: bool.
#}
{% macro _references_only(one, ids, equal_only) %}
    {%- if ids is none and not equal_only -%} {{ return(true) }}{%- endif -%}
    {%- set text = one.expression if "expression" in one else one.text -%}
    {{ return(dbt_mview._looks_only_at(text, ids, equal_only)) }}
{% endmacro %}


{# Args: text (of an expression), ids, equal_only (see _references_only). Returns: bool. #}
{% macro _looks_only_at(text, ids, equal_only) %}
    {%- if ids is none and not equal_only -%}
        {{ return(true) }} {%- elif " more fields" in text -%} {{ return(false) }}
    {%- endif -%}
    {%- if ids is not none -%}
        {%- set seen = modules.re.findall("#(\\d+)", dbt_mview._without_outer(text)) -%}
        {%- if seen | reject("in", ids) | list -%} {{ return(false) }}{%- endif -%}
    {%- endif -%}
    {%- if not equal_only -%} {{ return(true) }}{%- endif -%}
    {%- set column = "[^()# ]*#\\d+L?" -%}
    {%- set compared = column ~ "(?: = | <=> )" ~ column -%}
    {%- set made = modules.re.sub("^" ~ column ~ "$|" ~ compared, "", text) -%}
    {{ return(not dbt_mview._are_any_in(modules.re.findall("#(\\d+)", made), equal_only)) }}
{% endmacro %}


{#
An expression without what is given in it: columns of the query around a subquery, `outer(k#5)`, and
the numbers of subqueries, `exists#9 [k#5]`, which name the columns that they are given.

Args: text. Returns: string.
#}
{% macro _without_outer(text) %}
    {{ return(modules.re.sub("\\bouter\\([^()]*#\\d+L?\\)|[a-z-]#\\d+L?(?= \\[)", "", text)) }}
{% endmacro %}


{#
Whether a join's condition is one over some columns AND one for the first ranks of a window: the
latter is as good as a filter below the join.

Args: node (a Join), ids, equal_only (see _references_only), ranks (ids). Returns: bool.
#}
{% macro _joins_first_ranks(node, ids, equal_only, ranks) %}
    {%- set parts = modules.re.fullmatch("\\((.*) AND (\\([^()]*\\))\\)", node.condition) -%}
    {%- if not parts -%} {{ return(false) }}{%- endif -%}
    {{
        return(
            dbt_mview._first_ranks(parts.group(2)) in ranks
            and dbt_mview._looks_only_at(parts.group(1), ids, equal_only)
        )
    }}
{% endmacro %}


{#
What a filter keeps the first ranks of.

Args: node (a Filter), relaxed (bool: the text may have it relaxed, see _relax_predicates).
Returns: mapping id (none: it asks for something else), one (bool: none but the first one).
#}
{% macro _ranks_kept(node, relaxed=false) %}
    {%- set text = node.condition -%}
    {%- if relaxed -%} {%- set text = dbt_mview._unrelaxed(text) -%} {%- endif -%}
    {{ return({"id": dbt_mview._first_ranks(text), "one": " = 1" in text}) }}
{% endmacro %}


{# A condition as the query has it. Args: condition (text, relaxed or not). Returns: text. #}
{% macro _unrelaxed(condition) %}
    {{ return(modules.re.sub("^\\(\\((\\d{7}) = \\1\\) OR (.*)\\)$", "\\2", condition)) }}
{% endmacro %}


{# Args: condition (text). Returns: the id of what it keeps the first values of, or none. #}
{% macro _first_ranks(condition) %}
    {%- set rank = modules.re.fullmatch("\\(?[^()#]*#(\\d+)L? (?:= 1|<=? \\d+)\\)?", condition) -%}
    {{ return(rank.group(1) if rank else none) }}
{% endmacro %}


{# Args: node (a Window), functions (pattern). Returns: list of the ids of what they give. #}
{% macro _ids_by_function(node, functions) %}
    {%- set ids = [] -%}
    {%- for column in node.columns -%}
        {%- if modules.re.match("(?:" ~ functions ~ ")\\(", column.expression) -%}
            {%- do ids.append(column.id) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(ids) }}
{% endmacro %}


{# Returns: int, the number of the first filter of a text that has all of them relaxed. #}
{% macro _first_predicate_number() %} {{ return(1000000) }} {% endmacro %}


{#
Which relaxed filter an operator is. Spark brackets an OR of several parts as a tree, the first of
which is the number: whatever bracket holds it ends before another OR, or at the end.

Args: node (of a plan whose text has all filters relaxed). Returns: which
    WHERE or HAVING of the text, counted from 0; or none.
#}
{% macro _relaxed_ordinal(node) %}
    {%- set number = modules.re.match("(\\(+)\\((\\d{7}) = \\2\\) OR ", node.text) -%}
    {%- if node.op != "Filter" or not number -%} {{ return(none) }}{%- endif -%}
    {%- set rest = node.text[number.end() :] -%}
    {%- set at = namespace(depth=0, around=0, always=true) -%}
    {%- for char in rest -%}
        {%- set at.depth = at.depth + (1 if char == "(" else (-1 if char == ")" else 0)) -%}
        {%- if at.depth < at.around -%}
            {%- set at.around = at.depth -%}
            {%- set after = rest[loop.index : loop.index + 4] -%}
            {%- if after not in [" OR ", ""] -%} {%- set at.always = false -%} {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{
        return(
            number.group(2) | int - dbt_mview._first_predicate_number() if at.always else none
        )
    }}
{% endmacro %}


{#
Whether some relaxed filters are what joins tables, `from a, b where a.k = b.k and ...`. Without
them a delta term pairs all rows of both.

Args: tree, ordinals (of these filters, see _relaxed_ordinal). Returns: bool.
#}
{% macro _joins_by(tree, ordinals) %}
    {%- set equal = "\\(?[^()# ]*#(\\d+)L? = [^()# ]*#(\\d+)L?\\)?" -%}
    {%- for node in tree if dbt_mview._relaxed_ordinal(node) in ordinals -%}
        {%- for below in node.children if tree[below].op == "Join" and not tree[below].condition -%}
            {%- set ids = dbt_mview._ids_below(tree, tree[below].children[0]) -%}
            {%- for condition in dbt_mview._conjuncts(node) -%}
                {%- set sides = modules.re.fullmatch(equal, condition) -%}
                {%- if sides and (sides.group(1) in ids) != (sides.group(2) in ids) -%}
                    {{ return(true) }}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
Whether a condition looks at one row alone, so that the rows that a refresh writes decide it.

Asked of the engine: analyzed over one row of the result's types, the plan is the projection of that
row, and nothing else. An aggregate, a window, a subquery or a generator is an operator of its own,
or makes the condition's projection one. What depends on the moment or on chance is not decided when
a row is written, and what does not analyze is not known.

Args: condition (SQL text, may end in a comment), columns (of name, type). Returns: bool.
#}
{% macro _is_row_condition(condition, columns) %}
    {%- for column in columns if not dbt_mview._is_printable_type(column.type) -%}
        {{ return(false) }}
    {%- endfor -%}
    {%- set row = dbt_mview._row_of_nulls_sql(columns) -%}
    {%- set sql = "select (\n" ~ condition ~ "\n) as met\nfrom (" ~ row ~ ")" -%}
    {%- set reads = dbt_mview._reads(sql) -%}
    {%- if not reads.plan.startswith("Project [") -%} {{ return(false) }}{%- endif -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set projection = ["Project", "SubqueryAlias", "OneRowRelation"] -%}
    {%- for node in tree if node.inner or node.op not in projection -%}
        {{ return(false) }}
    {%- endfor -%}
    {#- The last two are the row, of which a wide one leaves out columns. -#}
    {%- set truncated = tree[:-2] | selectattr("truncated") | list -%}
    {{ return(not (reads.nondeterministic or reads.other or truncated)) }}
{% endmacro %}
