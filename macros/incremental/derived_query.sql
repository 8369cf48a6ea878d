{#
Derived tables: subqueries in FROM, and those of IN, whose groups or windows the query around them
looks at, and subqueries of one value. Each is followed as a query of its own; in the query around
it, it is a table like others.
#}
{#
The query with such subqueries replaced by names of tables: the outermost ones that can be followed
by keys, or are of one value. How the query around them follows changes of these tables, see _judge,
and the rows that change in them, see _derived_change, make the delta terms.

Args: spec, job (bindings), found (see _canonical, of the query as it is written), changed (names of
    tables), inlined (see _inlined_query, where it was asked for; or none).
Returns: see _inlined_query (reason: why a subquery is none that could be, or none), with derived:
    list of mappings; empty without a text
        name     of the table that stands for it, as reads has it
        query    spec, job, reads and plan of its own, as if it were a view
        changed  the names of its changed tables
        must_stay  bool: it is of one row, which must not change, see _why_moved
        columns  as the query around it names them
#}
{% macro _derived_query(spec, job, found, changed, inlined=none) %}
    {%- set told = {"text": none, "reads": none, "reason": none, "derived": []} -%}
    {%- if found.reason -%} {{ return(told) }}{%- endif -%}
    {%- set plain = inlined or {"text": none, "reason": none} -%}
    {%- if not (plain["text"] or plain.reason) -%}
        {%- set plain = dbt_mview._inlined_query(spec, job, found, always=true) -%}
    {%- endif -%}
    {%- set text = plain["text"] or found.reads.bound_text -%}
    {%- set tokens = dbt_mview._tokens(text) -%}
    {%- set known = found.reads.columns.values() | sum(start=[]) -%}
    {%- set named = known | map(attribute="name") | join(" ") -%}
    {#- Nobody else may have the name, which is also an alias where the query gives none. -#}
    {%- set taken = "mview_derived" in (text ~ named) | lower -%}
    {%- if taken or plain.reason or "with" in tokens[1::3] | map("lower") -%}
        {{ return(told) }}
    {%- endif -%}
    {%- set closing = dbt_mview._closing_brackets(tokens[1::3]) -%}
    {%- set derived, parts, shown = [], [], {} -%}
    {%- set at = namespace(next=0) -%}
    {%- for begin, kind in dbt_mview._subqueries(tokens).items() -%}
        {%- set one = none -%}
        {%- if begin >= at.next and begin in closing -%}
            {%- set inner = tokens[3 * begin + 2 : 3 * closing[begin]] | join -%}
            {%- if kind == "table" and dbt_mview._names_columns(tokens, closing[begin]) -%}
                {%- set kind = "listed" -%}
            {%- endif -%}
            {%- set name = "dbt_mview.derived.mview_derived" ~ derived | length -%}
            {%- set one = dbt_mview._derived_table(spec, job, inner, kind, name, changed) -%}
        {%- endif -%}
        {%- if one and one.reason -%} {%- do told.update({"reason": one.reason}) -%}
        {%- elif one -%}
            {%- do derived.append(one) -%}
            {%- do shown.update({one.name: one.columns}) -%}
            {%- set name = dbt_mview._quoted_name(one.name) -%}
            {%- set name = name if kind == "table" else "(select * from " ~ name ~ ")" -%}
            {%- do parts.append(tokens[3 * at.next : 3 * begin + 1] | join ~ " " ~ name) -%}
            {%- set at.next = closing[begin] -%}
            {%- do parts.append(tokens[3 * at.next + 2] or " ") -%}
            {%- set at.next = at.next + 1 -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not derived -%} {{ return(told) }} {%- endif -%}
    {%- set text = parts | join ~ tokens[3 * at.next :] | join -%}
    {%- set bound = dbt_mview._with_empty_tables(text, shown, spec.namespace) -%}
    {%- set reads = dbt_mview._reads(dbt_mview._foretold_in(bound, spec.namespace)) -%}
    {%- set columns = dict(found.reads.columns, **shown) -%}
    {%- if dbt_mview._why_not_analyzed(reads) -%} {{ return(told) }}{%- endif -%}
    {{ return(dict(told, text=text, reads=reads, columns=columns, derived=derived)) }}
{% endmacro %}


{#
One subquery as a derived table.

Args: spec, job, text (of the subquery), kind (see _subqueries), name, changed.
Returns: see _derived_query, with reason: why it may have another result when it is computed once
    more, or none; none if it does not change, or follows row by row, or not at all.
#}
{% macro _derived_table(spec, job, text, kind, name, changed) %}
    {%- set pinned = dbt_mview._bind(text, job.bindings, spec.namespace).sql -%}
    {%- set pinned = dbt_mview._foretold_in(pinned, spec.namespace) -%}
    {%- set reads = dbt_mview._reads(pinned) -%}
    {%- set moved = changed | select("in", reads.tables) | list -%}
    {#- One that names columns of the query around it does not analyze. -#}
    {%- if not moved or reads.other or dbt_mview._why_not_analyzed(reads) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set columns = dbt_mview._describe_query(pinned) -%}
    {%- set names = columns | map(attribute="name") | map("lower") | list -%}
    {%- set shown = [] -%}
    {%- for column in columns -%}
        {%- set twice = names.count(column.name | lower) > 1 -%}
        {%- set odd = kind == "table" and dbt_mview._is_ambiguous(column.name) -%}
        {%- if twice or odd or not dbt_mview._is_printable_type(column.type) -%}
            {{ return(none) }}
        {%- endif -%}
        {#- Nobody names what IN asks for, or a value, or what has a list of names. -#}
        {%- set shown_as = column.name if kind == "table" else "c" ~ loop.index0 -%}
        {%- do shown.append(dict(column, name=shown_as)) -%}
    {%- endfor -%}
    {%- set own = dict(spec, definition=text, unique_key=[]) -%}
    {%- set alone = dict(job, reads=reads, columns=columns, order=names) -%}
    {%- set found = dbt_mview._canonical(own, alone) -%}
    {%- set plan = dbt_mview._classify_repeatable(own, alone, found, moved) -%}
    {%- set whole = not plan.reason and plan.strategy != "row delta" and not plan["keys"] -%}
    {%- set must_stay = kind == "value" or whole -%}
    {%- set must_stay = must_stay and not dbt_mview._why_not_comparable_rows(columns) -%}
    {%- if not must_stay and (plan.reason or plan.strategy == "row delta" or whole) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set twice = dbt_mview._why_not_twice(found.reads, columns, must_stay) -%}
    {%- set why = dbt_mview._in_own_names(dbt_mview._no_delta_plan(twice), found).reason -%}
    {{
        return(
            {
                "reason": why,
                "name": name,
                "query": {"spec": own, "job": alone, "reads": found.reads, "plan": plan},
                "changed": moved,
                "must_stay": must_stay,
                "columns": shown,
            }
        )
    }}
{% endmacro %}


{#
Why a subquery may have another result when it is computed once more. What was added up of it is
taken away so, by another refresh.

Args: reads (see _canonical), columns (of it), must_stay. Returns: reason, or none.
#}
{% macro _why_not_twice(reads, columns, must_stay) %}
    {%- set types = columns | map(attribute="type") | join(" ") -%}
    {%- set tree = dbt_mview._query_tree(reads) -%}
    {%- set reason = dbt_mview._nonrepeatable_static_input(tree, reads, [], types) -%}
    {%- set open = dbt_mview._open_columns(reads) -%}
    {%- set ops = ["Aggregate", "Distinct", "Except", "Intersect"] -%}
    {%- set groups = tree | selectattr("op", "in", ops) -%}
    {%- set inexact = dbt_mview._not_image_equal("float|double" if groups | list else none) -%}
    {%- if reason -%} {{ return(reason) }}
    {%- elif open is none or open.rows or open.columns -%}
        {{ return(dbt_mview._reason("open", "a subquery whose order leaves rows open")) }}
    {%- endif -%}
    {%- for column in columns if not must_stay and modules.re.search(inexact, column.type) -%}
        {#- 0.0 and -0.0 are one group, of which either may be shown; so are 'a' and 'A'. -#}
        {%- set detail = "a subquery whose " ~ column.name ~ " is a " ~ column.type -%}
        {{ return(dbt_mview._reason("not_image_equal", detail)) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
