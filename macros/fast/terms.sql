{#
The change of a query that is linear in its changed tables: for every place of a changed table
one term per sign, with that place bound to the changed rows, the places before it to the new
version and those after it to the old one. So a table that stands twice, or two tables that
changed at once, are counted exactly once.

Args: spec, job (bindings, reads), changes (see _source_changes, with columns of the tables).
Returns: list of mappings sign (1 or -1), sql, bound (bool, whether every place took its binding).
#}
{% macro _terms(spec, job, source_changes) %}
    {%- set places = [] -%}
    {%- set changes = {} -%}
    {%- for change in source_changes -%}
        {%- do changes.update({change.relation: change}) -%}
        {%- for turn in range(job.reads.places.count(change.relation)) -%}
            {%- do places.append({"relation": change.relation, "turn": turn}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set terms = [] -%}
    {%- for place in places -%}
        {%- set at = loop.index0 -%}
        {%- set change = changes[place.relation] -%}
        {%- set signs = ([1] if change.inserts else []) + ([-1] if change.deletes else []) -%}
        {%- for sign in signs -%}
            {%- set bindings = dict(job.bindings) -%}
            {%- for other in changes.values() -%}
                {%- do bindings.update({other.relation: {"kind": "turns", "turns": []}}) -%}
            {%- endfor -%}
            {%- for other in places -%}
                {%- set moved = changes[other.relation] -%}
                {%- if loop.index0 == at -%}
                    {%- set binding = {
                        "kind": "rows",
                        "sql": dbt_mview._changed_rows_sql(moved, sign, moved.columns),
                    } -%}
                {%- else -%}
                    {%- set version = moved.end if loop.index0 < at else moved.start -%}
                    {%- set binding = {"kind": "table", "version": version} -%}
                {%- endif -%}
                {%- do bindings[other.relation].turns.append(binding) -%}
            {%- endfor -%}
            {%- set bound = dbt_mview._bind(spec.definition, bindings, spec.namespace) -%}
            {%- set left = [] -%}
            {%- for other in changes -%} {%- do left.extend(bindings[other].turns) -%} {%- endfor -%}
            {%- set is_bound = not left and bound.found.count("") == 0 -%}
            {%- do terms.append({"sign": sign, "sql": bound.sql, "bound": is_bound}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(terms) }}
{% endmacro %}


{# All terms as one subquery. Args: terms, columns (of the query). Returns: SQL text. #}
{% macro _terms_sql(terms, columns) %}
    {%- set names = dbt_mview._select_list(columns) -%}
    {%- set parts = [] -%}
    {%- for term in terms -%}
        {%- do parts.append(
            "select " ~ names ~ ", " ~ term.sign ~ " as _mview_sign from (\n" ~ term.sql ~ "\n)"
        ) -%}
    {%- endfor -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}
