{# What speaks against an exact way all the same. Returns: reason or none. #}
{% macro _why_not_fast(spec, job, shape, first) %}
    {%- set keys = shape["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- if unique and shape.strategy != "append" -%}
        {%- set nested = (
            not keys | reject("in", unique) | list
            or not unique | reject("in", keys) | list
        ) -%}
        {#- Rows of one unique_key are computed again together, and compared then. -#}
        {%- set together = (
            shape.strategy == "keyed"
            and keys
            and not keys | reject("in", unique) | list
        ) -%}
        {%- if not ((shape.one_row and nested) or together) -%}
            {{ return("UNIQUE_KEY_OVER_ALL_ROWS: " ~ spec.unique_key | join(", ")) }}
        {%- endif -%}
    {%- endif -%}
    {%- set not_kept = dbt_mview._why_not_kept(spec, job, shape) -%}
    {%- if not_kept -%} {{ return(not_kept) }}{%- endif -%}
    {%- if first or spec.refresh == "fast" -%} {{ return(none) }}{%- endif -%}
    {%- for change in shape.changes if change.get("large_vectors") -%}
        {{ return("DELETION_VECTORS_TOO_LARGE: " ~ change.relation.split(".")[1:] | join(".")) }}
    {%- endfor -%}
    {{ return(dbt_mview._complete_is_cheaper(job, shape)) }}
{% endmacro %}
