{#
The newest commits of a Delta table, newest first.

Args: name (quoted SQL name), limit (int or none).
Returns: list of mappings: version, commit_time (microseconds), operation, rows (int or none; of a
    MERGE those that went and those that came), metrics, parameters (mappings of strings) and meta
    (what this package put in the commit, or none).
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
            {%- set rows = gone + (metrics.get("numTargetRowsInserted", 0) | int) -%}
        {%- endif -%}
        {%- do commits.append(
            {
                "version": row["version"] | int,
                "commit_time": dbt_mview._micros(row["timestamp"]),
                "operation": row["operation"],
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


{# A MERGE carries its refresh as hexadecimal digits in a condition, see _merge_changes_sql. #}
{% macro _merge_meta(parameters) %}
    {%- set found = modules.re.search(
        "7b226462745f6d7669657722[0-9a-f]+",
        parameters.get("notMatchedPredicates") or "",
    ) -%}
    {{ return("".encode().fromhex(found.group(0)).decode("utf-8") if found else none) }}
{% endmacro %}


{# A map as the method of connection returns it. Args: value. Returns: mapping. #}
{% macro _mapping(value) %}
    {{ return(fromjson(value, {}) if value is string else (value or {})) }}
{% endmacro %}


{# Args: text (string or none). Returns: the package's own part of userMetadata, or none. #}
{% macro _commit_meta(text) %}
    {%- if not text or not (text | string).startswith('{"dbt_mview"') -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set meta = (fromjson(text, {}) or {}).get("dbt_mview") -%}
    {{ return(meta if meta is mapping else none) }}
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
