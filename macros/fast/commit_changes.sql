{#
Why changes since the commit at `since` cannot be read any more, or none.

Args: commit (see _delta_history), since (microseconds: the oldest commit that is needed).
#}
{% macro _feed_broken_by(commit, since) %}
    {%- set given = commit.parameters -%}
    {%- if commit.operation in ["RENAME COLUMN", "DROP COLUMNS", "CHANGE COLUMN"] -%}
        {{ return("SCHEMA_CHANGED") }}
        {%- elif "TBLPROPERTIES" in commit.operation -%}
        {%- if "delta.enableChangeDataFeed" in given.get("properties", "") -%}
            {{ return("CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile") }}
        {%- endif -%}
        {%- elif "REPLACE TABLE" in commit.operation -%}
        {%- if '"delta.enableChangeDataFeed":"true"' not in given.get("properties", "") -%}
            {{ return("CHANGE_DATA_UNAVAILABLE: replaced without a change data feed") }}
        {%- endif -%}
    {%- elif commit.operation == "VACUUM START" -%}
        {%- set kept = given.get(
            "specifiedRetentionMillis", given.get("defaultRetentionMillis", 0)
        ) -%}
        {%- if since < commit.commit_time - (kept | int) * 1000 -%}
            {{ return("CHANGE_DATA_UNAVAILABLE: removed by VACUUM") }}
        {%- endif -%}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{#
Adds one commit to a change: which kinds of rows, how many. Unknown kinds may hold anything.

Args: change (see _source_changes), commit.
#}
{% macro _add_commit(change, commit) %}
    {%- set m = commit.metrics -%}
    {%- set operation = commit.operation -%}
    {%- set rows = none -%}
    {%- set inserts, deletes = true, true -%}
    {%- if operation == "ADD COLUMNS" -%} {%- set rows, inserts, deletes = 0, false, false -%}
    {%- elif operation in ["WRITE", "STREAMING UPDATE"] -%}
        {%- set appends = (
            "Append"
            in [
                commit.parameters.get("mode"),
                commit.parameters.get("outputMode"),
            ]
            and "predicate" not in commit.parameters
        ) -%}
        {%- set rows = m.get("numOutputRows") if appends else none -%}
        {%- set deletes = not appends -%}
    {%- elif operation == "DELETE" -%} {%- set rows, inserts = m.get("numDeletedRows"), false -%}
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
