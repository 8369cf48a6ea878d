{#
How each table and view that a query reads takes part in it, none at a version yet. A name that
the engine reads at another number of places than the text names it is not bound; then no view
is replaced by its text either, where a name that was missed would mean another table. Nor is any
where one of them is read by settings of its own.

Args: sql (string), reads (see _reads), namespace (string catalog.schema).
Returns: mapping with bindings (see _bind), unbound (list of names, and of what has none), sql
    (the query with the texts of views in place).
#}
{% macro _bindings(sql, reads, namespace) %}
    {%- set tables = {} -%}
    {%- for name in reads.tables -%}
        {%- do tables.update({name: {"kind": "table", "version": none}}) -%}
    {%- endfor -%}
    {%- set views = {} -%}
    {%- set apart = [] -%}
    {%- for name in reads.views -%}
        {%- do views.update({name: dbt_mview._view(name)}) -%}
        {%- set setting = dbt_mview._made_with_another(name) if views[name] else none -%}
        {%- if setting -%} {%- do apart.append("a view made with " ~ setting) -%} {%- endif -%}
    {%- endfor -%}
    {%- set bound = dbt_mview._try_bindings(sql, reads, namespace, dict(tables, **views)) -%}
    {%- if bound.unbound and dbt_mview._forget_phantoms(reads, bound) -%}
        {{ return(dbt_mview._bindings(sql, reads, namespace)) }}
    {%- endif -%}
    {%- if views and (bound.unbound or apart) -%}
        {%- set bound = dbt_mview._try_bindings(sql, reads, namespace, tables) -%}
        {%- do bound.unbound.extend(apart | unique) -%}
    {%- endif -%}
    {{ return(bound) }}
{% endmacro %}


{#
Takes tables out of what a query reads that no text names and that are not there: the name of a
column may have a line break, and read like the line of a table in the plan.

Args: reads, bound. Returns: bool, whether there were any. Sets reads.
#}
{% macro _forget_phantoms(reads, bound) %}
    {%- set phantoms = [] -%}
    {%- for name in reads.tables if name not in bound.found -%}
        {%- set sql = "select 1 from " ~ dbt_mview._quoted_name(name) ~ " where false" -%}
        {%- if not dbt_mview._succeeds("is_there", sql) -%}
            {%- do phantoms.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if phantoms -%}
        {%- for key in ["tables", "places"] -%}
            {%- do reads.update({key: reads[key] | reject("in", phantoms) | list}) -%}
        {%- endfor -%}
        {%- do reads.other.append("a text that reads like a plan") -%}
    {%- endif -%}
    {{ return(phantoms | length > 0) }}
{% endmacro %}


{# Args: sql, reads, namespace, bindings (mapping, see _bind). Returns: as _bindings, and found. #}
{% macro _try_bindings(sql, reads, namespace, bindings) %}
    {%- set query = dbt_mview._bind(sql, bindings, namespace) -%}
    {%- set unbound = reads.other | list -%}
    {%- for name in reads.tables + reads.views -%}
        {%- if query.found.count(name) != reads.places.count(name) -%}
            {%- do unbound.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set bound = {"bindings": bindings, "unbound": unbound, "sql": query.sql} -%}
    {{ return(dict(bound, found=query.found)) }}
{% endmacro %}


{#
What a query is, with the views that it reads: their words, whatever stands between them.

Args: bound (see _bindings). Returns: string.
#}
{% macro _definition_hash(bound) %}
    {{ return(local_md5(dbt_mview._words(bound.sql) | join(" "))) }}
{% endmacro %}
