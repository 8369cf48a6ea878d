{#
Ends what a dead run left: takes its lock, fences it, records what it published or undoes it,
frees the view. Restores a lost state row from the view's own history. Safe while the owner is
alive: its publish then fails.

Args: view (as mview_refresh: at once, whatever the lease says; or 'all', or none: every view whose
    lease is over or whose holder has published), owner (the invocation id of a dbt run, in place of
    view: at once all that it holds, views and logs that it was purging; nothing is no error),
    reason (why it did not finish, or none), charge (bool: false where it is not the view's fault:
    what was not published is no failure of it, and it is due as before), dry_run (bool: print the
    statements).
Errors: both view and owner are given; no such view.
Example: dbt run-operation mview_recover --args '{view: orders_daily}'
#}
{% macro mview_recover(view=none, owner=none, reason=none, charge=true, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if view is not none and owner is not none -%}
        {%- do dbt_mview._raise("mview_recover", "it takes a view or an owner.", "Name one.") -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set how = {"unfinished_reason": reason, "counts_as_failure": charge} -%}
    {%- if owner is not none -%} {%- do dbt_mview._recover_owner(owner, how, dry_run) -%}
    {%- elif view in [none, "all"] -%}
        {%- set begun = [] -%}
        {%- for id, state in dbt_mview._read_states().items() if state.lock_owner -%}
            {%- set relation = dbt_mview._relation_of_state(id, state) -%}
            {%- set spec = dbt_mview._spec_of_relation(relation) -%}
            {%- set published = dbt_mview._published(
                dbt_mview._target(spec, state), state.refresh_job_id
            ) -%}
            {%- if state.lease_over or published -%}
                {%- do begun.append(id) -%}
                {%- do dbt_mview._recover_view(spec, state, how, dry_run) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if not begun -%}
            {%- do print("mview_recover: no dead run holds a view") -%}
        {%- endif -%}
    {%- else -%}
        {%- set spec = dbt_mview._spec_of_relation(dbt_mview._resolve(view)) -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
        {%- if state is none -%} {%- do dbt_mview._restore_row(spec, dry_run) -%}
        {%- elif state.lock_owner -%} {%- do dbt_mview._recover_view(spec, state, how, dry_run) -%}
        {%- else -%} {%- do print(spec.mview_id ~ ": no lock is held, nothing to recover") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{#
Restores the row of a built view from the newest refresh in the view's own history.

Args: spec, dry_run. Errors: the history holds no refresh.
#}
{% macro _restore_row(spec, dry_run) %}
    {%- set commit = dbt_mview._newest_data_commit(dbt_mview._target(spec)) -%}
    {%- if not commit or not commit.meta or commit.meta.get("mview_id") != spec.mview_id -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "state has no row of it, and no table of it to restore one from.",
            "Build it with `dbt run --select "
            ~ dbt_mview._model_name(spec.mview_id)
            ~ "`.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "recover",
        dbt_mview._restore_row_sql(spec, commit),
        dbt_mview._bare_job(dry_run),
    ) -%}
    {%- if not dry_run -%}
        {%- do print(spec.mview_id ~ ": state restored from version " ~ commit.version) -%}
    {%- endif -%}
{% endmacro %}


{#
The row of a view as its own newest refresh says, if there is none.

Args: spec, commit (with meta, see _publish_meta). Returns: SQL text.
#}
{% macro _restore_row_sql(spec, commit) %}
    {%- set meta = commit.meta -%}
    {%- set outcome = dbt_mview._outcome(
        spec.mview_id, meta.refresh_job_id, none, meta.lock_token, "success", meta.method,
        sources=meta.sources, read_time=meta.read_time, target_version=commit.version,
        definition_hash=meta.definition_hash
    ) -%}
merge into {{ dbt_mview._info_table() }} as t
using (
{{ dbt_mview._outcomes_sql([outcome]) }}
) as s
on t.mview_id = s.mview_id and t.mview_id = {{ dbt_mview._literal(spec.mview_id) }}
when not matched then insert
    (mview_id, definition_hash, sources, last_successful_refresh_read_time, last_refresh_result,
    last_refresh_type, last_refresh_time, target_version, lock_token, refresh_job_id)
    values (
        s.mview_id, s.definition_hash, s.sources, s.read_time, s.result, s.type,
        {{ dbt_mview._timestamp(commit.commit_time) }}, s.target_version, s.token, s.job_id
    )
{%- endmacro %}
