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
            {%- set joined = places | length > 1 -%}
            {%- set few = joined and moved.rows is not none and moved.rows <= 200000 -%}
            {%- set sql = dbt_mview._changed_rows_sql(moved, sign, moved.columns, few) -%}
            {%- set binding = {"kind": "rows", "sql": sql} -%}
        {%- elif other.name in shape.emptied.get(place.name, []) -%}
            {#- With a version: Spark would take the changes from a plain name, too. -#}
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
