{#
Ends what a dead run left: takes its lock, fences it, records what it published or undoes it,
frees the view. Restores a lost state row from the view's own history. Safe while the owner is
alive: its publish then fails.

Args: view (as mview_refresh: at once, whatever the lease says; or 'all': every view whose lease
    is over), dry_run (bool: print the statements).
Example: dbt run-operation mview_recover --args '{view: orders_daily}'
#}
{% macro mview_recover(view="all", dry_run=false) %}
    {%- do dbt_mview._ensure_state() -%}
    {%- if view == "all" -%}
        {%- for id, state in dbt_mview._read_states().items() if state.lock_owner -%}
            {%- set relation = dbt_mview._relation_of_state(id, state) -%}
            {%- set spec = dbt_mview._spec_of_relation(relation) -%}
            {%- set published = dbt_mview._published(
                dbt_mview._target(spec), state.refresh_job_id
            ) -%}
            {%- if state.lease_over or published -%}
                {%- do dbt_mview._recover_view(spec, state, dry_run) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {%- set spec = dbt_mview._spec_of_relation(dbt_mview._resolve(view)) -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
        {%- if state is none -%}
            {%- do dbt_mview._restore_row(spec, dry_run) -%}
        {%- elif state.lock_owner -%}
            {%- do dbt_mview._recover_view(spec, state, dry_run) -%}
        {%- else -%}
            {%- do print(spec.mview_id ~ ": no lock is held, nothing to recover") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


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
            spec.mview_id, "its lock changed hands while it was being recovered.", "Run again."
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
            spec.mview_id, "there is no state of it, and its table holds no refresh to restore from.",
            "Build it with `dbt run --select " ~ spec.identifier ~ "`."
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "recover", dbt_mview._restore_row_sql(spec, commit), {"id": invocation_id, "dry_run": dry_run}
    ) -%}
    {%- do print(spec.mview_id ~ ": state restored from version " ~ commit.version) -%}
{% endmacro %}
