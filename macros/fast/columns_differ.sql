{#
Whether the query reads other columns now than when the view was refreshed last: rows that nobody
touched have other values then. A type that was widened makes another product, and a UNION or
struct(*) takes columns by their places. One that came and that the query does not use is no
difference, nor is a comment. A CHAR(n) that is another text now is read without its blanks, which
no DESCRIBE tells. History tells where there is nothing to look at.

Args: reads (see _reads), change (see _source_changes). Returns: bool.
#}
{% macro _columns_differ(reads, change) %}
    {%- if change.get("columns_since") is none -%} {{ return(false) }}{%- endif -%}
    {%- do dbt_mview._note_columns(reads, change) -%}
    {%- set before = dbt_mview._columns_at(change.relation, change.columns_since) -%}
    {%- set now = change.columns -%}
    {%- if change.used is not none -%}
        {%- set before = before | selectattr("name", "in", change.used) | list -%}
        {%- set now = now | selectattr("name", "in", change.used) | list -%}
    {%- endif -%}
    {%- if before != now or not change.get("may_be_char") -%}
        {{ return(before != now) }}
    {%- endif -%}
    {%- for column in now if "string" in column.type and dbt_mview._is_ambiguous(column.name) -%}
        {#- Nobody can tell from a plan whether it was a CHAR. -#}
        {{ return(true) }}
    {%- endfor -%}
    {%- set was = dbt_mview._chars_at(change.relation, change.columns_since, now) -%}
    {{ return(was != dbt_mview._chars_at(change.relation, change.end, now)) }}
{% endmacro %}


{#
The CHARs of a table, as the plan pads them where it reads them; it prints no more than 25 columns.

Args: relation (name), version, columns (that are asked for). Returns: list of texts.
#}
{% macro _chars_at(relation, version, columns) %}
    {%- set texts = [] -%}
    {%- for column in columns if "string" in column.type -%}
        {%- do texts.append(column.name) -%}
    {%- endfor -%}
    {%- set table = dbt_mview._quoted_name(relation) ~ " version as of " ~ version -%}
    {%- set found = [] -%}
    {%- for some in texts | batch(20) -%}
        {%- set query = "select " ~ dbt_mview._quote_all(some) ~ " from " ~ table -%}
        {%- set plan = dbt_mview._read("chars", "explain extended " ~ query).rows[0][0] -%}
        {%- for padded in modules.re.findall("readSidePadding\\([^,]*, \\d+\\)", plan) -%}
            {%- do found.append(modules.re.sub("#\\d+", "", padded)) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found | unique | sort) }}
{% endmacro %}


{# What the query reads of a source. Args: reads, change. Sets columns, used, maps (as a whole). #}
{% macro _note_columns(reads, change) %}
    {%- if "columns" not in change -%}
        {%- set columns = reads.columns[change.relation] -%}
        {%- set used = dbt_mview._used_columns(reads, change.relation, columns) -%}
        {%- set found = dbt_mview._those_used(columns, {"used": used}) -%}
        {%- set maps = dbt_mview._whole_maps(reads, found) -%}
        {%- do change.update({"columns": columns, "used": used, "maps": maps}) -%}
    {%- endif -%}
{% endmacro %}


{# Args: relation (name), version (or none). Returns: see _describe_query. #}
{% macro _columns_at(relation, version) %}
    {%- set at = "" if version is none else " version as of " ~ version -%}
    {%- set name = dbt_mview._quoted_name(relation) -%}
    {{ return(dbt_mview._describe_query("select * from " ~ name ~ at)) }}
{% endmacro %}
