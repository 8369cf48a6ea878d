{#
Takes a view back to what one of its refreshes published, in one commit that carries the sources of
that refresh, so that the next one goes on from there.

Args: view (as mview_refresh), timestamp (as for as_of: the refresh that was the newest then),
    version (of the view, in place of a time), cascade (bool: also each view that has read a later
    version of it, to its newest refresh that had not), hold (bool: runs skip what was restored,
    until mview_refresh or --full-refresh), dry_run (bool: print the plan and the statements).
Errors: the version is no refresh of the view, or cannot be read; a view belongs to a refresh group;
    no refresh of a view is old enough; another run is refreshing it.
Example: dbt run-operation mview_restore --args '{view: orders_daily, timestamp: -1 hour}'
#}
{% macro mview_restore(
    view, timestamp=none, version=none, cascade=false, hold=true, dry_run=false
) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set relation = dbt_mview._resolve(view) -%}
    {%- set id = dbt_mview._mview_id(relation) -%}
    {%- if (timestamp is none) == (version is none) -%}
        {%- do dbt_mview._raise(
            id, "mview_restore takes a timestamp or a version.", "Give one."
        ) -%}
    {%- endif -%}
    {%- set plan = dbt_mview._restore_plan(id, timestamp, version, cascade) -%}
    {#- Whatever is wrong with one of them is said before anything is done. -#}
    {%- for one in plan -%} {%- do dbt_mview._check_restorable(one) -%} {%- endfor -%}
    {%- for one in plan -%}
        {%- if dry_run -%}
            {%- do print(one.id ~ ": to " ~ dbt_mview._version_text(one.commit)) -%}
        {%- endif -%}
        {%- do dbt_mview._restore_view(one, hold, dry_run) -%}
    {%- endfor -%}
{% endmacro %}


{# Args: one (see _restore_plan). Errors: it cannot be restored by itself, or not be read. #}
{% macro _check_restorable(one) %}
    {%- set group = (one.state.spec or {}).get("refresh_group") -%}
    {%- if group -%}
        {%- do dbt_mview._raise(
            one.id,
            "it belongs to refresh_group '"
            ~ group
            ~ "', whose members are published together.",
            "Take it out of the group first, or refresh the group.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._check_definition(
        dbt_mview._relation_of_state(one.id, one.state), one.state
    ) -%}
    {%- set pin = dbt_mview._readable_pin(one.id, one.commits, one.commit.version) -%}
    {%- do one.update({"read": pin.version}) -%}
{% endmacro %}


{#
One view, under its lock, as a COMPLETE publish of the rows that its older version has. Sources and
definition_hash are those of that refresh, so that locks, recovery and mview_verify go by them. It
is not audited again.

Args: one (see _restore_plan), hold, dry_run (bools).
Errors: as _take_lock; the engine's own.
#}
{% macro _restore_view(one, hold, dry_run) %}
    {%- set spec = dbt_mview._spec_from_state(
        dbt_mview._relation_of_state(one.id, one.state), one.state
    ) -%}
    {%- set what = dbt_mview._version_text(one.commit) -%}
    {%- set today, then = (spec.stored or {}).get("today"), one.commit.meta.get("today") -%}
    {%- set alike = today and then and today.places == then.places -%}
    {%- if alike and today.get("moments") == then.get("moments") -%}
        {#- The same query as of its own time, whose hash it has. -#}
        {%- set definition = dbt_mview._redated(spec.definition, then, then) -%}
        {%- set stored = dict(spec.stored, today=then) -%}
        {%- do spec.update({"definition": definition, "stored": stored}) -%}
    {%- endif -%}
    {%- if hold -%} {%- do spec.update({"stored": dict(spec.stored, held=what)}) -%} {%- endif -%}
    {%- do spec.update(
        {
            "refresh": "complete",
            "audit": [],
            "unique_key": [],
            "on_schema_change": "sync_all_columns",
        }
    ) -%}
    {%- do dbt_mview._memory().states.update({one.id: one.state}) -%}
    {%- set job = dbt_mview._job(spec, one.id, dry_run=dry_run, record_now=true) -%}
    {%- set meta = one.commit.meta -%}
    {%- do job.update(
        {
            "target": dbt_mview._target(spec, one.state),
            "reason": dbt_mview._reason("restored", what),
            "sources": meta.sources,
            "definition_hash": meta.definition_hash,
            "read_time": meta.read_time,
            "query": "select * from " ~ spec.name ~ " version as of " ~ one.read,
        }
    ) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {#- What a dead run left is ended first, without a look at what there is to refresh. -#}
    {%- do dbt_mview._recover(dict(spec, definition=none), job) -%}
    {%- do job.update({"target": dbt_mview._target(spec, one.state), "holder": none}) -%}
    {%- do dbt_mview._plan(spec, job) -%}
    {%- do dbt_mview._finish(spec, job) -%}
    {%- if not dry_run -%}
        {%- set held = "; runs skip it until mview_refresh or --full-refresh" if hold else "" -%}
        {%- do print(one.id ~ ": " ~ dbt_mview._result_text(job) ~ held) -%}
    {%- endif -%}
{% endmacro %}
