{#
Drops the view's table under its lock, then its row. What stands under the name but was not built
by a refresh is not ours to drop.

Args: spec, state (row), dry_run (bool). Errors: as _take_lock.
#}
{% macro _drop_view(spec, state, dry_run) %}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- set newest = dbt_mview._newest_data_commit(job.target) -%}
    {%- set published = newest and (newest.meta or {}).get("mview_id") == spec.mview_id -%}
    {%- if job.target.kind == "delta" and (published or state.target_version is not none) -%}
        {%- do dbt_mview._run("drop", "drop table if exists " ~ spec.name, job) -%}
    {%- endif -%}
    {%- do dbt_mview._delete_state(spec.mview_id, job) -%}
    {%- if not dry_run -%} {%- do print(spec.mview_id ~ ": dropped") -%} {%- endif -%}
{% endmacro %}
