{#
Whether two groups of the view may share a unique_key that is only a part of the group's key. A
clash that is none, as one of the groups vanishes, makes the refresh COMPLETE.

Args: spec, job. Returns: bool.
#}
{% macro _keys_may_clash(spec, job) %}
    {%- set keys = job.fast["keys"] | map("lower") | list -%}
    {%- set unique = spec.unique_key | map("lower") | list -%}
    {%- set covered = not keys | reject("in", unique) | list -%}
    {%- if job.dry_run or not unique or covered or job.fast.strategy == "append" -%}
        {{ return(false) }}
    {%- endif -%}
    {%- set rows = dbt_mview._read("audit", dbt_mview._shared_keys_sql(spec, job)).rows -%}
    {{ return(rows[0][0] | int > 0) }}
{% endmacro %}
