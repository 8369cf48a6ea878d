{#
What one commit may have changed, judged by its operation alone: rows, columns, partitions, bytes.
An operation that is unknown here counts as one that changes rows.
#}
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


{#
Whether a table may have other columns after a commit: other types or another order without a row
that changed, or columns that came with the rows.

Args: commit (mapping). Returns: bool.
#}
{% macro _may_change_columns(commit) %}
    {%- if commit.operation == "WRITE" -%}
        {%- set given = commit.parameters -%}
        {%- set said = "true" in [given.get("canMergeSchema"), given.get("canOverwriteSchema")] -%}
        {{ return(said or not dbt_mview._declares_schema_change(commit)) }}
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
{% macro _declares_schema_change(commit) %}
    {%- set engine = commit.get("engine") or "" -%}
    {%- set delta = modules.re.search("\\bDelta-Lake/(\\d+)\\.(\\d+)", engine) -%}
    {%- set numbers = delta.groups() | map("int") | list if delta else [0, 0] -%}
    {{ return(numbers >= [4, 1]) }}
{% endmacro %}


{# Whether a commit may give a table other partitions. Args: commit (mapping). Returns: bool. #}
{% macro _may_repartition(commit) %}
    {%- set given = commit.parameters -%}
    {%- if commit.operation == "WRITE" -%}
        {%- set anew = given.get("canOverwriteSchema") == "true" -%}
        {%- set may = anew or not dbt_mview._declares_schema_change(commit) -%}
        {#- A session says dynamic of all that it overwrites; with another schema nothing is. -#}
        {%- set dynamic = given.get("isDynamicPartitionOverwrite") == "true" and not anew -%}
        {%- set part = "predicate" in given or dynamic -%}
        {{ return(given.get("mode") == "Overwrite" and may and not part) }}
    {%- endif -%}
    {{
        return(
            modules.re.match("CREATE|REPLACE TABLE|CLONE|CONVERT", commit.operation) is not none
        )
    }}
{% endmacro %}


{#
How much a table holds at most, by its commits: what they put in since all of it was replaced, or
since it was made.

Args: commits (see _delta_history). Returns: int, or none if they do not say: DESCRIBE DETAIL does,
    for which Delta lists the files.
#}
{% macro _bytes_at_most(commits) %}
    {%- set size = namespace(sum=0) -%}
    {%- for commit in commits -%}
        {%- set metrics = commit.metrics -%}
        {%- set added = metrics.get("numAddedBytes") -%}
        {%- set came = metrics.get("numTargetBytesAdded", metrics.get("numOutputBytes", added)) -%}
        {%- if commit.operation == "CREATE TABLE" -%} {%- set came = 0 -%}
        {%- elif not dbt_mview._is_data_commit(commit) -%} {%- set came = 0 -%}
        {%- elif came is none -%} {{ return(none) }}
        {%- endif -%}
        {%- set size.sum = size.sum + came | int -%}
        {%- if dbt_mview._begins_anew(commit) -%} {{ return(size.sum) }}{%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Whether nothing of what was there before a commit is there after it. Args: commit. #}
{% macro _begins_anew(commit) %}
    {%- set given = commit.parameters -%}
    {%- if commit.version == 0 or "TABLE AS SELECT" in commit.operation -%} {{ return(true) }}
    {%- elif commit.operation != "WRITE" -%} {{ return(false) }}
    {%- elif commit.meta and commit.meta.get("method") == "complete" -%} {{ return(true) }}
    {%- endif -%}
    {%- set whole = given.get("mode") == "Overwrite" and "predicate" not in given -%}
    {{ return(whole and given.get("isDynamicPartitionOverwrite") != "true") }}
{% endmacro %}
