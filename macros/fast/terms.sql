{#
The change of a query that is linear in its changed tables: for every place of a changed table
one term per sign, with that place bound to the changed rows, the places before it to the new
version and those after it to the old one. So a table that stands twice, or two tables that
changed at once, are counted exactly once. Where the place is on the optional side of an outer join,
the join is an inner one: the term finds the keys of the rows that match, see _covered_path. Filters
that would hide keys are opened, see _keyed_shape.

Args: spec, job (bindings, reads), shape (see _shape, with changes and the columns of the tables).
Returns: list of mappings sign (1 or -1), sql, bound (bool, whether every place took its binding).
#}
{% macro _terms(spec, job, shape) %}
    {%- set changes = {} -%}
    {%- for change in shape.changes if change.inserts or change.deletes -%}
        {%- do changes.update({change.relation: change}) -%}
    {%- endfor -%}
    {%- set places = [] -%}
    {%- for relation in job.reads.tables -%}
        {%- for turn in range(job.reads.places.count(relation)) -%}
            {%- do places.append({"relation": relation, "name": relation ~ " " ~ turn}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set expected = job.reads.places -%}
    {%- if shape.get("text") -%}
        {#- It has the texts of views in their place. -#}
        {%- set expected = expected | select("in", job.reads.tables) | list -%}
    {%- endif -%}
    {%- set terms = [] -%}
    {%- for place in places if place.relation in changes -%}
        {%- set change = changes[place.relation] -%}
        {%- set opened = shape.get("opened", {}).get(place.name, []) -%}
        {%- set text = dbt_mview._open_filters(shape.get("text") or spec.definition, opened) -%}
        {%- set signs = ([1] if change.inserts else []) + ([-1] if change.deletes else []) -%}
        {%- for sign in signs -%}
            {%- set bindings = dbt_mview._term_bindings(
                job, places, place, sign, changes, shape
            ) -%}
            {%- set bound = dbt_mview._bind(text, bindings, spec.namespace) -%}
            {%- set left = [] -%}
            {%- for relation in job.reads.tables -%}
                {%- do left.extend(bindings[relation].turns) -%}
            {%- endfor -%}
            {%- set missed = bound.found | length != expected | length -%}
            {%- set turned = shape.get("turned", {}).get(place.name, []) -%}
            {%- set sql = dbt_mview._turn_joins(bound.sql, turned) -%}
            {%- do terms.append({"sign": sign, "sql": sql, "bound": not (left or missed)}) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(terms) }}
{% endmacro %}
