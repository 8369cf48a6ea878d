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
    {%- set how = {"excuse": reason, "charge": charge} -%}
    {%- if owner is not none -%} {%- do dbt_mview._recover_owner(owner, how, dry_run) -%}
    {%- elif view in [none, "all"] -%}
        {%- for id, state in dbt_mview._read_states().items() if state.lock_owner -%}
            {%- set relation = dbt_mview._relation_of_state(id, state) -%}
            {%- set spec = dbt_mview._spec_of_relation(relation) -%}
            {%- set published = dbt_mview._published(
                dbt_mview._target(spec, state), state.refresh_job_id
            ) -%}
            {%- if state.lease_over or published -%}
                {%- do dbt_mview._recover_view(spec, state, how, dry_run) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {%- set spec = dbt_mview._spec_of_relation(dbt_mview._resolve(view)) -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
        {%- if state is none -%} {%- do dbt_mview._restore_row(spec, dry_run) -%}
        {%- elif state.lock_owner -%} {%- do dbt_mview._recover_view(spec, state, how, dry_run) -%}
        {%- else -%} {%- do print(spec.mview_id ~ ": no lock is held, nothing to recover") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
