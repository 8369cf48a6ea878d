{#
What came to a table or view, and what went, from one time to another: how many rows, and some of
them.

Args: table (model name, or schema.identifier), from (as the timestamp of as_of; a whole number is a
    version), to (the same), limit (int: how many rows are shown), dry_run (bool: print the query).
Errors: see as_of and diff; an argument is missing; no such table.
Example: dbt run-operation mview_diff --args '{table: orders_daily, from: -1 day, to: -1 hour}'
#}
{% macro mview_diff(table, from, to, limit=20, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set example = "{table: orders_daily, from: -1 day, to: -1 hour}" -%}
    {%- for name, value in [["table", table], ["from", from], ["to", to]] -%}
        {%- do dbt_mview._check_given(name, value, example) -%}
    {%- endfor -%}
    {%- set relation = dbt_mview._relation_called(table) -%}
    {%- set rows = dbt_mview.diff(relation, from, to) -%}
    {%- set counts = (
        "select count_if(_change = 'came') as came, count_if(_change = 'went') as went\nfrom "
        ~ rows
    ) -%}
    {%- set some = "select *\nfrom " ~ rows ~ "\nlimit " ~ limit | int -%}
    {%- if dry_run -%} {%- do print(some ~ ";") -%}
    {%- else -%}
        {%- set found = dbt_mview._read("diff", counts).rows[0] -%}
        {%- do print(
            dbt_mview._mview_id(relation)
            ~ ": "
            ~ found[0]
            ~ " came, "
            ~ found[1]
            ~ " went"
        ) -%}
        {%- set shown = dbt_mview._read("diff", some) -%}
        {%- set lines = [] -%}
        {%- for row in shown.rows -%} {%- do lines.append(row.values() | list) -%}
        {%- endfor -%}
        {%- if lines -%} {%- do dbt_mview._print_table(shown.column_names | list, lines) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do dbt_mview._release_reader() -%}
{% endmacro %}


{# Args: table (as mview_diff). Returns: Relation. Errors: no such one, or several. #}
{% macro _relation_called(table) %}
    {%- set wanted = table | string | lower -%}
    {%- set found = {} -%}
    {%- for node in (graph.nodes.values() | list) + (graph.get("sources", {}).values() | list) -%}
        {%- if node.resource_type in ["model", "seed", "snapshot", "source"] -%}
            {%- set relation = dbt_mview._relation_of(node) -%}
            {%- set id = dbt_mview._mview_id(relation) -%}
            {%- if wanted in [id, node.name | lower] or id.endswith("." ~ wanted) -%}
                {%- do found.update({id: relation}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set parts = (table | string).split(".") -%}
    {%- if not found and parts | length == 2 -%}
        {{ return(api.Relation.create(schema=parts[0], identifier=parts[1])) }}
    {%- elif found | length != 1 -%}
        {%- do dbt_mview._raise(
            table,
            (
                "is ambiguous: " ~ found.keys() | join(", ")
                if found
                else "is no model, seed, snapshot or source of this project"
            )
            ~ ".",
            "Name it by schema.identifier.",
        ) -%}
    {%- endif -%}
    {{ return(found.values() | first) }}
{% endmacro %}
