{#
Step sweep: what is no longer needed goes. A run that dies before leaves it to recover; where it
fails, on-run-end tries again, or the next run, which finds the view published and not recorded.

Args: spec, job.
#}
{% macro _sweep(spec, job) %}
    {%- if job.staged -%} {%- do dbt_mview._drop_stage("sweep", job.id, job) -%} {%- endif -%}
    {%- if job.publish == "swap" -%}
        {%- set swap = dbt_mview._intent(spec, job).swap -%}
        {%- do dbt_mview._drop_chain_relation(spec, "sweep", swap.kind, swap.backup, job) -%}
    {%- endif -%}
{% endmacro %}
