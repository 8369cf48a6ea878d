{#
The columns of the tables that a query reads, at the versions that are pinned, asked at once.

Args: job (reads, bindings). Returns: mapping relation -> see _describe_query.
#}
{% macro _describe_tables(job) %}
    {%- set found = {} -%}
    {%- set items, tables, marks = [], [], [] -%}
    {%- for relation in job.reads.tables -%}
        {%- set version = job.bindings[relation].version -%}
        {%- set at = "" if version is none else " version as of " ~ version -%}
        {%- do marks.append("mview:" ~ loop.index0) -%}
        {%- do items.append("1 as " ~ dbt_mview._quote(marks[-1]) ~ ", t" ~ loop.index0 ~ ".*") -%}
        {%- do tables.append(dbt_mview._quoted_name(relation) ~ at ~ " as t" ~ loop.index0) -%}
    {%- endfor -%}
    {%- set sql = "select " ~ items | join(", ") ~ "\nfrom " ~ tables | join(", ") -%}
    {%- set rows = dbt_mview._read("columns", "describe query\n" ~ sql).rows if tables else [] -%}
    {%- set names = rows | map(attribute=0) | list -%}
    {%- for relation in job.reads.tables -%}
        {%- set begin = names.index(marks[loop.index0]) + 1 -%}
        {%- set end = names | length if loop.last else names.index(marks[loop.index]) -%}
        {%- set columns = [] -%}
        {%- for row in rows[begin:end] -%}
            {%- do columns.append(
                {"name": row[0], "type": row[1], "expression": dbt_mview._quote(row[0])}
            ) -%}
        {%- endfor -%}
        {%- set cut = " more fields" in columns | map(attribute="type") | join(" ") -%}
        {#- A table may have a column of a mark's name. -#}
        {%- if cut or names | select("in", marks) | list != marks -%}
            {%- set version = job.bindings[relation].version -%}
            {%- set columns = dbt_mview._columns_at(relation, version) -%}
        {%- endif -%}
        {%- do found.update({relation: columns}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
