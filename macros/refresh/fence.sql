{#
Fails what an older holder has in flight: Delta refuses a statement whose table got other
metadata while it ran. What such a holder sends later fails on its own guard, see _guard_sql. Not
done by an empty INSERT with a newer txnVersion: Delta records no commit without rows
(docs/decisions).
#}
{% macro _fence(spec, job) %}
    {%- if job.target.kind != "delta" -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._run("fence", dbt_mview._fence_sql(spec, job), job) -%}
{% endmacro %}


{# Args: spec, job (token). Returns: SQL text. #}
{% macro _fence_sql(spec, job) -%}
alter table {{ spec.name }} set tblproperties ('dbt_mview.fence' = '{{ job.token }}')
{%- endmacro %}
