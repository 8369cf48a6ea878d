{#
Whether the query reads other columns now than when the view was refreshed last: rows that nobody
touched have other values then. A type that was widened makes another product, and a UNION or
struct(*) takes columns by their places. One that came and that the query does not use is no
difference, nor is a comment. History tells where there is nothing to look at.

Args: reads (see _reads), change (see _source_changes). Returns: bool.
#}
{% macro _columns_differ(reads, change) %}
    {%- if change.get("columns_since") is none -%} {{ return(false) }}{%- endif -%}
    {%- do dbt_mview._note_columns(reads, change) -%}
    {%- set before = dbt_mview._columns_at(change.relation, change.columns_since) -%}
    {%- if before == change.columns -%} {{ return(false) }}
    {%- elif change.used is none -%} {{ return(true) }}
    {%- endif -%}
    {%- set read = before | selectattr("name", "in", change.used) | list -%}
    {%- set now = change.columns | selectattr("name", "in", change.used) | list -%}
    {{ return(read != now) }}
{% endmacro %}


{# What the query reads of a source. Args: reads, change. Sets columns, used, maps (as a whole). #}
{% macro _note_columns(reads, change) %}
    {%- if "columns" not in change -%}
        {%- set columns = dbt_mview._columns_at(change.relation, change.end) -%}
        {%- set used = dbt_mview._used_columns(reads, change.relation, columns) -%}
        {%- set found = dbt_mview._those_used(columns, {"used": used}) -%}
        {%- set maps = dbt_mview._whole_maps(reads, found) -%}
        {%- do change.update({"columns": columns, "used": used, "maps": maps}) -%}
    {%- endif -%}
{% endmacro %}


{# Args: relation (name), version. Returns: see _describe_query. #}
{% macro _columns_at(relation, version) %}
    {%- set name = dbt_mview._quoted_name(relation) -%}
    {{ return(dbt_mview._describe_query("select * from " ~ name ~ " version as of " ~ version)) }}
{% endmacro %}
