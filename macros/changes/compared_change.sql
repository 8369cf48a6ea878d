{#
The change of a table that was replaced or overwritten, by comparing its versions: its feed would
give every row that was rewritten, or there is none.
#}
{#
The change of a source of which it is not known how many rows changed, or that was rewritten in
large part, as the difference of the two versions: rows of the newer one came, rows of the older one
went, and consolidation leaves those that differ, see _changed_rows_sql. Both versions have to be
readable; how many rows differ is known once they are counted, see _count_compared.

Args: relation (name), was, now (pins), found (what the feed or a log gives, see _change_record).
Returns: see _change_record; found where its rows are known, or the versions cannot be read.
#}
{% macro _compared_change(relation, was, now, found) %}
    {%- set gone = found.reason and found.reason.code != "CHANGE_DATA_UNAVAILABLE" -%}
    {%- if gone or (found.log and found.rows is not none) -%} {{ return(found) }}{%- endif -%}
    {%- set commits = dbt_mview._commits_since(relation, was, now) -%}
    {%- if not commits or not dbt_mview._same_commit(commits[-1], was) -%}
        {{ return(found) }}
    {%- endif -%}
    {%- set effect = dbt_mview._change_record({}) -%}
    {%- set moved = [] -%}
    {%- for commit in commits if was.version < commit.version <= now.version -%}
        {%- if dbt_mview._is_data_commit(commit) -%}
            {%- do moved.append(commit) -%}
            {%- do dbt_mview._add_commit_effect(effect, commit) -%}
        {%- endif -%}
    {%- endfor -%}
    {#- Where all that is known came by rows, or in a small part, a feed is the cheaper way. -#}
    {%- if effect.rows is not none and not dbt_mview._rewrites_much(relation, now, moved, found) -%}
        {{ return(found) }}
    {%- endif -%}
    {%- for commit in commits if commit.operation == "VACUUM START" -%}
        {%- if dbt_mview._cdf_invalidated_by(commit, moved[-1]) -%} {{ return(found) }}{%- endif -%}
    {%- endfor -%}
    {%- set then = dbt_mview._quoted_name(relation) ~ " version as of " ~ was.version -%}
    {%- set properties = dbt_mview._seen_properties(relation) -%}
    {%- if dbt_mview._is_unreadable(then, commits[-1], properties) -%}
        {{ return(found) }}
    {%- endif -%}
    {{
        return(
            dbt_mview._change_record(
                {
                    "relation": relation,
                    "start": was.version,
                    "end": now.version,
                    "rows": none,
                    "inserts": true,
                    "deletes": true,
                    "compared": true,
                }
            )
        )
    }}
{% endmacro %}


{#
Whether versions are compared, though each commit says how many rows it changed: some overwrote
parts of the table, and there is no feed of what they put in, or they were more than a tenth of it,
of which most may be what it was.

Args: relation (name), now (pin), moved (commits that changed rows), found (see _compared_change).
Returns: bool.
#}
{% macro _rewrites_much(relation, now, moved, found) %}
    {%- set rewritten = namespace(rows=none) -%}
    {%- for commit in moved if commit.operation == "WRITE" -%}
        {%- set rows = dbt_mview._rows_of_part(commit) -%}
        {%- if rows is not none -%}
            {%- set rewritten.rows = (rewritten.rows or 0) + rows -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if rewritten.rows is none or found.reason -%}
        {{ return(rewritten.rows is not none) }}
    {%- endif -%}
    {{ return(rewritten.rows * 10 > dbt_mview._rows_at(relation, now.version)) }}
{% endmacro %}


{#
Counts the rows that differ between the two versions, by the columns that the query uses.

Args: reads (see _canonical), change (compared). Sets columns, used, maps, rows, inserts, deletes.
Returns: reason, where they cannot be compared, or none.
#}
{% macro _count_compared(reads, change) %}
    {%- do dbt_mview._note_used_columns(reads, change) -%}
    {%- set columns = dbt_mview._those_used(change.columns, change) -%}
    {%- set name = dbt_mview._short_name(change.relation) -%}
    {%- set keys = dbt_mview._consolidation_keys(columns) -%}
    {%- if keys is none -%}
        {%- set detail = name ~ " was overwritten, and its rows cannot be compared" -%}
        {{ return(dbt_mview._reason("TOO_MANY_CHANGES", detail)) }}
    {%- endif -%}
    {%- set counts = dbt_mview._memory().counts -%}
    {%- set known = (change.relation, change.start, change.end, keys["keys"]) -%}
    {%- if known not in counts -%}
        {%- set sql = dbt_mview._try_sql(
            dbt_mview._count_compared_sql(change, columns), answers=true
        ) -%}
        {%- do counts.update({known: dbt_mview._read("compared", sql).rows[0]}) -%}
    {%- endif -%}
    {%- set row = counts[known] -%}
    {%- if row[0] == "failed" -%}
        {%- set detail = name ~ ": its version " ~ change.start ~ " cannot be read" -%}
        {{ return(dbt_mview._reason("CHANGE_DATA_UNAVAILABLE", detail)) }}
    {%- endif -%}
    {%- set came, went = row[0] | int, row[1] | int -%}
    {%- do change.update({"rows": came + went, "inserts": came > 0, "deletes": went > 0}) -%}
    {{ return(none) }}
{% endmacro %}


{#
Both versions, as if they were a feed.

Args: change (compared), names (SQL text, of columns). Returns: SQL text, in brackets.
#}
{% macro _both_versions_sql(change, names) -%}
{%- set table = dbt_mview._quoted_name(change.relation) ~ " version as of " -%}
(
            select {{ names }}, 'insert' as _change_type
            from {{ table }}{{ change.end }}
            union all
            select {{ names }}, 'delete' as _change_type
            from {{ table }}{{ change.start }}
        )
{%- endmacro %}


{# Args: change, columns (that are compared). Returns: SQL text, one row: how many came, went. #}
{% macro _count_compared_sql(change, columns) -%}
{%- set names = dbt_mview._quote_all(columns | map(attribute="name") | list) -%}
select
    coalesce(sum(greatest(_mview_n, 0)), 0) as came,
    coalesce(sum(greatest(- _mview_n, 0)), 0) as went
from (
    select sum(case when _change_type = 'insert' then 1 else -1 end) as _mview_n
    from {{ dbt_mview._both_versions_sql(change, names) }}
    group by {{ dbt_mview._consolidation_keys(columns)["keys"] }}
)
{%- endmacro %}
