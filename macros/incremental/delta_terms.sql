{#
The delta terms: the query once for each occurrence of a changed table and each sign, bound to
changed rows there, to new and old versions elsewhere.
#}
{#
The change of a query that is linear in its changed tables: for every occurrence of a changed table
one delta term per sign, with that occurrence bound to the changed rows, the ones before it to the
new version and the ones after it to the old one. So a table that is read twice, or two tables that
changed at once, are counted exactly once. If the occurrence decides which rows have no match (of an
outer, full or anti join, EXCEPT, NOT EXISTS, NOT IN), that operator is rewritten, see _to_matches:
the term finds the keys of the rows that match, see _affected_path. Predicates that would hide keys
are relaxed, see _affected_keys.

Args: spec, job (bindings), reads (of the query that was classified, see _canonical), plan (delta
    plan, with changes and the columns of the tables).
Returns: list of mappings sign (1 or -1), sql, bound (bool, whether every occurrence is bound).
#}
{% macro _delta_terms(spec, job, reads, plan) %}
    {%- set changes = {} -%}
    {%- for change in plan.changes if change.inserts or change.deletes -%}
        {%- do changes.update({change.relation: change}) -%}
    {%- endfor -%}
    {%- set derived = {} -%}
    {%- for one in plan.derived -%}
        {%- set change = dbt_mview._derived_change(one, plan.changes) -%}
        {%- do changes.update({one.name: change}) -%}
        {%- do derived.update({one.name: change}) -%}
    {%- endfor -%}
    {%- set occurrences = [] -%}
    {%- for relation in reads.tables -%}
        {%- for ordinal in range(reads.occurrences.count(relation)) -%}
            {%- do occurrences.append({"relation": relation, "name": relation ~ " " ~ ordinal}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set expected = reads.occurrences -%}
    {%- if plan["text"] -%}
        {#- It has the texts of views inlined. -#}
        {%- set expected = expected | select("in", reads.tables) | list -%}
    {%- endif -%}
    {%- set unbound = derived.values() | rejectattr("bound") | list -%}
    {%- set terms = [] -%}
    {%- for occurrence in occurrences if occurrence.relation in changes -%}
        {%- set change = changes[occurrence.relation] -%}
        {%- set relaxed = plan.relaxed.get(occurrence.name, []) -%}
        {%- set text = plan["text"] or spec.definition -%}
        {%- set text = dbt_mview._relax_predicates(text, relaxed) -%}
        {%- set signs = ([1] if change.inserts else []) + ([-1] if change.deletes else []) -%}
        {%- for sign in signs -%}
            {%- set bindings = dbt_mview._delta_term_bindings(
                job, occurrences, occurrence, sign, changes, plan
            ) -%}
            {%- set later = {} -%}
            {%- for name in derived -%}
                {%- do later.update({name: bindings.pop(name)}) -%}
            {%- endfor -%}
            {%- set bound = dbt_mview._bind(text, bindings, spec.namespace) -%}
            {%- set to_matches = plan.to_matches.get(occurrence.name, []) -%}
            {%- set sql = dbt_mview._to_matches(bound.sql, to_matches) -%}
            {#- What is to be rewritten is not in these. -#}
            {%- set whole = {"sql": sql, "found": []} -%}
            {%- if later -%} {%- set whole = dbt_mview._bind(sql, later, spec.namespace) -%}
            {%- endif -%}
            {%- set left = [] -%}
            {%- for relation in reads.tables -%}
                {%- do left.extend(dict(bindings, **later)[relation].occurrences) -%}
            {%- endfor -%}
            {%- set found = bound.found | length + whole.found | length -%}
            {%- set missed = found != expected | length or unbound -%}
            {%- do terms.append({"sign": sign, "sql": whole.sql, "bound": not (left or missed)}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if plan.dated -%}
        {%- do terms.extend(
            dbt_mview._dated_terms(spec, job, reads, plan, occurrences, changes)
        ) -%}
    {%- endif -%}
    {{ return(terms) }}
{% endmacro %}


{# The bindings of one term. Args: as _delta_terms, occurrences, occurrence (the changed). #}
{% macro _delta_term_bindings(job, occurrences, occurrence, sign, changes, plan) %}
    {%- set bindings = dict(job.bindings) -%}
    {%- for relation in occurrences | map(attribute="relation") | unique -%}
        {%- do bindings.update({relation: {"kind": "occurrences", "occurrences": []}}) -%}
    {%- endfor -%}
    {%- set at = namespace(before=true) -%}
    {%- for other in occurrences -%}
        {%- set moved = changes.get(other.relation) -%}
        {%- if other.name == occurrence.name -%}
            {%- set at.before = false -%}
            {%- set joined = occurrences | length > 1 -%}
            {%- set few = joined and moved.rows is not none and moved.rows <= 200000 -%}
            {%- set binding = dbt_mview._changed_rows_binding(moved, sign, few) -%}
        {%- elif other.name in plan.zero_delta.get(occurrence.name, []) -%}
            {%- set version = moved.end if moved else job.bindings[other.relation].version -%}
            {%- set binding = dbt_mview._no_rows_binding(other.relation, version, moved) -%}
        {%- elif moved -%}
            {%- set version = moved.end if at.before else moved.start -%}
            {%- set binding = dbt_mview._version_binding(moved, version) -%}
        {%- else -%} {%- set binding = job.bindings[other.relation] -%}
        {%- endif -%}
        {%- do bindings[other.relation].occurrences.append(binding) -%}
    {%- endfor -%}
    {{ return(bindings) }}
{% endmacro %}


{# Args: moved (change of a table, or derived one), sign, few (bool). Returns: see _bind. #}
{% macro _changed_rows_binding(moved, sign, few) %}
    {%- if "texts" in moved -%} {%- set sql = moved["texts"]["come" if sign > 0 else "gone"] -%}
    {%- else -%} {%- set sql = dbt_mview._changed_rows_sql(moved, sign, moved.columns, few) -%}
    {%- endif -%}
    {{ return({"kind": "rows", "sql": sql}) }}
{% endmacro %}


{# Args: moved, version (its start or end). Returns: binding. #}
{% macro _version_binding(moved, version) %}
    {%- if "texts" in moved -%}
        {{ return({"kind": "rows", "sql": moved["texts"][version]}) }}
    {%- endif -%}
    {{ return({"kind": "table", "version": version}) }}
{% endmacro %}


{# A table without rows. Args: relation, version, moved (or none). Returns: binding. #}
{% macro _no_rows_binding(relation, version, moved=none) %}
    {#- With a version: Spark would take the changes from a plain name, too. -#}
    {%- set table = dbt_mview._quoted_name(relation) ~ " version as of " ~ version -%}
    {%- if "texts" in (moved or {}) -%} {%- set table = moved["texts"][version] -%} {%- endif -%}
    {{ return({"kind": "rows", "sql": "(select * from " ~ table ~ " where false)"}) }}
{% endmacro %}


{#
All terms as one query, each row with the sign of its term. What is staged of it must not have the
lengths of its texts, see _without_lengths.

Args: terms (see _delta_terms), columns (of the query). Returns: SQL text.
#}
{% macro _delta_terms_sql(terms, columns) -%}
{%- set items = dbt_mview._select_list(dbt_mview._without_lengths(columns)) -%}
{%- for term in terms -%}
{%- if not loop.first %}
union all
{% endif -%}
select {{ items }}, {{ term.sign }} as _mview_sign
from (
{{ term.sql }}
)
{%- endfor -%}
{%- endmacro %}


{#
Whether rows go from what the query reads: those of tables, or of derived tables, whose touched
groups are taken away as they were, or that another day or a LIMIT leaves out. Args: plan (derived,
dated, first_rows), changes. Returns: bool.
#}
{% macro _may_rows_go(plan, changes) %}
    {%- set deletes = changes | selectattr("deletes") | list -%}
    {%- set derived = plan.derived | rejectattr("must_stay") | list -%}
    {%- set some = deletes or derived or plan.dated or plan.first_rows -%}
    {{ return(true if some else false) }}
{% endmacro %}
