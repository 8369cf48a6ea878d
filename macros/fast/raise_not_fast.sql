{#
The error of `refresh: fast`. A run-operation has no end hook that would record it and give the lock
back, so that is done first.

Args: spec, job, reason (named).
#}
{% macro _raise_not_fast(spec, job, reason) %}
    {%- set rule = "refresh is 'fast' and this refresh cannot be: " ~ reason ~ "." -%}
    {%- if job.get("record_now") and job.token and not job.dry_run -%}
        {%- if job.staged -%} {%- do dbt_mview._drop_stage("sweep", job.id, job) -%} {%- endif -%}
        {%- set outcome = dbt_mview._outcome(
            spec.mview_id,
            job.id,
            job.owner,
            job.token,
            "failed",
            "fast",
            reason=job.reason,
            failed_reason=rule,
            started=job.started,
            release=not job.holder,
            refresh_group=spec.refresh_group,
        ) -%}
        {%- do dbt_mview._write_outcomes([outcome], job) -%}
    {%- endif -%}
    {%- do dbt_mview._raise(
        spec.mview_id, rule, "Set refresh to 'auto', or run once with --full-refresh."
    ) -%}
{% endmacro %}
