{# The table's layout as the model wants it. Args: spec. Returns: mapping. #}
{% macro _layout_from_model(spec) %}
    {%- if config.get("clustered_by") or config.get("buckets") -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "clustered_by/buckets: Delta tables have no buckets.",
            "Use liquid_clustered_by.",
        ) -%}
    {%- endif -%}
    {%- if (config.get("file_format") or "delta") != "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "file_format is '" ~ config.get("file_format") ~ "'.",
            "A materialized view is a Delta table; set file_format: delta or leave it out.",
        ) -%}
    {%- endif -%}
    {%- set root = config.get("location_root") -%}
    {%- set properties = {} -%}
    {%- for key, value in (config.get("tblproperties") or {}).items() -%}
        {%- do properties.update(
            {key: value | string | lower if value is boolean else value | string}
        ) -%}
    {%- endfor -%}
    {%- set layout = {
        "partition_by": dbt_mview._columns_of(config.get("partition_by")),
        "liquid_clustered_by": dbt_mview._columns_of(config.get("liquid_clustered_by")),
        "location": root.rstrip("/") ~ "/" ~ spec.identifier if root else none,
        "tblproperties": properties,
        "constraints": dbt_mview._constraints(spec),
    } -%}
    {%- if layout.partition_by and layout.liquid_clustered_by -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "partition_by and liquid_clustered_by exclude each other.",
            "Keep one of them.",
        ) -%}
    {%- endif -%}
    {{ return(layout) }}
{% endmacro %}
