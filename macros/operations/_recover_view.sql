{# Args: spec, state (a locked row), dry_run. Errors: somebody else took the lock meanwhile. #}
{% macro _recover_view(spec, state, dry_run) %}
    {%- do spec.update({"definition": none, "stored": none}) -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run, force=true) -%}
    {%- do job.update({"target": dbt_mview._target(spec), "release_after_recover": true}) -%}
    {%- do dbt_mview._check_lock(spec, job) -%}
    {%- set outcome = dbt_mview._run(
        "acquire", dbt_mview._acquire_sql(spec, job, state.lock_token), job
    ) -%}
    {%- if not dry_run and outcome[0][0] != "acquired" -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its lock changed hands while it was being recovered.",
            "Run again.",
        ) -%}
    {%- endif -%}
    {%- do job.update({"token": state.lock_token + 1}) -%}
    {%- do dbt_mview._recover(spec, job) -%}
{% endmacro %}


{#
Writes the row of a built view anew, from the newest refresh in the view's own history.

Args: spec, dry_run. Errors: the history holds no refresh.
#}
{% macro _restore_row(spec, dry_run) %}
    {%- set commit = dbt_mview._newest_data_commit(dbt_mview._target(spec)) -%}
    {%- if not commit or not commit.meta or commit.meta.get("mview_id") != spec.mview_id -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "state has no row of it, and no table of it to restore one from.",
            "Build it with `dbt run --select " ~ spec.identifier ~ "`.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "recover",
        dbt_mview._restore_row_sql(spec, commit),
        {"id": invocation_id, "dry_run": dry_run},
    ) -%}
    {%- do print(spec.mview_id ~ ": state restored from version " ~ commit.version) -%}
{% endmacro %}
