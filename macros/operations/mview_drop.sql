{#
Drops a view: its table and its row in state; its history stays. Needs the view's lock. A table that
replaced it, such as the one of a model that is no mview any more, stays.

Args: view (as mview_refresh), dry_run (bool: print the statements).
Errors: another run is refreshing the view.
Example: dbt run-operation mview_drop --args '{view: orders_daily}'
#}
{% macro mview_drop(view, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set relation = dbt_mview._resolve(view) -%}
    {%- set spec = dbt_mview._spec_of_relation(relation) -%}
    {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- if not state -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "state does not know it as a materialized view.",
            "Drop other tables with DROP TABLE.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._drop_view(spec, state, dry_run, dbt_mview._successor_of(spec.mview_id)) -%}
{% endmacro %}


{#
Drops the view's table under its lock, then its row. Something else of that name, which no refresh
built, is not dropped.

Args: spec, state (row), dry_run (bool), node (of the graph, that has the name now, or none).
Errors: as _take_lock.
#}
{% macro _drop_view(spec, state, dry_run, node=none) %}
    {#- What a dead run decided to publish is dropped with the rest. -#}
    {%- do spec.update({"full_refresh": true}) -%}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
    {%- set ours = dbt_mview._is_ours_to_drop(spec, state, job.target, node) -%}
    {%- if ours -%}
        {%- do dbt_mview._run("drop", "drop table if exists " ~ spec.name, job) -%}
    {%- endif -%}
    {%- do dbt_mview._delete_state(spec.mview_id, job) -%}
    {%- set kept = job.target.kind != "missing" and not ours -%}
    {%- set done = "forgotten, what has its name stays" if kept else "dropped" -%}
    {%- if not dry_run -%} {%- do print(spec.mview_id ~ ": " ~ done) -%} {%- endif -%}
{% endmacro %}


{#
Whether the table under the view's name is the one that refreshes built, whatever was written to it
since.

Args: spec, state (row), target (see _target), node (see _successor_of). Returns: bool.
#}
{% macro _is_ours_to_drop(spec, state, target, node) %}
    {%- if target.kind != "delta" -%} {{ return(false) }}{%- endif -%}
    {%- if node -%}
        {#- Until its model has run, the table is the view's. -#}
        {%- set newest = dbt_mview._newest_data_commit(target) -%}
        {{ return(dbt_mview._is_refresh_of(newest, spec.mview_id)) }}
    {%- endif -%}
    {%- set told = dbt_mview._whose_table(target.history, spec.mview_id) -%}
    {%- if told is none -%}
        {%- set history = dbt_mview._delta_history(spec.name, none) -%}
        {%- set told = dbt_mview._whose_table(history, spec.mview_id) -%}
    {%- endif -%}
    {%- if told is not none or state.target_version is none -%}
        {{ return(told or false) }}
    {%- endif -%}
    {{ return(dbt_mview._was_seen_before_cleaning({"state": state}, target.history[-1])) }}
{% endmacro %}


{# Deletes the row of a view, if its lock is still this job's. Args: mview_id, job (token). #}
{% macro _delete_state(mview_id, job) %}
    {%- do dbt_mview._run(
        "forget",
        dbt_mview._retry_on_conflict_sql(
            "delete from "
            ~ dbt_mview._info_table()
            ~ " where mview_id = "
            ~ dbt_mview._literal(mview_id)
            ~ " and lock_token = "
            ~ job.token
        ),
        job,
    ) -%}
{% endmacro %}
