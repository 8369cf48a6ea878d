{#
The lock before and while it is taken: NOWAIT, the intent that is written with it, the fence against
an older holder, and the short way for operations that refresh nothing.
#}
{#
A lock that is held ends this run at once (NOWAIT), unless its lease is over or its holder has
published: the publishing commit frees the view, the recording of it may follow. With on_lock `skip`
the run leaves the view to the other one, with `wait` it looks until the lock is free. A run of the
scheduler service does nothing that another run has done for the same plan, or is about to record.

Args: spec (on_lock, lock_wait), job. Sets job.holder; job.skip and job.left_to_other, or job.state
    where it has waited. Returns: bool, whether it has waited, so that the look begins anew.
Errors: another run is refreshing the view, after lock_wait too.
#}
{% macro _check_lock(spec, job) %}
    {%- set state = job.state -%}
    {#- Operations, as in hooks of the project, are of no plan. -#}
    {%- if spec.from_model and dbt_mview._is_plan_over(
        dbt_mview._refreshed_together(spec, state)
    ) -%}
        {%- set skip = "another run has carried out this plan" -%}
        {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
    {%- elif state is none or state.lock_owner is none -%} {{ return(false) }}
    {%- endif -%}
    {%- set published = dbt_mview._published(job.target, state.refresh_job_id) -%}
    {%- do job.update({"holder": dbt_mview._holder(state, published)}) -%}
    {#- A group is published as a whole: none of its members alone is left to another run. -#}
    {%- set alone = spec.from_model and not spec.refresh_group -%}
    {%- set planned = alone and dbt_mview._planned_due(spec.mview_id) is not none -%}
    {%- if planned and published is not none and not state.lease_over -%}
        {%- set skip = "another run (" ~ state.lock_owner ~ ") has just published it" -%}
        {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
    {%- endif -%}
    {%- if published is none and not state.lease_over and not job.force -%}
        {%- if spec.on_lock == "wait" and dbt_mview._wait_for_lock(spec, job) -%}
            {{ return(true) }}
        {%- endif -%}
        {%- do job.update({"refused": true}) -%}
        {%- if spec.on_lock == "skip" -%}
            {%- set run = state.lock_owner ~ ", since " ~ dbt_mview._iso(state.lock_time) -%}
            {%- set skip = "another run (" ~ run ~ ") is refreshing it" -%}
            {%- do job.update({"left_to_other": true, "skip": skip}) -%} {{ return(false) }}
        {%- endif -%}
        {%- do dbt_mview._raise_busy(
            "refreshing",
            spec.mview_id,
            state,
            "if that run is dead, free the view now with "
            ~ "`dbt run-operation mview_recover --args '{view: "
            ~ spec.mview_id
            ~ "}'`.",
        ) -%}
    {%- endif -%}
    {{ return(false) }}
{% endmacro %}


{#
Waits until the lock of a view is free, its lease is over or its holder has published, for at most
lock_wait seconds in all. Jinja cannot sleep; so the engine does, for two seconds each time.

Args: spec (lock_wait), job (state, holder). Sets job.wait_until, job.state.
Returns: bool, whether it is worth another look. Errors: the engine cannot sleep.
#}
{% macro _wait_for_lock(spec, job) %}
    {%- if job.wait_until is none -%}
        {%- set until = dbt_mview._now_micros() + spec.lock_wait * 1000000 -%}
        {%- do job.update({"wait_until": until}) -%}
        {%- do log(
            "dbt_mview: "
            ~ spec.mview_id
            ~ ": waits up to "
            ~ spec.lock_wait
            ~ " s for run "
            ~ job.holder.owner,
            info=true,
        ) -%}
    {%- endif -%}
    {%- set free = namespace(now=false) -%}
    {#- By the clock; the number of naps ends it where the clock stands still. -#}
    {%- for nap in range(spec.lock_wait)
        if not free.now and dbt_mview._now_micros() < job.wait_until -%}
        {%- set sql = "select java_method('java.lang.Thread', 'sleep', 2000L)" -%}
        {%- if not dbt_mview._succeeds("nap", sql) -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "on_lock is 'wait', and this engine has no java_method() to wait by.",
                "Set on_lock to 'skip' or 'fail'.",
            ) -%}
        {%- endif -%}
        {%- set state = dbt_mview._read_state(spec.mview_id) -%}
        {%- do job.update({"state": state}) -%}
        {%- if state is none or state.lock_owner is none or state.lease_over -%}
            {%- set free.now = true -%}
        {%- else -%}
            {%- set target_table = dbt_mview._target(spec, state) -%}
            {%- set done = dbt_mview._published(target_table, state.refresh_job_id) -%}
            {%- set free.now = done is not none -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(free.now) }}
{% endmacro %}


{#
What others need to know of a refresh that has not finished: the definition that it was about to
publish, the tables that it reads (a purge waits for them), the names of a rename chain, written
before the first rename, and what an earlier holder left that this one has yet to recover.
#}
{% macro _intent(spec, job) %}
    {%- set intent = {"definition": spec.definition, "spec": spec.stored} -%}
    {%- if job.reads -%} {%- do intent.update({"reads": job.reads.tables}) -%} {%- endif -%}
    {%- if job.holder -%}
        {%- set left = dict(job.holder) -%}
        {%- do left.pop("published", none) -%}
        {%- do intent.update({"holder": left}) -%}
    {%- endif -%}
    {%- if job.target.kind not in ["missing", "delta"] -%}
        {%- do intent.update(
            {
                "swap": {
                    "schema": spec.schema,
                    "identifier": spec.identifier,
                    "kind": job.target.kind,
                    "new": "dbt_mview_new_" ~ job.id,
                    "backup": "dbt_mview_backup_" ~ job.id,
                }
            }
        ) -%}
    {%- endif -%}
    {{ return(intent) }}
{% endmacro %}


{#
Fails what an older holder has in flight: Delta refuses a statement whose table got other
metadata while it ran. What such a holder sends later fails on its own guard, see _guard_sql. Not
done by an empty INSERT with a newer txnVersion: Delta records no commit without rows
(docs/decisions).
#}
{% macro _fence(spec, job) %}
    {%- if job.target.kind != "delta" -%} {{ return(none) }}{%- endif -%}
    {%- do dbt_mview._run("fence", dbt_mview._fence_sql(spec, job), job) -%}
{% endmacro %}


{# Args: spec, job (token). Returns: SQL text. #}
{% macro _fence_sql(spec, job) -%}
alter table {{ spec.name }} set tblproperties ('dbt_mview.fence' = '{{ job.token }}')
{%- endmacro %}


{#
The lock of a view for an operation that refreshes nothing: taken from the row as it was read, in
one try. What a dead holder left is still to be recovered then.

Args: spec, job (see _operation_job). Sets job.token, job.holder.
Errors: another run is refreshing the view; the lock changed hands meanwhile.
#}
{% macro _take_lock(spec, job) %}
    {%- if not dbt_mview._could_take_lock(spec, job) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its lock changed hands at this moment.",
            "Run again.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
As _take_lock, where the lock may have changed hands meanwhile. Returns: bool, whether it is ours.
#}
{% macro _could_take_lock(spec, job) %}
    {%- do dbt_mview._check_lock(spec, job) -%}
    {%- set token = dbt_mview._next_token(job) -%}
    {%- set outcome = dbt_mview._run("acquire", dbt_mview._acquire_sql(spec, job, token), job) -%}
    {%- set taken = job.dry_run or outcome[0][0] == "acquired" -%}
    {%- set row = none if taken else dbt_mview._read_state(spec.mview_id) -%}
    {%- if taken or dbt_mview._is_ours(row, job, token) -%}
        {%- do job.update({"token": token}) -%} {{ return(true) }}
    {%- endif -%}
    {{ return(false) }}
{% endmacro %}


{#
Args: spec, state (row of the view), dry_run (bool).
Returns: a job of an operation that has no definition to publish.
#}
{% macro _operation_job(spec, state, dry_run) %}
    {%- do spec.update({"definition": none, "stored": none, "schedule": none}) -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run) -%}
    {%- do job.update({"state": state, "target": dbt_mview._target(spec, state)}) -%}
    {{ return(job) }}
{% endmacro %}
