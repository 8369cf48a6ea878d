{#
Properties, detail and location of a Delta table. DESCRIBE DETAIL lists the table's files: callers
take the properties where these are enough.
#}
{#
The properties of a Delta table. DESCRIBE DETAIL says them as well, but counts the table's files,
see _delta_detail; this reads none.

Args: name (quoted SQL name). Returns: mapping, or none if it is no Delta table.
#}
{% macro _delta_properties(name) %}
    {%- set found = {} -%}
    {%- for row in dbt_mview._read("properties", "show tblproperties " ~ name).rows -%}
        {%- do found.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {#- Of its protocol: Delta shows it for each of its tables. -#}
    {{ return(found if "delta.minReaderVersion" in found else none) }}
{% endmacro %}


{# Whether a table keeps its change data feed. Args: properties (mapping). Returns: bool. #}
{% macro _is_feed_on(properties) %}
    {{ return(properties.get("delta.enableChangeDataFeed", "") | lower == "true") }}
{% endmacro %}


{#
As _delta_properties, each as it is. SHOW TBLPROPERTIES hides what looks like a secret (`token`,
`url`, what spark.redaction.regex says) in a name or a value, such as the name of a table; DESCRIBE
DETAIL does not.

Args: name (quoted SQL name of a Delta table). Returns: mapping.
#}
{% macro _unhidden_properties(name) %}
    {%- set found = dbt_mview._delta_properties(name) or {} -%}
    {%- for value in found.values() if "(redacted)" in value -%}
        {{ return(dbt_mview._mapping(dbt_mview._delta_detail(name)["properties"])) }}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
What DESCRIBE DETAIL says of a table. It counts the table's files, for which Delta reads the whole
list of them after each new version: use it only for what _delta_properties does not have.

Args: name (quoted SQL name).
Returns: row (id, properties, description, numFiles, sizeInBytes, ...).
#}
{% macro _delta_detail(name) %}
    {{ return(dbt_mview._read("describe_detail", "describe detail " ~ name).rows[0]) }}
{% endmacro %}


{# How long a table keeps deleted files. Args: properties (of it). Returns: int (microseconds). #}
{% macro _retention_micros(properties) %}
    {%- set kept = properties.get("delta.deletedFileRetentionDuration", "interval 1 week") -%}
    {{ return(dbt_mview._interval_micros(kept)) }}
{% endmacro %}


{# How long it keeps its log. Args: properties (of it). Returns: int (microseconds). #}
{% macro _log_retention_micros(properties) %}
    {%- set kept = properties.get("delta.logRetentionDuration", "interval 30 days") -%}
    {{ return(dbt_mview._interval_micros(kept)) }}
{% endmacro %}


{# Args: text (an interval as Delta takes it). Returns: int (microseconds), 0 if it is none. #}
{% macro _interval_micros(text) %}
    {%- set units = dbt_mview._unit_seconds() -%}
    {%- set seconds = namespace(sum=0) -%}
    {%- for count, unit in modules.re.findall(
        "(\\d+) *(second|minute|hour|day|week)", text | lower
    ) -%}
        {%- set seconds.sum = seconds.sum + (count | int) * units[unit] -%}
    {%- endfor -%}
    {{ return(seconds.sum * 1000000) }}
{% endmacro %}


{# Args: name (quoted SQL name of a Delta table). Returns: mapping name, location. #}
{% macro _name_and_location(name) %}
    {%- set detail = dbt_mview._delta_detail(name) -%}
    {{ return({"name": detail["name"], "location": detail["location"]}) }}
{% endmacro %}


{# Args: name (catalog.schema.identifier). Returns: string, or none for what is no Delta table. #}
{% macro _location_of(name) %}
    {%- if dbt_mview._kind_at(name) != "delta" -%} {{ return(none) }}{%- endif -%}
    {%- set quoted = dbt_mview._quoted_name(name) -%}
    {#- Of another catalog than Spark's own it is not known yet whether it is one. -#}
    {%- if dbt_mview._delta_properties(quoted) is none -%} {{ return(none) }}{%- endif -%}
    {{ return(dbt_mview._delta_detail(quoted)["location"]) }}
{% endmacro %}


{# Returns: list, the columns of a change beside those of its row, as Delta names them. #}
{% macro _change_columns() %}
    {{ return(["_change_type", "_commit_version", "_commit_timestamp"]) }}
{% endmacro %}


{#
Whether properties map columns: by their own, or as Delta does it for what Iceberg reads. No commit
of Delta can begin to map columns of a table with a change data feed and write rows as well
(DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION), as CREATE TABLE AS SELECT does.

Args: properties (mapping). Returns: bool.
#}
{% macro _maps_columns(properties) %}
    {%- for key, value in properties.items() -%}
        {%- set key, value = key | lower, value | lower -%}
        {%- set by_mode = key == "delta.columnmapping.mode" and value != "none" -%}
        {%- if by_mode or (key.startswith("delta.enableicebergcompat") and value == "true") -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{#
What properties say of the change data feed; Delta reads its own names without case.

Args: properties (mapping). Returns: string, lower case, or none: nothing.
#}
{% macro _feed_property(properties) %}
    {%- for key, value in properties.items() if key | lower == "delta.enablechangedatafeed" -%}
        {{ return(value | lower) }}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
