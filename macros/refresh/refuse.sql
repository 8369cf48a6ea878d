{#
`refresh: fast` is refused before the lock is taken: the plan is made on what was looked at, and
made again once the lock is held.

Args: spec, job. Errors: the refresh cannot be FAST, with the reason.
#}
{% macro _refuse(spec, job) %}
    {%- if spec.refresh == "fast" and not job.holder -%}
        {%- set reason = job.reason -%}
        {%- do dbt_mview._pin(spec, job) -%}
        {%- do dbt_mview._plan(spec, job) -%}
        {%- do job.update({"reason": reason, "fast": none, "staged": false}) -%}
    {%- endif -%}
{% endmacro %}
