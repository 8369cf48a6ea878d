{#
A view that asks for the day or the moment, at another one: rows enter and leave by the clock alone.
The filters that ask for it tell which, in delta terms like those of changed tables.
#}
{#
The filters that ask for the time, if nothing else of the query does. Which WHERE of the text is
which filter, the engine says by a plan with all of them relaxed. What such a filter lets through
must follow its tables row by row: one of them stands for the change.

Args: job (date_change, bindings), reads (see _canonical).
Returns: list of mappings, in the order of the text; empty: it is not asked for in this way
    begin, end  where its condition is among the tokens of reads.bound_text
    ordinal     see _relaxed_ordinal
    relation    the table
    occurrence  of it, as _classify names it
#}
{% macro _dated_filters(job, reads) %}
    {%- set literals = job.date_change.literals | list -%}
    {%- for view in job.bindings.values() if view and view.kind == "view" -%}
        {%- for literal in literals if literal in view.text -%} {{ return([]) }}{%- endfor -%}
    {%- endfor -%}
    {%- set filters = dbt_mview._conditions_with(reads.bound_text, literals) -%}
    {%- if not filters or dbt_mview._has_predicate_number(reads.bound_text) -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set relaxed = dbt_mview._reads(dbt_mview._relax_predicates(reads.text)) -%}
    {%- set tree = dbt_mview._query_tree(relaxed) -%}
    {%- if not dbt_mview._is_understood(tree, reads) -%} {{ return([]) }}{%- endif -%}
    {%- for filter in filters -%}
        {%- set occurrence = dbt_mview._followed_below(tree, filter.ordinal) -%}
        {%- if occurrence is none -%} {{ return([]) }}{%- endif -%}
        {%- do filter.update({"relation": occurrence.relation, "occurrence": occurrence.name}) -%}
    {%- endfor -%}
    {{ return(filters) }}
{% endmacro %}


{#
A delta plan with what another time adds to it.

Args: job, plan (delta plan, with changes), reads (see _judge), known (see _dated_filters, of these
    reads; none: not asked for), changed (names of tables).
Returns: delta plan, with dated and text; or with a reason.
#}
{% macro _dated_plan(job, plan, reads, known, changed) %}
    {%- set all = [{"changed": reads.tables}] -%}
    {%- for change in plan.changes if change.inserts or change.deletes -%}
        {%- set lacks = dbt_mview._why_not_as_it_was(all, change) -%}
        {%- if lacks -%} {{ return(dict(plan, reason=lacks)) }}{%- endif -%}
    {%- endfor -%}
    {%- if plan.derived -%} {{ return(dict(plan, reason=job.reason)) }}{%- endif -%}
    {%- set dated = dbt_mview._dated_filters(job, reads) if known is none else known -%}
    {%- set others = dated | map(attribute="relation") | reject("in", changed) | list -%}
    {%- if others or not dated -%} {{ return(dict(plan, reason=job.reason)) }}{%- endif -%}
    {{ return(dict(plan, dated=dated, text=reads.bound_text)) }}
{% endmacro %}


{#
The conditions after WHERE that hold some literals.

Args: text, literals (as the text has them). Returns: list of mappings begin, end, ordinal; empty
    where one is elsewhere as well, or beside a subquery.
#}
{% macro _conditions_with(text, literals) %}
    {%- set tokens = dbt_mview._tokens(text) -%}
    {%- set words = tokens[1::3] | map("lower") | list -%}
    {%- set found = [] -%}
    {%- set inside = namespace(count=0) -%}
    {%- set predicates = dbt_mview._predicate_words(tokens) -%}
    {%- for at in predicates if words[at // 3] == "where" -%}
        {%- set end = dbt_mview._end_of_condition(words, at // 3 + 1) -%}
        {%- set part = tokens[at : 3 * end][::3] -%}
        {%- set some = part | select("in", literals) | list -%}
        {%- if some -%}
            {%- if "select" in part | map("lower") -%} {{ return([]) }}{%- endif -%}
            {%- set inside.count = inside.count + some | length -%}
            {%- do found.append(
                {"begin": at + 1, "end": 3 * end, "ordinal": predicates.index(at)}
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set all_ = tokens[1::3] | select("in", literals) | list -%}
    {{ return(found if inside.count == all_ | length else []) }}
{% endmacro %}


{#
A table below a filter whose rows it follows one by one, whatever they are joined with. None where
the filter asks a subquery, whatever word that begins with.

Args: tree (with all filters relaxed), ordinal (of the filter). Returns: mapping relation, name (see
    _occurrences); or none.
#}
{% macro _followed_below(tree, ordinal) %}
    {%- for node in tree if node.inner and node.parent is not none -%}
        {%- if dbt_mview._relaxed_ordinal(tree[node.parent]) == ordinal -%}
            {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {%- for leaf, occurrence in dbt_mview._occurrences(tree).items() -%}
        {%- set at = namespace(below=leaf, linear=true) -%}
        {%- for index in dbt_mview._climb(tree, leaf).nodes if at.linear -%}
            {%- if dbt_mview._relaxed_ordinal(tree[index]) == ordinal -%}
                {{ return(occurrence) }}
            {%- endif -%}
            {%- set way = dbt_mview._rule_of(tree[index], tree[at.below]).way -%}
            {%- set at.linear = way == "linear" and tree[index].op != "Union" -%}
            {%- set at.below = index -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
The terms of another time: for each filter that asks for it the query at the old versions, with the
rows that pass it now and did not then, and those that passed it then and do not now; the filters
before it as they are now, those after it as they were. So what two filters let in counts once.

Args: spec, job (date_change, bindings), reads, plan (dated, text, and as in _delta_terms),
    occurrences (see _delta_terms), changes (by table).
Returns: see _delta_terms.
#}
{% macro _dated_terms(spec, job, reads, plan, occurrences, changes) %}
    {%- set expected = reads.occurrences | select("in", reads.tables) | list -%}
    {%- set terms = [] -%}
    {%- for filter in plan.dated -%}
        {%- set number = loop.index0 -%}
        {%- set relaxed = plan.relaxed.get(filter.occurrence, []) -%}
        {%- set to_matches = plan.to_matches.get(filter.occurrence, []) -%}
        {%- for sign in [1, -1] -%}
            {%- set text = dbt_mview._with_times_of(
                plan["text"], plan.dated, number, sign, job.date_change.literals
            ) -%}
            {%- set text = dbt_mview._relax_predicates(text, relaxed) -%}
            {%- set bindings = dbt_mview._bindings_before(
                job, occurrences, filter.occurrence, changes, plan
            ) -%}
            {%- set bound = dbt_mview._bind(text, bindings, spec.namespace) -%}
            {%- set left = [] -%}
            {%- for relation in reads.tables -%}
                {%- do left.extend(bindings[relation].occurrences) -%}
            {%- endfor -%}
            {%- set all_bound = not left and bound.found | length == expected | length -%}
            {%- set sql = dbt_mview._to_matches(bound.sql, to_matches) -%}
            {%- do terms.append({"sign": sign, "sql": sql, "bound": all_bound}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(terms) }}
{% endmacro %}


{#
The bindings of a term at the old versions. Args: as _dated_terms, occurrence (of its filter).
Returns: see _bind.
#}
{% macro _bindings_before(job, occurrences, occurrence, changes, plan) %}
    {%- set bindings = dict(job.bindings) -%}
    {%- for relation in occurrences | map(attribute="relation") | unique -%}
        {%- do bindings.update({relation: {"kind": "occurrences", "occurrences": []}}) -%}
    {%- endfor -%}
    {%- for other in occurrences -%}
        {%- set moved = changes.get(other.relation) -%}
        {%- set binding = job.bindings[other.relation] -%}
        {%- if moved -%}
            {%- set binding = dbt_mview._version_binding(moved, moved.start) -%}
        {%- endif -%}
        {%- if other.name in plan.zero_delta.get(occurrence, []) -%}
            {%- set version = binding.version -%}
            {%- set binding = dbt_mview._no_rows_binding(other.relation, version) -%}
        {%- endif -%}
        {%- do bindings[other.relation].occurrences.append(binding) -%}
    {%- endfor -%}
    {{ return(bindings) }}
{% endmacro %}
