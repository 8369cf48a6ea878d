{#
Why the feed does not give what went away as it was: Delta reads the files of older versions by the
partitions of the newest one there is, and those that the oldest commit took away by its columns.
Tables that are replaced, overwritten with another schema or restored may have others.

Args: change (from the feed, see _source_changes). Returns: named reason, or none.
#}
{% macro _laid_out_anew(change) %}
    {%- set was, now = {"version": change.start}, {"version": change.end} -%}
    {%- set may = [] -%}
    {%- for commit in dbt_mview._commits_since(change.relation, was, now) -%}
        {%- if commit.operation == "RESTORE" or dbt_mview._lays_out(commit) -%}
            {%- do may.append(commit.version) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not may or may[0] <= change.start -%} {{ return(none) }}{%- endif -%}
    {#- Delta compares the columns of all versions but the first; no row of these is read. -#}
    {%- set feed = dbt_mview._feed_sql(dict(change, first=change.start)) -%}
    {%- set asked = "select 1 from " ~ feed ~ " where _commit_version > " ~ change.end -%}
    {%- if not dbt_mview._succeeds("feed", asked) -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other columns") }}
    {%- endif -%}
    {#- From the newest back to the oldest version whose files may be read. -#}
    {%- set low = namespace(version=change.start) -%}
    {%- set layouts = [] -%}
    {%- for commit in dbt_mview._delta_history(dbt_mview._quoted_name(change.relation), none) -%}
        {%- set done = layouts and layouts[-1].version <= low.version -%}
        {%- if not done and commit.operation == "RESTORE" -%}
            {%- set to = (commit.parameters.get("version") or 0) | int -%}
            {%- set low.version = [low.version, to] | min -%}
        {%- elif not done and dbt_mview._lays_out(commit) -%} {%- do layouts.append(commit) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set known = layouts and layouts[-1].version <= low.version -%}
    {%- set by = layouts | map(attribute="parameters.partitionBy", default="") | unique | list -%}
    {%- if known and by | length == 1 and by[0] -%} {{ return(none) }}{%- endif -%}
    {{ return("CHANGE_DATA_UNAVAILABLE: it was replaced or restored with other partitions") }}
{% endmacro %}
