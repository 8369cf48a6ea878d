{#
The newest commits of a Delta table, newest first.

Args: name (quoted SQL name), limit (int or none).
Returns: list of mappings: version, commit_time (microseconds), operation (empty where the writer
    did not say), engine (who wrote it, or none), rows (int or none; of a MERGE those that went,
    came or changed), metrics, parameters (mappings of strings) and meta (what this package put in
    the commit, or none).
#}
{% macro _delta_history(name, limit) %}
    {%- set text = "describe history " ~ name ~ ("" if limit is none else " limit " ~ limit) -%}
    {%- set commits = [] -%}
    {%- for row in dbt_mview._read("describe_history", text).rows -%}
        {%- set metrics = dbt_mview._mapping(row["operationMetrics"]) -%}
        {%- set parameters = dbt_mview._mapping(row["operationParameters"]) -%}
        {%- set rows = metrics.get("numOutputRows") -%}
        {%- if row["operation"] == "MERGE" -%}
            {%- set gone = metrics.get("numTargetRowsDeleted", 0) | int -%}
            {%- set moved = metrics.get("numTargetRowsUpdated", 0) | int -%}
            {%- set rows = gone + moved + (metrics.get("numTargetRowsInserted", 0) | int) -%}
        {%- endif -%}
        {%- do commits.append(
            {
                "version": row["version"] | int,
                "commit_time": dbt_mview._micros(row["timestamp"]),
                "operation": row["operation"] or "",
                "engine": row["engineInfo"],
                "rows": none if rows is none else rows | int,
                "metrics": metrics,
                "parameters": parameters,
                "meta": dbt_mview._commit_meta(
                    dbt_mview._merge_meta(parameters)
                    if row["operation"] == "MERGE"
                    else row["userMetadata"]
                ),
            }
        ) -%}
    {%- endfor -%}
    {{ return(commits) }}
{% endmacro %}


{#
The newest commit that says of itself that a job made it.

Args: commits (see _delta_history), key (refresh_job_id or capture_job_id), job_id (string).
Returns: mapping or none.
#}
{% macro _commit_of(commits, key, job_id) %}
    {%- for commit in commits if commit.meta and commit.meta.get(key) == job_id -%}
        {{ return(commit) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether a table may have other columns after a commit: other types or another order without a row
that changed, or columns that came with the rows.

Args: commit (mapping). Returns: bool.
#}
{% macro _may_change_columns(commit) %}
    {%- if commit.operation == "WRITE" -%}
        {%- set given = commit.parameters -%}
        {%- set said = "true" in [given.get("canMergeSchema"), given.get("canOverwriteSchema")] -%}
        {{ return(said or not dbt_mview._says_all(commit)) }}
    {%- elif commit.operation.startswith("CHANGE COLUMN") -%} {{ return(true) }}
    {%- endif -%}
    {%- set rows_only = commit.operation in ["DELETE", "UPDATE", "TRUNCATE"] -%}
    {{ return(dbt_mview._is_data_commit(commit) and not rows_only) }}
{% endmacro %}


{#
Whether a writer says of its commits if they may bring columns. Delta 4.0 does not, and whatever
else writes Delta tables may not.

Args: commit (mapping engine). Returns: bool.
#}
{% macro _says_all(commit) %}
    {%- set engine = commit.get("engine") or "" -%}
    {%- set delta = modules.re.search("\\bDelta-Lake/(\\d+)\\.(\\d+)", engine) -%}
    {%- set numbers = delta.groups() | map("int") | list if delta else [0, 0] -%}
    {{ return(numbers >= [4, 1]) }}
{% endmacro %}


{#
Whether a commit can change what a reader of the table sees.

Args: commit (mapping). Returns: bool.
#}
{% macro _is_data_commit(commit) %}
    {%- set harmless = (
        "OPTIMIZE,VACUUM START,VACUUM END,SET TBLPROPERTIES,UNSET TBLPROPERTIES,CHANGE COLUMN,"
        ~ "CHANGE COLUMNS,ADD CONSTRAINT,DROP CONSTRAINT,COMPUTE STATS,ANALYZE,REORG,"
        ~ "UPGRADE PROTOCOL,CLUSTER BY,DROP FEATURE,UPDATE COLUMN METADATA,SET TABLE COMMENT"
    ).split(",") -%}
    {{ return(commit.operation not in harmless) }}
{% endmacro %}
