{#
The change of a query that is linear in its changed tables: for every place of a changed table
one term per sign, with that place bound to the changed rows, the places before it to the new
version and those after it to the old one. So a table that stands twice, or two tables that
changed at once, are counted exactly once.

Args: spec, job (bindings, reads), shape (see _shape, with changes and the columns of the tables).
Returns: list of mappings sign (1 or -1), sql, bound (bool, whether every place took its binding).
#}
{% macro _terms(spec, job, shape) %}
    {%- set changes = {} -%}
    {%- for change in shape.changes -%}
        {%- do changes.update({change.relation: change}) -%}
    {%- endfor -%}
    {%- set places = [] -%}
    {%- for relation in job.reads.tables -%}
        {%- for turn in range(job.reads.places.count(relation)) -%}
            {%- do places.append({"relation": relation, "name": relation ~ " " ~ turn}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set terms = [] -%}
    {%- for place in places if place.relation in changes -%}
        {%- set change = changes[place.relation] -%}
        {%- set signs = ([1] if change.inserts else []) + ([-1] if change.deletes else []) -%}
        {%- for sign in signs -%}
            {%- set bindings = dbt_mview._term_bindings(
                job, places, place, sign, changes, shape
            ) -%}
            {%- set bound = dbt_mview._bind(spec.definition, bindings, spec.namespace) -%}
            {%- set left = [] -%}
            {%- for relation in job.reads.tables -%}
                {%- do left.extend(bindings[relation].turns) -%}
            {%- endfor -%}
            {%- set missed = bound.found | length != job.reads.places | length -%}
            {%- do terms.append({"sign": sign, "sql": bound.sql, "bound": not (left or missed)}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(terms) }}
{% endmacro %}


{# The bindings of one term. Args: as _terms, places, place (the changed one). #}
{% macro _term_bindings(job, places, place, sign, changes, shape) %}
    {%- set bindings = dict(job.bindings) -%}
    {%- for relation in job.reads.tables -%}
        {%- do bindings.update({relation: {"kind": "turns", "turns": []}}) -%}
    {%- endfor -%}
    {%- set at = namespace(before=true) -%}
    {%- for other in places -%}
        {%- set moved = changes.get(other.relation) -%}
        {%- if other.name == place.name -%}
            {%- set at.before = false -%}
            {%- set sql = dbt_mview._changed_rows_sql(moved, sign, moved.columns) -%}
            {%- set binding = {"kind": "rows", "sql": sql} -%}
        {%- elif other.name in shape.emptied.get(place.name, []) -%}
            {#- With a version: Spark would take the changes of the table from a plain name, too. -#}
            {%- set name = dbt_mview._quoted_name(other.relation) -%}
            {%- set version = moved.end if moved else job.bindings[other.relation].version -%}
            {%- set none_ = (
                "(select * from " ~ name ~ " version as of " ~ version ~ " where false)"
            ) -%}
            {%- set binding = {"kind": "rows", "sql": none_} -%}
        {%- elif moved -%}
            {%- set version = moved.end if at.before else moved.start -%}
            {%- set binding = {"kind": "table", "version": version} -%}
        {%- else -%} {%- set binding = job.bindings[other.relation] -%}
        {%- endif -%}
        {%- do bindings[other.relation].turns.append(binding) -%}
    {%- endfor -%}
    {{ return(bindings) }}
{% endmacro %}


{# All terms as one subquery. Args: terms, columns (of the query). Returns: SQL text. #}
{% macro _terms_sql(terms, columns) %}
    {%- set names = dbt_mview._select_list(columns) -%}
    {%- set parts = [] -%}
    {%- for term in terms -%}
        {%- do parts.append(
            "select "
            ~ names
            ~ ", "
            ~ term.sign
            ~ " as _mview_sign from (\n"
            ~ term.sql
            ~ "\n)"
        ) -%}
    {%- endfor -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}
