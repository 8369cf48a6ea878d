{#
Replaces all rows of the view in one commit and keeps the table: its id, grants, properties,
constraints and history. Predicate and option are both needed: under
spark.sql.sources.partitionOverwriteMode=DYNAMIC either alone leaves old partitions behind.
txnVersion fences: Delta drops this commit once a newer token was seen.

Args: spec, job. Returns: SQL text.
#}
{% macro _insert_replace_sql(spec, job) -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }},
    'txnAppId' = {{ dbt_mview._literal("dbt_mview:" ~ spec.mview_id) }},
    'txnVersion' = '{{ job.token }}',
    'partitionOverwriteMode' = 'static'
)
replace where 1 = 1
{{ dbt_mview._guarded_result_sql(spec, job) }}
{%- endmacro %}
