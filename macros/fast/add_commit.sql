{#
Adds one commit to a change: which kinds of rows, how many. Unknown kinds may hold anything. Rows
that are added to a deletion vector are read as another one, of which Delta 4.4 takes no more than
64 KB (delta-io/delta#5662): two bytes for each scattered row of a file.

Args: change (see _source_changes), commit. Sets change.large_vectors where that is likely.
#}
{% macro _add_commit(change, commit) %}
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
        {%- set rows = m.get("numOutputRows") if appends else none -%}
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
