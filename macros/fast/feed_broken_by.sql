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
