{#
What the staged changes amount to.

Args: spec, job (fast, changes), keys (columns whose bounds are asked for).
Returns: SQL text, one row: how many rows or groups change, how many groups are in doubt, and for
    each key its lowest value, its highest, and how many have none, or would have none once Delta
    reads what it wrote as a partition, see _not_kept.
#}
{% macro _staged_changes_sql(spec, job, keys) -%}
    {%- set unsure = job.fast["values"].values() | select("in", ["wide_sum", "mean"]) | list -%}
    {%- set doubtful = unsure or job.changes | selectattr("deletes") | list -%}
    {%- set added_up = job.fast.strategy == "aggregate" and doubtful -%}
    {%- set not_kept = dbt_mview._not_kept(spec, keys) -%}
select
    count(*),
    {{ "count_if(_mview_doubt)" if added_up else "0" }}
    {%- for column in keys -%}
        {%- set name = dbt_mview._quote(column.name) -%},
    cast(min({{ name }}) as string),
    cast(max({{ name }}) as string),
    count_if({{ name }} is null
        {%- if column in not_kept %} or {{ name }} in ('', '__HIVE_DEFAULT_PARTITION__'){% endif %})
    {%- endfor %}
from {{ "(\n" ~ dbt_mview._combined_sql(spec, job) ~ "\n)" if added_up
    else dbt_mview._stage_name(job.id) }}
{%- endmacro %}
