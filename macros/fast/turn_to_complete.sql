{#
What FAST cannot do after all is done anew.

Args: spec, job, reason (named). Errors: refresh is 'fast'.
#}
{% macro _turn_to_complete(spec, job, reason) %}
    {%- if spec.refresh == "fast" -%}
        {%- do dbt_mview._raise_not_fast(spec, job, reason) -%}
    {%- endif -%}
    {%- do job.update(
        {
            "fast": none,
            "staged": dbt_mview._must_stage(spec, job),
            "method": "complete",
            "publish": "insert",
            "reason": job.reason ~ "; not FAST: " ~ reason,
        }
    ) -%}
    {%- do dbt_mview._stage(spec, job) -%}
{% endmacro %}
