{#
The refresh group: its members meet at a barrier, one commit decides that all are published (step
decide), and what a dead run had decided is published from the stages.
#}
{#
Step decide: ONE commit in state that says for all members of a refresh group that they will be
published, how, and that their locks are held. A run that recovers one of them later publishes it
from its stage; without this commit it undoes it.

Args: jobs (list, staged and audited). Sets job.commit_decided. Errors: «lock lost».
#}
{% macro _decide(jobs) %}
    {%- set sql = dbt_mview._retry_on_conflict_sql(dbt_mview._decide_sql(jobs)) -%}
    {%- do dbt_mview._run("decide", sql, jobs[0]) -%}
    {%- for job in jobs -%} {%- do job.update({"commit_decided": true}) -%} {%- endfor -%}
{% endmacro %}


{#
A member of a refresh group has come as far as it can alone: the last one to do so publishes all.

Args: spec, job. Errors: as _publish_group.
#}
{% macro _group_barrier(spec, job) %}
    {%- if not spec.refresh_group -%} {{ return(none) }}{%- endif -%}
    {%- set group = dbt_mview._group(spec.refresh_group) -%}
    {%- do group.arrived.append(job) -%}
    {%- set all_here = group.arrived | length == group.members | length -%}
    {#- Two that arrive at the same moment both see all; setdefault lets one of them win. -#}
    {%- if all_here and group.setdefault("leader", job.id) == job.id -%}
        {%- set jobs = group.arrived | selectattr("waits") | list -%}
        {#- One alone needs no decision: if it fails, its own node fails. -#}
        {%- if jobs | length == 1 -%} {%- do group.update({"alone": jobs[0]}) -%} {%- endif -%}
        {%- do dbt_mview._publish_group(jobs) -%}
        {%- do group.update({"published": true, "alone": none}) -%}
    {%- endif -%}
{% endmacro %}


{#
Publishes staged views one after the other, after one commit has decided that all of them will be.
A view alone needs no decision: its publish is one.

Args: jobs (list). Errors: a lock was lost before the decision: nothing is published.
#}
{% macro _publish_group(jobs) %}
    {%- if jobs | length > 1 -%} {%- do dbt_mview._decide(jobs) -%} {%- endif -%}
    {%- for job in jobs -%} {%- do dbt_mview._finish(job.spec, job) -%} {%- endfor -%}
{% endmacro %}


{#
What it takes to publish a staged refresh without its run.

Args: job. Returns: mapping, a part of the job.
#}
{% macro _redo(job) %}
    {%- set redo = {"target": {"history": [{"version": job.target.history[0].version}]}} -%}
    {%- for key in [
        "id",
        "token",
        "owner",
        "publish",
        "columns",
        "query",
        "bounds",
        "undecided",
        "staged",
        "deferred",
        "method",
        "reason",
        "started",
        "read_time",
        "sources",
        "definition_hash",
        "alterations",
    ] -%}
        {%- do redo.update({key: job[key]}) -%}
    {%- endfor -%}
    {%- do redo.update({"reason": dbt_mview._reason_of_job(job)}) -%}
    {#- Of the delta plan not what only staging needs, nor what has nothing to say. -#}
    {%- set fast = {} -%}
    {%- set always = ["reason", "strategy", "keys", "values", "one_row"] -%}
    {%- for key, value in (job.fast or {}).items() if value or key in always -%}
        {%- if key not in ["terms", "changes", "derived", "dated", "first_rows"] -%}
            {%- do fast.update({key: value}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dict(redo, fast=fast or none)) }}
{% endmacro %}


{#
Publishes what a dead run had decided to, under that run's id and token and the new holder's lock.
Not if the view was dropped since, nor under --full-refresh, which rebuilds the view anyway.

Args: spec, job (of the new holder), holder. Sets job.target. Returns: bool, whether it did.
Errors: the engine's own, as if the stage is gone; --full-refresh is the way out.
#}
{% macro _publish_decided(spec, job, holder) %}
    {%- set redo = dbt_mview._decision_of_older((holder.intent or {}).get("redo")) -%}
    {%- set moot = spec.full_refresh or job.target.kind != "delta" -%}
    {%- if not redo or moot or redo.publish == "nothing" -%} {{ return(false) }}
    {%- elif dbt_mview._published(job.target, holder.job_id) -%} {{ return(false) }}
    {%- endif -%}
    {%- set stored = holder.intent.spec -%}
    {%- set was = dict(spec, layout=stored.layout, description=stored.description) -%}
    {#- Under the old token: the new holder publishes as well, and Delta drops what has its own. -#}
    {%- set token = redo.get("token") or job.token - 1 -%}
    {%- set mine = {
        "asserted_token": job.token, "asserted_job_id": job.id, "dry_run": job.dry_run
    } -%}
    {%- set known = dbt_mview._known_keys(dbt_mview._job_record({}), redo) -%}
    {%- if redo.get("fast") -%}
        {%- set plan = dbt_mview._delta_plan_record({}) -%}
        {%- do plan.update(dbt_mview._known_keys(plan, redo.fast)) -%}
        {%- do known.update({"fast": plan}) -%}
    {%- endif -%}
    {%- set reason = dbt_mview._reason("said_before", redo.reason) if redo.reason else none -%}
    {%- set again = dbt_mview._job_record(dict(known, token=token, reason=reason, **mine)) -%}
    {%- do dbt_mview._alter(was, again) -%}
    {%- do dbt_mview._run("publish", dbt_mview._publish_sql(was, again), again) -%}
    {%- do job.update({"target": dbt_mview._target(spec, job.state)}) -%}
    {{ return(true) }}
{% endmacro %}


{#
A decision in the words of this release: an older one named two keys and kinds of values otherwise.

Args: redo (see _redo, from JSON; or none). Returns: mapping, or none.
#}
{% macro _decision_of_older(redo) %}
    {%- set redo = dict(redo or {}) -%}
    {%- if "doubts" in redo -%}
        {%- do redo.update({"undecided": redo.pop("doubts")}) -%}
    {%- endif -%}
    {%- if not redo.get("fast") -%} {{ return(redo or none) }}{%- endif -%}
    {%- set stored = dict(redo.fast) -%}
    {%- set kinds = {"mean": "average", "wide_sum": "overflowable_sum", "other": "holistic"} -%}
    {%- set values = {} -%}
    {%- for column, kind in stored["values"].items() -%}
        {%- do values.update({column: kinds.get(kind, kind)}) -%}
    {%- endfor -%}
    {%- do stored.update({"values": values}) -%}
    {%- if "means" in stored -%}
        {%- do stored.update({"averages": stored.pop("means")}) -%}
    {%- endif -%}
    {{ return(dict(redo, fast=stored)) }}
{% endmacro %}


{#
The decision to publish a group of views, in their own rows: all of them or, where one lock was
lost, none.

Args: jobs (list). Returns: SQL text.
#}
{% macro _decide_sql(jobs) %}
    {%- set ids = jobs | map(attribute="spec.mview_id") | list -%}
    {%- set rows = [] -%}
    {%- for job in jobs -%}
        {%- set intent = dict(dbt_mview._intent(job.spec, job), redo=dbt_mview._redo(job)) -%}
        {%- set row = [
            dbt_mview._literal(job.spec.mview_id), job.token, dbt_mview._literal(job.id),
            dbt_mview._json_literal(intent),
        ] -%}
        {%- do rows.append("        (" ~ row | join(", ") ~ ")") -%}
    {%- endfor -%}
    {%- set lost = "raise_error('dbt_mview: lock lost: another run took over the refresh of ' || "
        ~ "s.mview_id || ', nothing of its refresh_group was published by this one')" -%}
merge into {{ dbt_mview._info_table() }} as t
using (
    select *
    from values
{{ rows | join(",\n") }}
        as decided (mview_id, token, job_id, intent)
) as s
on t.mview_id = s.mview_id and t.mview_id in ({{ dbt_mview._literals(ids) }})
when matched then update set
    intent = case
        when t.lock_token = s.token and t.refresh_job_id = s.job_id then s.intent
        else {{ lost }}
    end
when not matched then insert (mview_id) values ({{ lost }})
{%- endmacro %}
