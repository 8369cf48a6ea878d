{#
Recovers a view whose lock is held, and frees it.

Args: spec, state (its row), dry_run (bool). Errors: somebody else took the lock meanwhile.
#}
{% macro _recover_view(spec, state, dry_run) %}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do job.update({"force": true, "release_after_recover": true}) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
{% endmacro %}
