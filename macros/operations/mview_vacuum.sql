{#
Removes files that no version needs any more, of one registered table or of all, where the table
keeps them as long as flashback may read them. Sent without a retention, which Delta ignores.

Args: table (schema.identifier or catalog.schema.identifier, or 'all'), full (bool: list the files,
    as a plain VACUUM does; else by the log alone, where Delta can), dry_run (bool: print the
    statements).
Errors: the table that was asked for is not registered, or keeps files too short; VACUUM wrote no
    commit.
Example: dbt run-operation mview_vacuum --args '{table: shop.orders}'
#}
{% macro mview_vacuum(table="all", full=false, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set settings = dbt_mview._flashback_settings() -%}
    {%- set lines, failed = [], [] -%}
    {%- for name in dbt_mview._tables_to_vacuum(table) -%}
        {%- set seen = dbt_mview._inspect_table(name) -%}
        {%- if seen -%}
            {%- set why_not = dbt_mview._why_not_kept(seen.properties, settings) -%}
            {%- if not why_not -%}
                {%- set why_not = dbt_mview._vacuum(name, full, dbt_mview._bare_job(dry_run)) -%}
            {%- endif -%}
            {%- if why_not -%} {%- do failed.append(name ~ ": " ~ why_not) -%} {%- endif -%}
            {%- do lines.append([dbt_mview._short_name(name), why_not or "done"]) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not dry_run -%}
        {%- do dbt_mview._print_table(
            ["table", "VACUUM"], lines, "mview_vacuum: flashback keeps no table readable"
        ) -%}
    {%- endif -%}
    {%- if failed and table != "all" -%}
        {%- do dbt_mview._raise("mview_vacuum", failed[0] ~ ".", "Nothing else was done.") -%}
    {%- endif -%}
{% endmacro %}


{# Args: table (as mview_vacuum). Returns: list of names. Errors: not one of the registered. #}
{% macro _tables_to_vacuum(table) %}
    {%- set names = dbt_mview._registered_tables() -%}
    {%- if table == "all" -%} {{ return(names) }}{%- endif -%}
    {%- set wanted = table | string | lower -%}
    {%- set found = [] -%}
    {%- for name in names if name == wanted or name.endswith("." ~ wanted) -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    {%- if found | length != 1 -%}
        {%- do dbt_mview._raise(
            table,
            (
                "is ambiguous: " ~ found | join(", ")
                if found
                else "is no table that flashback keeps readable"
            )
            ~ ".",
            "Name one of: " ~ names | join(", ") ~ ".",
        ) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}
