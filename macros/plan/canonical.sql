{#
The query that is explained in place of the user's: the same one, with stand-ins for ambiguous
names. Classification works on its plan alone.
#}
{#
The query that is explained to see how the user's can follow changes: the same one, in which each
name and literal that might be mistaken for plan text is replaced by one that the package made. A
table with such columns, or one that is not there (not yet, or as it is a derived one), is replaced
by a query that has as many columns of the same types, so that none of their names is printed; an
alias marks it in the plan, see _collapse_tables. So nothing that users write is ever taken for a
part of the plan.

Args: spec, job (bindings, reads, columns, order), inlined (the query without CTEs, see
    _inlined_query, or with derived tables, see _derived_query; none: as it is written).
Returns: mapping
    reason   why there is no such query, or none
    reads    see _reads, of that query, and: text (the query), bound_text (the user's, views
             and what is inlined of CTEs in place), nested (see _nests_ctes), float_literal,
             columns (see _describe_tables),
             made (name of a table's column, lower case -> as the plan has it)
    columns  of the query, by the names that the plan has
    names    name that the plan has -> name of the query's column; empty if they are the same
#}
{% macro _canonical(spec, job, inlined=none) %}
    {%- set query = inlined or {"text": spec.definition, "reads": job.reads} -%}
    {%- set bindings = dict(job.bindings) -%}
    {%- for relation in job.reads.tables -%}
        {%- do bindings.update({relation: {"kind": "table", "version": none}}) -%}
    {%- endfor -%}
    {%- set text = dbt_mview._bind(query.text, bindings, spec.namespace).sql -%}
    {%- set words = dbt_mview._words(text) -%}
    {%- set tables = inlined.columns if inlined else dbt_mview._describe_tables(job) -%}
    {%- set made = dbt_mview._stand_in_names(words, tables) -%}
    {%- set foretold = dbt_mview._memory().foretold.keys() | select("in", tables) -%}
    {%- set derived = (inlined or {}).get("derived", []) | map(attribute="name") -%}
    {%- set absent = foretold | list + derived | list -%}
    {%- do made.tables.extend(absent | reject("in", made.tables) | list) -%}
    {%- set reads = dict(
        query.reads,
        text=text,
        bound_text=text,
        nested=dbt_mview._nests_ctes(words),
        float_literal=dbt_mview._float_literal(words),
        columns=tables,
        made=made.names,
    ) -%}
    {%- set found = {"reason": none, "reads": reads, "columns": job.columns, "names": {}} -%}
    {%- for relation, columns in tables.items() -%}
        {%- for column in columns if dbt_mview._is_ambiguous_type(column.type) -%}
            {%- set field = "a field of " ~ column.name ~ " of " ~ relation -%}
            {%- do found.update({"reason": dbt_mview._printed_as_plan(field)}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set hidden = made.literals.keys() | reject("in", query.reads.literals) | list -%}
    {%- for name in job.order if dbt_mview._is_ambiguous(name) -%}
        {%- do hidden.append(name) -%}
    {%- endfor -%}
    {%- if not found.reason and (made.names or hidden or made.tables) -%}
        {%- do dbt_mview._explain_with_stand_ins(
            query.text, spec.namespace, job, found, made, bindings
        ) -%}
    {%- elif made.literals -%}
        {%- do reads.update({"text": dbt_mview._in_stand_in_names(text, made)}) -%}
    {%- endif -%}
    {%- if not found.reason -%}
        {%- set tree = dbt_mview._query_tree(found.reads) -%}
        {%- if not dbt_mview._is_understood(tree, found.reads) -%}
            {%- do found.update({"reason": dbt_mview._not_understood()}) -%}
        {%- endif -%}
    {%- endif -%}
    {#- Which columns the query uses is not read from such a plan. -#}
    {%- if found.reason -%} {%- do found.reads.update({"truncated": true}) -%} {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#
Asks for the plan.

Args: sql (the query), namespace, job (order, columns), found, made (see _stand_in_names), bindings.
Sets found.
#}
{% macro _explain_with_stand_ins(sql, namespace, job, found, made, bindings) %}
    {%- set bindings = dict(bindings) -%}
    {%- for relation in made.tables -%}
        {%- set rows = dbt_mview._empty_table_sql(relation, found.reads.columns[relation]) -%}
        {%- do bindings.update({relation: {"kind": "rows", "sql": rows}}) -%}
    {%- endfor -%}
    {%- set bound = dbt_mview._bind(sql, bindings, namespace) -%}
    {%- for relation in made.tables -%}
        {%- if bound.found.count(relation) != found.reads.occurrences.count(relation) -%}
            {%- do found.update({"reason": dbt_mview._not_bound("a subquery does not fit")}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set names, columns = [], [] -%}
    {%- for name in job.order -%}
        {%- do names.append(made.prefix ~ "c" ~ loop.index0) -%}
    {%- endfor -%}
    {%- for column in job.columns -%}
        {%- set name = names[job.order.index(column.name | lower)] -%}
        {%- do columns.append(dict(column, name=name)) -%}
        {%- do found.names.update({name: column.name}) -%}
    {%- endfor -%}
    {%- set text = "select * from (\n" ~ dbt_mview._in_stand_in_names(bound.sql, made) -%}
    {%- set text = text ~ "\n) as " ~ made.prefix ~ "result (" ~ names | join(", ") ~ ")" -%}
    {%- do found.update({"columns": columns}) -%}
    {%- if found.reason -%} {{ return(none) }}{%- endif -%}
    {%- set seen = dbt_mview._reads(text) -%}
    {#- If a query does not analyze, EXPLAIN prints why instead of a plan. -#}
    {%- if not seen.plan.startswith("Project [") -%}
        {%- set first = (
            made.names.keys() | list + made.literals.keys() | list + job.order
        ) | first -%}
        {%- do found.update({"reason": dbt_mview._printed_as_plan(first)}) -%}
    {%- endif -%}
    {%- do found.reads.update({"text": text, "plan": seen.plan, "truncated": seen.truncated}) -%}
{% endmacro %}


{#
A query that has a table's columns and nothing of the table.

Args: relation (name), columns (of it). Returns: SQL text, in brackets.
#}
{% macro _empty_table_sql(relation, columns) %}
    {%- set alias = dbt_mview._quote("mview table " ~ relation) -%}
    {%- set row = dbt_mview._row_of_nulls_sql(columns) -%}
    {{ return("(select * from (" ~ row ~ ") as " ~ alias ~ ")") }}
{% endmacro %}


{# One row of columns of these types. Args: columns (of name, type). Returns: SQL text, a query. #}
{% macro _row_of_nulls_sql(columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set type = dbt_mview._written_type(column.type) -%}
        {%- do items.append("cast(null as " ~ type ~ ") as " ~ dbt_mview._quote(column.name)) -%}
    {%- endfor -%}
    {{ return("select " ~ items | join(", ")) }}
{% endmacro %}


{# Args: what (a name or literal). Returns: reason. #}
{% macro _printed_as_plan(what) %}
    {%- set detail = what[:60] ~ " is printed as plan text" -%}
    {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", detail, ["name_reads_like_plan"])) }}
{% endmacro %}


{# Returns: reason. #}
{% macro _not_understood() %}
    {{ return(dbt_mview._reason("OPERATOR_NOT_INCREMENTAL", "a plan that is not understood")) }}
{% endmacro %}


{# Args: detail. Returns: reason. #}
{% macro _not_bound(detail) %}
    {{ return(dbt_mview._reason("SOURCE_NOT_BOUND", detail)) }}
{% endmacro %}


{#
A literal that is a double or float; plans print 1e-1 as 0.1.

Args: words (every token of the query, without the blanks). Returns: the literal, or none.
#}
{% macro _float_literal(words) %}
    {%- set pattern = "\\d+(?:\\.\\d*)?(?:[eE][+-]?\\d+[dDfF]?|[dDfF])" -%}
    {%- for word in words if modules.re.fullmatch(pattern, word) -%}
        {{ return(word) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether a CTE is in brackets. The engine prints it before what precedes it in the text, so the plan
may read one table in another order than the text names it.

Args: words (of a query). Returns: bool.
#}
{% macro _nests_ctes(words) %}
    {{ return("( with " in words | map("lower") | join(" ")) }}
{% endmacro %}
