{#
FAST publish where rows only come: an INSERT of the query's own new rows.

Args: spec, job. Returns: SQL text.
#}
{% macro _append_changes_sql(spec, job) -%}
    {%- set names = job.columns | map(attribute="name") | list -%}
    {%- set nulls = [] -%}
    {%- for name in names -%}{%- do nulls.append("null") -%}{%- endfor -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._json_literal(dbt_mview._publish_meta(spec, job)) }},
    'txnAppId' = {{ dbt_mview._literal("dbt_mview:" ~ spec.mview_id) }},
    'txnVersion' = '{{ job.token }}'
)
select {{ dbt_mview._quote_all(names) }}
from (
{{ dbt_mview._terms_sql(job.fast.terms, job.columns) }}
)
union all
select {{ nulls | join(", ") }}
where {{ dbt_mview._guard_sql(spec, job) }}
{%- endmacro %}
