{#
Refreshes a view, or all views of a refresh group together, from the stored definitions, without the
models.

Args: view (model name, schema.identifier or mview_id), method (auto|complete|fast; complete
    also when nothing changed), group (name, in place of view), dry_run (bool: print the
    statements).
Errors: as the refresh; the view has no stored definition, or belongs to a group; no such group.
Example: dbt run-operation mview_refresh --args '{view: orders_daily, method: complete}'
#}
{% macro mview_refresh(view=none, method="auto", group=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- do dbt_mview._begin_run_as_of() -%}
    {%- if (view is none) == (group is none) -%}
        {%- do dbt_mview._raise(
            "mview_refresh",
            "it takes a view or a group.",
            "Name one, as in --args '{view: orders_daily}' or '{group: sales}'.",
        ) -%}
    {%- endif -%}
    {%- set members = (
        dbt_mview._stored_members(group)
        if group is not none
        else [dbt_mview._stored_view(view)]
    ) -%}
    {%- set jobs = [] -%}
    {%- for relation, state in members -%}
        {%- do jobs.append(
            dbt_mview._refresh_from_state(relation, state, method, group, dry_run)
        ) -%}
    {%- endfor -%}
    {%- if group is not none -%}
        {%- do dbt_mview._publish_group(jobs | selectattr("waits") | list) -%}
        {%- set outcomes = dbt_mview._memory().outcomes.values() | list -%}
        {%- do dbt_mview._write_outcomes(outcomes, jobs[0]) -%}
    {%- endif -%}
    {%- for job in jobs -%}
        {%- if job.skip or not dry_run -%}
            {%- do print(job.spec.mview_id ~ ": " ~ dbt_mview._result_text(job)) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}


{# Args: view (as mview_refresh). Returns: pair of its Relation and its row of state (or none). #}
{% macro _stored_view(view) %}
    {%- set relation = dbt_mview._resolve(view) -%}
    {{ return([relation, dbt_mview._read_state(dbt_mview._mview_id(relation))]) }}
{% endmacro %}


{#
The members of a group. Others that share state may have one of the same name: theirs is meant only
if there is none here.

Args: group (name). Returns: list of such pairs, by name.
Errors: state knows none, or several of others.
#}
{% macro _stored_members(group) %}
    {%- set by_owner = {} -%}
    {%- for id, state in dbt_mview._read_states() | dictsort -%}
        {%- if (state.spec or {}).get("refresh_group") == group -%}
            {%- set owner = dbt_mview._owner_of(state) | join(".") -%}
            {%- do by_owner.setdefault(owner, []).append(
                [dbt_mview._relation_of_state(id, state), state]
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set mine = dbt_mview._owner_of() | join(".") -%}
    {%- set found = by_owner.get(mine, by_owner.values() | sum(start=[])) -%}
    {%- if by_owner | length > 1 and mine not in by_owner -%}
        {%- do dbt_mview._raise(
            "refresh_group '" ~ group ~ "'",
            "state knows several, of " ~ by_owner.keys() | sort | join(", ") ~ ".",
            "Use the project and the target of the one you mean.",
        ) -%}
    {%- elif not found -%}
        {%- do dbt_mview._raise(
            "refresh_group '" ~ group ~ "'",
            "state knows no view of it.",
            "Build its views once with `dbt run --select config.refresh_group:"
            ~ group
            ~ "`.",
        ) -%}
    {%- endif -%}
    {{ return(found) }}
{% endmacro %}


{#
One refresh from what state holds, without the model.

Args: relation, state (its row, or none), method (see mview_refresh), group (string, or none where
    the view is refreshed alone), dry_run (bool).
Returns: job. Errors: as the refresh; the view has no stored definition; it belongs to a group.
#}
{% macro _refresh_from_state(relation, state, method, group, dry_run) %}
    {%- do dbt_mview._check_definition(relation, state) -%}
    {%- set spec = dbt_mview._spec_from_state(relation, state) -%}
    {%- if spec.refresh_group != group -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "it belongs to refresh_group '" ~ spec.refresh_group ~ "'.",
            "Refresh all of it: dbt run-operation mview_refresh --args '{group: "
            ~ spec.refresh_group
            ~ "}'.",
        ) -%}
    {%- endif -%}
    {%- set asked = dbt_mview._refresh_method(spec, method) -%}
    {%- do spec.update({"asked": asked == "complete"}) -%}
    {%- if asked != "auto" -%} {%- do spec.update({"refresh": asked}) -%} {%- endif -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run, record_now=true) -%}
    {#- A group is recorded in one commit, by mview_refresh. -#}
    {%- do job.update({"record_now": group is none}) -%}
    {%- do dbt_mview._look(spec, job) -%}
    {%- if not job.skip -%} {%- do dbt_mview._refresh(spec, job) -%} {%- endif -%}
    {%- if job.skip -%} {%- do dbt_mview._record_skip(spec, job) -%} {%- endif -%}
    {{ return(job) }}
{% endmacro %}
