{# The table's layout as the model wants it. Args: spec. Returns: mapping. #}
{% macro _layout_from_model(spec) %}
    {%- if dbt_mview._config("clustered_by") or dbt_mview._config("buckets") -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "clustered_by/buckets: Delta tables have no buckets.",
            "Use liquid_clustered_by.",
        ) -%}
    {%- endif -%}
    {%- if (dbt_mview._config("file_format") or "delta") != "delta" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "file_format is '" ~ dbt_mview._config("file_format") ~ "'.",
            "A materialized view is a Delta table; set file_format: delta or leave it out.",
        ) -%}
    {%- endif -%}
    {%- set root = dbt_mview._config("location_root") -%}
    {%- set properties = {} -%}
    {%- for key, value in (dbt_mview._config("tblproperties") or {}).items() -%}
        {%- do properties.update(
            {key: value | string | lower if value is boolean else value | string}
        ) -%}
    {%- endfor -%}
    {%- set layout = {
        "partition_by": dbt_mview._columns_of(dbt_mview._config("partition_by")),
        "liquid_clustered_by": dbt_mview._columns_of(
            dbt_mview._config("liquid_clustered_by")
        ),
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
