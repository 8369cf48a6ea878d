{#
Why a commit keeps older changes from being read, or itself.

Args: commit (see _delta_history), first (the oldest commit with rows to be read, or none: then only
    the table's columns matter).
Returns: named reason, or none.
#}
{% macro _feed_broken_by(commit, first) %}
    {%- set given = commit.parameters -%}
    {%- set properties = given.get("properties", "") -%}
    {%- set feed = "delta.enableChangeDataFeed" -%}
    {%- if commit.operation in ["RENAME COLUMN", "DROP COLUMNS", "REPLACE COLUMNS"] -%}
        {{ return("SCHEMA_CHANGED") }}
    {%- elif first is none or commit.version < first.version -%}
        {{ return(none) }}
        {%- elif "TBLPROPERTIES" in commit.operation and feed in properties -%}
        {{ return("CHANGE_DATA_UNAVAILABLE: the feed was switched on or off meanwhile") }}
        {%- elif "REPLACE TABLE" in commit.operation -%}
        {%- if '"' ~ feed | lower ~ '":"true"' not in properties | lower -%}
            {{ return("CHANGE_DATA_UNAVAILABLE: replaced without a change data feed") }}
        {%- endif -%}
    {%- elif commit.operation == "VACUUM START" -%}
        {%- set kept = given.get("defaultRetentionMillis", 0) -%}
        {%- set kept = given.get("specifiedRetentionMillis", kept) -%}
        {%- if first.commit_time < commit.commit_time - (kept | int) * 1000 -%}
            {{ return("CHANGE_DATA_UNAVAILABLE: removed by VACUUM") }}
        {%- endif -%}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
