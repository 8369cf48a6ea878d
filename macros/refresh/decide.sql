{#
Step decide: ONE commit in state that says for all members of a refresh group that they will be
published, how, and that their locks are held. Whoever recovers one of them later publishes it
from its stage; without this commit it is undone.

Args: jobs (list, staged and audited). Sets job.decided. Errors: «lock lost».
#}
{% macro _decide(jobs) %}
    {%- set sql = dbt_mview._retry_on_conflict_sql(dbt_mview._decide_sql(jobs)) -%}
    {%- do dbt_mview._run("decide", sql, jobs[0]) -%}
    {%- for job in jobs -%} {%- do job.update({"decided": true}) -%} {%- endfor -%}
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
        "doubts",
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
        {%- do redo.update({key: job.get(key)}) -%}
    {%- endfor -%}
    {%- set shape = dict(job.fast or {}) -%}
    {%- for key in ["terms", "changes"] -%} {%- do shape.pop(key, none) -%} {%- endfor -%}
    {{ return(dict(redo, fast=shape or none)) }}
{% endmacro %}


{#
Publishes what a dead run had decided to, under that run's id and token and the new holder's lock.
Not where the view was dropped since, nor under --full-refresh, which builds the view anew whatever
was to be published.

Args: spec, job (of the new holder), holder. Sets job.target. Returns: bool, whether it did.
Errors: the engine's own, as where the stage is gone; --full-refresh is the way out.
#}
{% macro _publish_decided(spec, job, holder) %}
    {%- set redo = (holder.intent or {}).get("redo") -%}
    {%- set moot = spec.full_refresh or job.target.kind != "delta" -%}
    {%- if not redo or moot or redo.publish == "nothing" -%} {{ return(false) }}
    {%- elif dbt_mview._published(job.target, holder.job_id) -%} {{ return(false) }}
    {%- endif -%}
    {%- set stored = holder.intent.spec -%}
    {%- set was = dict(spec, layout=stored.layout, description=stored.description) -%}
    {#- Under the old token: the new holder publishes as well, and Delta drops what has its own. -#}
    {%- set token = redo.get("token") or job.token - 1 -%}
    {%- set mine = {"lock_token": job.token, "lock_id": job.id, "dry_run": job.dry_run} -%}
    {%- set again = dict(redo, token=token, **mine) -%}
    {%- do dbt_mview._alter(was, again) -%}
    {%- do dbt_mview._run("publish", dbt_mview._publish_sql(was, again), again) -%}
    {%- do job.update({"target": dbt_mview._target(spec, job.state)}) -%}
    {{ return(true) }}
{% endmacro %}
