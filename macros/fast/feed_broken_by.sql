{#
Why changes since the commit at `since` cannot be read any more.

Args: commit (see _delta_history), since (microseconds: the oldest commit that is needed).
Returns: named reason, or none.
#}
{% macro _feed_broken_by(commit, since) %}
    {%- set given = commit.parameters -%}
    {%- set properties = given.get("properties", "") -%}
    {%- set feed = "delta.enableChangeDataFeed" -%}
    {%- set reason = none -%}
    {%- if commit.operation in ["RENAME COLUMN", "DROP COLUMNS"] -%}
        {%- set reason = "SCHEMA_CHANGED" -%}
        {%- elif "TBLPROPERTIES" in commit.operation and feed in properties -%}
        {%- set reason = "CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile" -%}
        {%- elif "REPLACE TABLE" in commit.operation -%}
        {%- if '"' ~ feed | lower ~ '":"true"' not in properties | lower -%}
            {%- set reason = "CHANGE_DATA_UNAVAILABLE: replaced without a change data feed" -%}
        {%- endif -%}
    {%- elif commit.operation == "VACUUM START" -%}
        {%- set kept = given.get("defaultRetentionMillis", 0) -%}
        {%- set kept = given.get("specifiedRetentionMillis", kept) -%}
        {%- if since < commit.commit_time - (kept | int) * 1000 -%}
            {%- set reason = "CHANGE_DATA_UNAVAILABLE: removed by VACUUM" -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(reason) }}
{% endmacro %}
