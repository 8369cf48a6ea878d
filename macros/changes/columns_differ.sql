{#
Whether the columns that a query uses are still what they were when the view was refreshed, and
whether a log holds them.
#}
{#
Whether the query reads other columns now than when the view was refreshed last: rows that nobody
touched have other values then. A type that was widened makes another product, and a UNION or
struct(*) takes columns by position. A new column that the query does not use is no difference, nor
is a comment. A CHAR(n) that is another text now is read without its blanks, which no DESCRIBE
shows. The history says if there is nothing to compare.

Args: reads (see _canonical), change (see _source_changes). Sets columns, used, maps of change.
Returns: bool.
#}
{% macro _columns_differ(reads, change) %}
    {%- if change.get("columns_since") is none -%} {{ return(false) }}{%- endif -%}
    {%- do dbt_mview._note_used_columns(reads, change) -%}
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
        {#- No plan shows whether it was a CHAR. -#}
        {{ return(true) }}
    {%- endfor -%}
    {%- set was = dbt_mview._char_columns_at(change.relation, change.columns_since, now) -%}
    {{ return(was != dbt_mview._char_columns_at(change.relation, change.end, now)) }}
{% endmacro %}


{#
Notes the version since which a table may have other columns, by its history; none where no commit
may have changed them. A log compares the names and types of its own columns alone.

Args: change, was, now (pins). Sets change.columns_since, and may_be_char where a CHAR may have
    become another text.
Returns: reason, where the columns of then may have been others and cannot be looked at any
    more, or none.
#}
{% macro _note_columns_since(change, was, now) %}
    {#- None where history does not reach what was read. -#}
    {%- set commits = dbt_mview._commits_since(change.relation, was, now) -%}
    {%- do change.update({"columns_since": none if commits else was.version}) -%}
    {%- if not commits -%} {%- do change.update({"may_be_char": true}) -%} {%- endif -%}
    {%- for commit in commits if was.version < commit.version <= change.end -%}
        {%- if dbt_mview._may_change_columns(commit) -%}
            {%- do change.update({"columns_since": was.version}) -%}
        {%- endif -%}
        {%- if commit.operation.startswith(
            ("CHANGE COLUMN", "RESTORE")
        ) or dbt_mview._may_repartition(commit) -%}
            {%- do change.update({"may_be_char": true}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if change.columns_since is none -%} {{ return(none) }}{%- endif -%}
    {%- set then = dbt_mview._quoted_name(change.relation) ~ " version as of " ~ was.version -%}
    {%- set properties = dbt_mview._seen_properties(change.relation) -%}
    {%- if dbt_mview._is_unreadable(then, commits[-1] if commits else none, properties) -%}
        {%- set detail = "its columns of then cannot be read" -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{# What the query reads of a source. Args: reads, change. Sets columns, used, maps (as a whole). #}
{% macro _note_used_columns(reads, change) %}
    {%- if change.get("columns") is none -%}
        {%- set columns = reads.columns[change.relation] -%}
        {%- set used = dbt_mview._column_pruning(reads, change.relation, columns) -%}
        {%- set found = dbt_mview._those_used(columns, {"used": used}) -%}
        {%- set maps = dbt_mview._whole_maps(reads, found) -%}
        {%- do change.update({"columns": columns, "used": used, "maps": maps}) -%}
    {%- endif -%}
{% endmacro %}


{#
Why a log cannot say what changed: the query uses columns that it leaves out. Rows that differ only
in those are equal in the log and would cancel out. Or it uses a CHAR(n), which a log keeps as a
text: it is compared without its blanks in the table, and with them in the log.

Args: reads (see _reads), change (see _source_changes; with columns and used, see
    _note_used_columns).
Returns: see _reason, or none.
#}
{% macro _log_lacks(reads, change) %}
    {%- if not change.get("log") -%} {{ return(none) }}{%- endif -%}
    {%- set held = change.log.columns | map(attribute="name") | map("lower") | list -%}
    {%- set used = change.columns | map(attribute="name") | list -%}
    {%- if change.used is not none -%} {%- set used = change.used -%} {%- endif -%}
    {%- set log_ = dbt_mview._short_name(change.log.name.replace("`", "")) -%}
    {%- for name in used if name | lower not in held -%}
        {%- set detail = log_ ~ " leaves out " ~ name -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail, ["log_leaves_out"])) }}
    {%- endfor -%}
    {#- Spark's plan alone tells: what reads a CHAR pads it. -#}
    {%- set padded = dbt_mview._padded_columns(reads) -%}
    {%- for name in used if name in padded -%}
        {%- set detail = log_ ~ " keeps " ~ name ~ ", a CHAR, as a text" -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
