{#
Makes every publish with an older token impossible: Delta drops an INSERT whose txnVersion is
not above the one committed here, and the change of a property fails every statement that is
in flight on the table.
#}
{% macro _fence(spec, job) %}
    {%- if job.target.kind != "delta" -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._run("fence_transaction", dbt_mview._fence_sql(spec, job), job) -%}
    {%- do dbt_mview._run(
        "fence_metadata",
        "alter table "
        ~ spec.name
        ~ " set tblproperties ('dbt_mview.fence' = '"
        ~ job.token
        ~ "')",
        job,
    ) -%}
{% endmacro %}


{# The token of the fenced holder: its INSERT is dropped then, the one of this job is not. #}
{% macro _fence_sql(spec, job) -%}
insert into {{ spec.name }}
with (
    'userMetadata' = {{ dbt_mview._json_literal({"dbt_mview": {"fence": job.token}}) }},
    'txnAppId' = {{ dbt_mview._literal("dbt_mview:" ~ spec.mview_id) }},
    'txnVersion' = '{{ job.token - 1 }}'
)
select * from {{ spec.name }} where false
{%- endmacro %}
