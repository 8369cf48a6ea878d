{#
Which tables are to stay readable: the views and what they read, as far as state knows, and what
`meta: {dbt_mview: {flashback: true}}` adds; false takes away.
#}
{# Returns: list of names (catalog.schema.identifier) of Delta tables that are there. #}
{% macro _registered_tables() %}
    {%- set names = {} -%}
    {%- for row in dbt_mview._read("registered", dbt_mview._tables_of_views_sql()).rows -%}
        {%- do names.update({row[0]: true}) -%}
    {%- endfor -%}
    {%- do names.update(dbt_mview._said_of_flashback()) -%}
    {%- set wanted = [] -%}
    {%- for name, is_in in names | dictsort if is_in -%}
        {%- do wanted.append(name) -%}
    {%- endfor -%}
    {{ return(dbt_mview._tables_there(wanted)) }}
{% endmacro %}


{# What models, seeds, snapshots and sources say. Returns: mapping name -> bool. #}
{% macro _said_of_flashback() %}
    {%- set said = {} -%}
    {%- for node in (graph.nodes.values() | list) + (graph.get("sources", {}).values() | list) -%}
        {%- set configs = node.get("config") or {} -%}
        {%- set meta = (configs.get("meta") or node.get("meta") or {}).get("dbt_mview") or {} -%}
        {%- if node.resource_type in ["model", "seed", "snapshot", "source"] -%}
            {%- set name = dbt_mview._mview_id(dbt_mview._relation_of(node)) -%}
            {%- set flag = meta.get("flashback") if meta is mapping else none -%}
            {%- if flag is boolean -%} {%- do said.update({name: flag}) -%}
            {%- elif flag is not none -%}
                {%- do dbt_mview._raise(
                    name,
                    "meta.dbt_mview.flashback is " ~ tojson(flag) ~ ".",
                    "Say true to keep the table readable as it was, or false.",
                ) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(said) }}
{% endmacro %}


{#
Those of some tables that are there, with one statement for each schema. What is no Delta table is
found when it is looked at.

Args: names (list, sorted). Returns: list.
#}
{% macro _tables_there(names) %}
    {%- set listed, found = {}, [] -%}
    {%- for name in names -%}
        {%- set catalog, schema, identifier = name.split(".", 2) -%}
        {%- set place = dbt_mview._schema_in(catalog, schema) -%}
        {%- if place not in listed -%}
            {%- set there = [] -%}
            {%- set asked = catalog if catalog != "spark_catalog" else none -%}
            {%- if dbt_mview._schema_is_there(schema, asked) -%}
                {%- for row in dbt_mview._read("tables", "show tables in " ~ place).rows -%}
                    {%- do there.append(row[1] | lower) -%}
                {%- endfor -%}
            {%- endif -%}
            {%- do listed.update({place: there}) -%}
        {%- endif -%}
        {%- if identifier in listed[place] -%} {%- do found.append(name) -%} {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
