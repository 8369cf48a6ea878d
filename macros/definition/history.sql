{#
The newest commits of a Delta table, newest first.

Args: name (quoted SQL name), limit (int or none).
Returns: list of mappings: version, commit_time (microseconds), operation, rows (int or none),
    meta (what this package put in the commit, or none).
#}
{% macro _delta_history(name, limit) %}
    {%- set text = "describe history " ~ name ~ ("" if limit is none else " limit " ~ limit) -%}
    {%- set commits = [] -%}
    {%- for row in dbt_mview._read("describe_history", text).rows -%}
        {%- set metrics = row["operationMetrics"] -%}
        {%- set metrics = fromjson(metrics, {}) if metrics is string else (metrics or {}) -%}
        {%- set rows = metrics.get("numOutputRows") -%}
        {%- do commits.append(
            {
                "version": row["version"] | int,
                "commit_time": dbt_mview._micros(row["timestamp"]),
                "operation": row["operation"],
                "rows": none if rows is none else rows | int,
                "meta": dbt_mview._commit_meta(row["userMetadata"]),
            }
        ) -%}
    {%- endfor -%}
    {{ return(commits) }}
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
    {%- set fence = commit.meta is not none and "fence" in commit.meta -%}
    {{ return(commit.operation not in harmless and not fence) }}
{% endmacro %}
