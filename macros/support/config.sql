{# A config with few values. Args: spec, key, value, allowed (list). Returns: value, lower case. #}
{% macro _one_of(spec, key, value, allowed) %}
    {%- set word = value | string | lower -%}
    {%- if word not in allowed -%}
        {%- do dbt_mview._raise(
            spec.mview_id, key ~ " is '" ~ value ~ "'.", "Use one of: " ~ allowed | join(", ") ~ "."
        ) -%}
    {%- endif -%}
    {{ return(word) }}
{% endmacro %}


{#
The method that the model asks for; Snowflake's and Oracle's words are understood.

Errors: an unknown word; fast, which this release does not have.
#}
{% macro _refresh_method(spec, value=none) %}
    {%- set aliases = {"full": "complete", "force": "auto", "incremental": "fast"} -%}
    {%- set word = (value or config.get("refresh", "auto")) | string | lower -%}
    {%- set method = dbt_mview._one_of(
        spec, "refresh", aliases.get(word, word), ["auto", "complete", "fast"]
    ) -%}
    {%- if method == "fast" -%}
        {%- do dbt_mview._raise(
            spec.mview_id, "refresh is 'fast', which this release of dbt_mview does not have yet.",
            "Use 'auto' (FAST as soon as there is one) or 'complete'."
        ) -%}
    {%- endif -%}
    {{ return(method) }}
{% endmacro %}


{#
dbt's default is 'ignore', made for hand-written increments. A view follows its query, so only
a value that the user wrote counts. See docs/decisions.
#}
{% macro _on_schema_change(spec) %}
    {%- set value = model.unrendered_config.get("on_schema_change") -%}
    {%- if value is none -%}{{ return("sync_all_columns") }}{%- endif -%}
    {{ return(dbt_mview._one_of(
        spec, "on_schema_change", config.get("on_schema_change"),
        ["ignore", "fail", "append_new_columns", "sync_all_columns"]
    )) }}
{% endmacro %}


{# The table's layout as the model wants it. Args: spec. Returns: mapping. #}
{% macro _layout_from_model(spec) %}
    {%- if config.get("clustered_by") or config.get("buckets") -%}
        {%- do dbt_mview._raise(
            spec.mview_id, "clustered_by/buckets: Delta tables have no buckets.",
            "Use liquid_clustered_by."
        ) -%}
    {%- endif -%}
    {%- if (config.get("file_format") or "delta") != "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id, "file_format is '" ~ config.get("file_format") ~ "'.",
            "A materialized view is a Delta table; set file_format: delta or leave it out."
        ) -%}
    {%- endif -%}
    {%- set root = config.get("location_root") -%}
    {%- set properties = {} -%}
    {%- for key, value in (config.get("tblproperties") or {}).items() -%}
        {%- do properties.update({key: value | string}) -%}
    {%- endfor -%}
    {%- set layout = {
        "partition_by": dbt_mview._as_list(config.get("partition_by")),
        "liquid_clustered_by": dbt_mview._as_list(config.get("liquid_clustered_by")),
        "location": root.rstrip("/") ~ "/" ~ spec.identifier if root else none,
        "tblproperties": properties,
        "constraints": dbt_mview._constraints(spec),
    } -%}
    {%- if layout.partition_by and layout.liquid_clustered_by -%}
        {%- do dbt_mview._raise(
            spec.mview_id, "partition_by and liquid_clustered_by exclude each other.",
            "Keep one of them."
        ) -%}
    {%- endif -%}
    {{ return(layout) }}
{% endmacro %}
