{#
The change of one table as its change data feed has it: which kinds of rows, how many, and what
makes the feed unreadable.
#}
{#
As _source_change, from the feed alone.

Args: relation (name), was, now (pins). Returns: see _change_record.
#}
{% macro _feed_change(relation, was, now) %}
    {%- if now.version <= was.version -%}
        {{ return(dbt_mview._no_change("SOURCE_REPLACED")) }}
    {%- endif -%}
    {%- set commits = dbt_mview._commits_since(relation, was, now) -%}
    {%- set properties = dbt_mview._seen_properties(relation) -%}
    {%- set moved = [] -%}
    {%- for commit in commits if was.version < commit.version <= now.version -%}
        {%- if dbt_mview._is_data_commit(commit) -%} {%- do moved.append(commit) -%} {%- endif -%}
    {%- endfor -%}
    {#- Commits that changed no row need no feed. -#}
    {%- if not dbt_mview._is_feed_on(properties) and (moved or not commits) -%}
        {%- set detail = "no change data feed (" ~ dbt_mview._way_to_feed(relation) ~ ")" -%}
        {{ return(dbt_mview._no_change("CHANGE_DATA_UNAVAILABLE", detail, ["feed_is_off"])) }}
    {%- endif -%}
    {%- if not commits -%}
        {{ return(dbt_mview._no_change("CHANGE_DATA_UNAVAILABLE")) }}
    {%- endif -%}
    {%- if not dbt_mview._same_commit(commits[-1], was) -%}
        {{ return(dbt_mview._no_change("SOURCE_REPLACED")) }}
    {%- endif -%}
    {%- set change = dbt_mview._change_record(
        {
            "relation": relation,
            "start": was.version,
            "first": was.version + 1,
            "end": now.version,
        }
    ) -%}
    {%- for commit in moved -%}
        {%- do dbt_mview._add_commit_effect(change, commit) -%}
    {%- endfor -%}
    {#- Newest first: the last one is the oldest that has rows to be read. -#}
    {%- set first = moved[-1] if moved else none -%}
    {%- for commit in commits if commit.version > was.version -%}
        {%- set reason = dbt_mview._cdf_invalidated_by(commit, first) -%}
        {%- if reason -%} {{ return(dbt_mview._change_record({"reason": reason})) }} {%- endif -%}
    {%- endfor -%}
    {%- if first -%}
        {%- do change.update({"first": first.version, "first_time": first.commit_time}) -%}
        {%- set feed = dbt_mview._feed_sql(change) -%}
        {%- if dbt_mview._is_unreadable(feed, first, properties) -%}
            {%- set detail = "older than the table keeps" -%}
            {{ return(dbt_mview._no_change("CHANGE_DATA_UNAVAILABLE", detail)) }}
        {%- endif -%}
    {%- endif -%}
    {{ return(change) }}
{% endmacro %}


{#
What switches the feed of a source on: a config of what dbt builds anew in each run, and of a view,
which is altered; else a statement, as for a view whose columns are mapped.

Args: relation (name). Returns: string.
#}
{% macro _way_to_feed(relation) %}
    {%- set node = dbt_mview._node_called(relation) -%}
    {%- set kind = node.config.get("materialized") if node else none -%}
    {%- set mapped = dbt_mview._maps_columns(node.config.get("tblproperties") or {}) if node -%}
    {%- if kind == "mview" and not mapped -%}
        {{ return("change_feed: true in its model, from its next refresh on") }}
    {%- elif kind == "table" -%}
        {{ return("tblproperties: {delta.enableChangeDataFeed: true} in its model") }}
    {%- endif -%}
    {%- set table = dbt_mview._short_name(relation) -%}
    {%- set altered = (
        "alter table "
        ~ table
        ~ " set tblproperties ('delta.enableChangeDataFeed' = 'true')"
    ) -%}
    {#- `dbt seed` makes it anew each time, and dbt-spark gives it no tblproperties. -#}
    {{ return("post_hook of the seed: " ~ altered if kind == "seed" else altered) }}
{% endmacro %}


{#
Adds one commit to a change: which kinds of rows, how many. Unknown kinds may hold anything. Rows
that are added to a deletion vector are read as another one, of which Delta 4.4 takes no more than
64 KB (delta-io/delta#5662): two bytes for each scattered row of a file.

Args: change (see _source_changes), commit. Sets rows, inserts, deletes, new_columns of change, and
    large_vectors where that is likely.
#}
{% macro _add_commit_effect(change, commit) %}
    {%- set m = commit.metrics -%}
    {%- set operation = commit.operation -%}
    {%- set rows = none -%}
    {%- set inserts, deletes = true, true -%}
    {%- if operation == "ADD COLUMNS" -%}
        {%- set rows, inserts, deletes = 0, false, false -%}
        {%- for added in fromjson(commit.parameters.get("columns") or "[]", []) -%}
            {%- do change.new_columns.append(added.column.name | lower) -%}
        {%- endfor -%}
    {%- elif operation in ["WRITE", "STREAMING UPDATE"] -%}
        {%- set appends = (
            "Append"
            in [
                commit.parameters.get("mode"),
                commit.parameters.get("outputMode"),
            ]
            and "predicate" not in commit.parameters
        ) -%}
        {%- set rows = m.get("numOutputRows") -%}
        {%- if not appends -%} {%- set rows = dbt_mview._rows_of_part(commit) -%}
        {%- endif -%}
        {%- set deletes = not appends -%}
    {%- elif operation == "DELETE" -%}
        {%- set rows, inserts = m.get("numDeletedRows"), false -%}
        {%- if (rows or 0) | int > 20000 * (m.get("numDeletionVectorsUpdated", 0) | int) > 0 -%}
            {%- do change.update({"large_vectors": true}) -%}
        {%- endif -%}
    {%- elif operation == "UPDATE" -%} {%- set rows = (m.get("numUpdatedRows", 0) | int) * 2 -%}
    {%- elif operation == "MERGE" and "numTargetRowsUpdated" in m -%}
        {%- set moved = m["numTargetRowsUpdated"] | int -%}
        {%- set gone = m.get("numTargetRowsDeleted", 0) | int -%}
        {%- set come = m.get("numTargetRowsInserted", 0) | int -%}
        {%- set rows = moved * 2 + gone + come -%}
        {%- set inserts, deletes = moved + come > 0, moved + gone > 0 -%}
    {%- endif -%}
    {%- do change.update(
        {
            "rows": (
                none
                if rows is none or change.rows is none
                else change.rows + (rows | int)
            ),
            "inserts": change.inserts or inserts,
            "deletes": change.deletes or deletes,
        }
    ) -%}
{% endmacro %}


{#
How many rows an INSERT OVERWRITE of some partitions, or a REPLACE WHERE, took away and put in. Of
partitions that the rows chose (dynamic), Delta says how many bytes went, not how many rows.

Args: commit (a WRITE that does not append). Returns: int, in part estimated; or none: all rows may
    have gone, or it is not known.
#}
{% macro _rows_of_part(commit) %}
    {%- set m = commit.metrics -%}
    {%- set came = (m.get("numOutputRows") or 0) | int - (m.get("numCopiedRows") or 0) | int -%}
    {%- set bytes = (m.get("numOutputBytes") or 0) | int -%}
    {%- if commit.parameters.get("mode") != "Overwrite" or dbt_mview._begins_anew(commit) -%}
        {{ return(none) }}
        {%- elif "numDeletedRows" in m -%} {{ return(came + m["numDeletedRows"] | int) }}
        {%- elif "numRemovedBytes" not in m or not (came and bytes) -%} {{ return(none) }}
    {%- endif -%}
    {%- set went = (came * (m["numRemovedBytes"] | int) / bytes) | round(method="ceil") | int -%}
    {{ return(came + went) }}
{% endmacro %}


{#
Why a commit keeps older changes from being read, or itself.

Args: commit (see _delta_history), first (the oldest commit with rows to be read, or none: then only
    the table's columns matter).
Returns: see _reason, or none.
#}
{% macro _cdf_invalidated_by(commit, first) %}
    {%- set given = commit.parameters -%}
    {%- set properties = given.get("properties", "") -%}
    {%- set feed, gone = "delta.enableChangeDataFeed", "CHANGE_DATA_UNAVAILABLE" -%}
    {%- if commit.operation in ["RENAME COLUMN", "DROP COLUMNS", "REPLACE COLUMNS"] -%}
        {{ return(dbt_mview._reason("SCHEMA_CHANGED")) }}
    {%- elif first is none or commit.version < first.version -%}
        {{ return(none) }}
        {%- elif "TBLPROPERTIES" in commit.operation and feed in properties -%}
        {{ return(dbt_mview._reason(gone, "the feed was switched on or off meanwhile")) }}
        {%- elif "REPLACE TABLE" in commit.operation -%}
        {%- if '"' ~ feed | lower ~ '":"true"' not in properties | lower -%}
            {{ return(dbt_mview._reason(gone, "replaced without a change data feed")) }}
        {%- endif -%}
    {%- elif commit.operation == "VACUUM START" -%}
        {%- set kept = given.get("defaultRetentionMillis", 0) -%}
        {%- set kept = given.get("specifiedRetentionMillis", kept) -%}
        {%- if first.commit_time < commit.commit_time - (kept | int) * 1000 -%}
            {{ return(dbt_mview._reason(gone, "removed by VACUUM")) }}
        {%- endif -%}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
