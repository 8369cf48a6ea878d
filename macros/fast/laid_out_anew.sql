{#
Why the feed does not give what went away as it was: Delta reads the files of older versions by the
partitions of the newest one, and those that the oldest commit took away by its columns. Tables that
are replaced, overwritten with another schema or restored may have others. (AUTO is COMPLETE after
those, for no commit tells of how many rows it was.)

Args: change (from the feed, see _source_changes). Returns: named reason, or none.
#}
{% macro _laid_out_anew(change) %}
    {%- set was, now = {"version": change.start}, {"version": change.end} -%}
    {%- set commits = dbt_mview._commits_since(change.relation, was, now) -%}
    {%- set low = namespace(version=change.start, found=false) -%}
    {%- for commit in commits if change.start < commit.version <= change.end -%}
        {%- if commit.operation == "RESTORE" or dbt_mview._lays_out(commit) -%}
            {%- set low.found = true -%}
            {%- set to = (commit.parameters.get("version") or 0) | int -%}
            {%- set back = commit.operation == "RESTORE" and to < low.version -%}
            {%- set low.version = to if back else low.version -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not low.found -%} {{ return(none) }}{%- endif -%}
    {#- Delta compares the columns of all versions but the first; no row of these is read. -#}
    {%- set feed = dbt_mview._feed_sql(dict(change, first=change.start)) -%}
    {%- set asked = "select 1 from " ~ feed ~ " where _commit_version > " ~ change.end -%}
    {%- if not dbt_mview._succeeds("feed", asked) -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other columns") }}
    {%- endif -%}
    {%- set layouts = [] -%}
    {%- set name = dbt_mview._quoted_name(change.relation) -%}
    {%- for commit in dbt_mview._delta_history(name, none) if commit.version <= change.end -%}
        {%- set done = layouts and layouts[-1].version <= low.version -%}
        {%- if not done and dbt_mview._lays_out(commit) -%}
            {%- do layouts.append(commit) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set known = layouts and layouts[-1].version <= low.version -%}
    {%- set by = layouts | map(attribute="parameters.partitionBy", default="") | unique | list -%}
    {%- if known and by | length == 1 and by[0] -%} {{ return(none) }}{%- endif -%}
    {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other partitions") }}
{% endmacro %}
