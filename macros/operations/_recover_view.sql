{#
Recovers a view whose lock is held, and frees it.

Args: spec, state (its row), how (mapping excuse, charge, see _recovered_outcome), dry_run (bool).
Errors: somebody else took the lock meanwhile.
#}
{% macro _recover_view(spec, state, how, dry_run) %}
    {%- set job = dbt_mview._recovery(spec, state, how, dry_run) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
{% endmacro %}


{# Args: see _recover_view. Returns: a job that takes the lock whatever the lease says. #}
{% macro _recovery(spec, state, how, dry_run) %}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do job.update({"force": true, "release_after_recover": true}) -%}
    {%- do job.update(how) -%} {{ return(job) }}
{% endmacro %}
