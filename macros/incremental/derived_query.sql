{#
Derived tables: subqueries in FROM, and those of IN, whose groups or windows the query around them
looks at. Each is followed as a query of its own; in the query around it, it is a table like others.
#}
{#
The query with such subqueries replaced by names of tables: the outermost ones that can be followed
by keys. How the query around them follows changes of these tables, see _judge, and the rows that
change in them, see _derived_change, make the delta terms.

Args: spec, job (bindings), found (see _canonical, of the query as it is written), changed (names of
    tables).
Returns: see _inlined_query (reason: why a subquery is none that could be, or none), with derived:
    list of mappings; empty without a text
        name     of the table that stands for it, as reads has it
        query    spec, job, reads and shape of its own, as if it were a view
        changed  the names of its changed tables
#}
{% macro _derived_query(spec, job, found, changed) %}
    {%- set told = {"text": none, "reads": none, "reason": none, "derived": []} -%}
    {%- if found.reason -%} {{ return(told) }}{%- endif -%}
    {%- set plain = dbt_mview._inlined_query(spec, job, found, always=true) -%}
    {%- set text = plain["text"] or found.reads.bound_text -%}
    {%- set tokens = dbt_mview._tokens(text) -%}
    {%- if plain.reason or "with" in tokens[1::3] | map("lower") -%} {{ return(told) }}{%- endif -%}
    {%- set closing = dbt_mview._closing_brackets(tokens[1::3]) -%}
    {%- set derived, parts = [], [] -%}
    {%- set columns = dict(found.reads.columns) -%}
    {%- set at = namespace(next=0) -%}
    {%- for begin, kind in dbt_mview._subqueries(tokens).items() -%}
        {%- set one = none -%}
        {%- if begin >= at.next and begin in closing -%}
            {%- set inner = tokens[3 * begin + 2 : 3 * closing[begin]] | join -%}
            {%- set one = dbt_mview._derived_table(spec, job, inner, derived | length, changed) -%}
        {%- endif -%}
        {%- if one and one.reason -%} {%- do told.update({"reason": one.reason}) -%}
        {%- elif one -%}
            {%- do derived.append(one) -%}
            {%- do columns.update({one.name: one.query.job.columns}) -%}
            {%- set name = dbt_mview._quoted_name(one.name) -%}
            {%- set name = "(select * from " ~ name ~ ")" if kind == "in" else name -%}
            {%- do parts.append(tokens[3 * at.next : 3 * begin + 1] | join ~ " " ~ name) -%}
            {%- set at.next = closing[begin] -%}
            {%- do parts.append(tokens[3 * at.next + 2] or " ") -%}
            {%- set at.next = at.next + 1 -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not derived -%} {{ return(told) }} {%- endif -%}
    {%- set text = parts | join ~ tokens[3 * at.next :] | join -%}
    {%- set rows = {} -%}
    {%- for one in derived -%}
        {%- set none_ = dbt_mview._empty_table_sql(one.name, columns[one.name]) -%}
        {%- do rows.update({one.name: {"kind": "rows", "sql": none_}}) -%}
    {%- endfor -%}
    {%- set reads = dbt_mview._reads(dbt_mview._bind(text, rows, spec.namespace).sql) -%}
    {%- if dbt_mview._why_not_analyzed(reads) -%} {{ return(told) }}{%- endif -%}
    {{ return(dict(told, text=text, reads=reads, columns=columns, derived=derived)) }}
{% endmacro %}


{#
One subquery as a derived table.

Args: spec, job, text (of the subquery), number (of those before it), changed.
Returns: see _derived_query, with reason: why it may have another result when it is computed once
    more, or none; none if it does not change, or follows row by row, or not at all.
#}
{% macro _derived_table(spec, job, text, number, changed) %}
    {%- set over = "group distinct over union except intersect minus left right full exists in" -%}
    {%- set words = dbt_mview._words(text) | map("lower") -%}
    {%- if not dbt_mview._are_any_in(over.split(), words | list) -%} {{ return(none) }}{%- endif -%}
    {%- set reads = dbt_mview._reads(text) -%}
    {%- set moved = changed | select("in", reads.tables) | list -%}
    {#- One that names columns of the query around it does not analyze. -#}
    {%- if not moved or reads.other or dbt_mview._why_not_analyzed(reads) -%} {{ return(none) }}
    {%- endif -%}
    {%- set columns = dbt_mview._describe_query(text) -%}
    {%- set names = columns | map(attribute="name") | map("lower") | list -%}
    {%- for column in columns -%}
        {%- set twice = names.count(column.name | lower) > 1 -%}
        {%- if twice or not dbt_mview._is_printable_type(column.type) -%} {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set own = dict(spec, definition=text, unique_key=[]) -%}
    {%- set alone = dict(job, reads=reads, columns=columns, order=names) -%}
    {%- set found = dbt_mview._canonical(own, alone) -%}
    {%- set shape = dbt_mview._classify_repeatable(own, alone, found, moved) -%}
    {%- if shape.reason or shape.strategy == "row delta" or not shape["keys"] -%}
        {{ return(none) }}
    {%- endif -%}
    {#- What was added up of it is taken away as it is computed once more, by another refresh. -#}
    {%- set tree = dbt_mview._query_tree(found.reads) -%}
    {%- set types = columns | map(attribute="type") | join(" ") -%}
    {%- set unsure = dbt_mview._nonrepeatable_static_input(tree, found.reads, [], types) -%}
    {%- set open = dbt_mview._open_columns(found.reads) -%}
    {%- set keys = columns | selectattr("name", "in", shape["keys"]) | map(attribute="type") -%}
    {%- set coarse = dbt_mview._not_image_equal("float|double") -%}
    {%- if unsure -%}
    {%- elif open is none or open.rows or open.columns -%}
        {%- set unsure = dbt_mview._reason("open", "a subquery whose order leaves rows open") -%}
    {%- elif modules.re.search(coarse, keys | join(",")) -%}
        {#- 0.0 and -0.0 are one group, of which either may be shown. -#}
        {%- set unsure = dbt_mview._reason("coarse", "a subquery that groups by floats") -%}
    {%- endif -%}
    {{
        return(
            {
                "reason": unsure,
                "name": "dbt_mview.derived.t" ~ number,
                "query": {"spec": own, "job": alone, "reads": found.reads, "shape": shape},
                "changed": moved,
            }
        )
    }}
{% endmacro %}


{#
How a derived table takes part in the delta terms of the query around it, like a table with changed
rows: what it was at the old versions and is at the new ones, and of both the rows whose keys its
own delta terms show. A row that is in both is taken away and added again.

Args: one (see _derived_query), changes (see _source_changes).
Returns: mapping relation, inserts, deletes (true), rows (none: not counted), start and end (names
    of texts), bound (bool: every occurrence of its tables is), texts (mapping then, now, gone,
    come: SQL text, a subquery in brackets).
#}
{% macro _derived_change(one, changes) %}
    {%- set query = one.query -%}
    {%- set shape = dict(query.shape, changes=changes) -%}
    {%- set terms = dbt_mview._delta_terms(query.spec, query.job, query.reads, shape) -%}
    {%- set texts = {} -%}
    {%- for time in ["start", "end"] -%}
        {%- set bindings = dict(query.job.bindings) -%}
        {%- for change in changes -%}
            {%- set at = {"kind": "table", "version": change[time]} -%}
            {%- do bindings.update({change.relation: at}) -%}
        {%- endfor -%}
        {%- set sql = dbt_mview._bind(query.spec.definition, bindings, query.spec.namespace).sql -%}
        {%- do texts.update({time: sql}) -%}
    {%- endfor -%}
    {{
        return(
            {
                "relation": one.name,
                "inserts": true,
                "deletes": true,
                "rows": none,
                "start": "then", "end": "now",
                "bound": not terms | rejectattr("bound") | list,
                "texts": {
                    "then": "(\n" ~ texts.start ~ "\n)",
                    "now": "(\n" ~ texts.end ~ "\n)",
                    "gone": dbt_mview._touched_rows_sql(query, terms, texts.start),
                    "come": dbt_mview._touched_rows_sql(query, terms, texts.end),
                },
            }
        )
    }}
{% endmacro %}


{#
The rows of a derived table whose keys its delta terms show.

Args: query (see _derived_query), terms (of it), sql (the table, at some versions).
Returns: SQL text, a subquery in brackets.
#}
{% macro _touched_rows_sql(query, terms, sql) -%}
{%- set keys = query.shape["keys"] -%}
(
select {{ dbt_mview._quote_all(query.job.columns | map(attribute="name") | list) }}
from (
{{ sql }}
) as _mview_d
where exists (
    select 1
    from (
{%- for term in terms %}
{%- if not loop.first %}
union all
{%- endif %}
select {{ dbt_mview._quote_all(keys) }}
from (
{{ term.sql }}
)
{%- endfor %}
    ) as _mview_t
    where {{ dbt_mview._same_keys("_mview_t", "_mview_d", keys, query.job.columns) }}
)
)
{%- endmacro %}
