{# Recovers one view, or all that one invocation holds, for mview_recover. #}
{#
Recovers a view whose lock is held, and frees it.

Args: spec, state (its row), how (mapping unfinished_reason, counts_as_failure: see
    _job_record), dry_run (bool).
Errors: somebody else took the lock meanwhile.
#}
{% macro _recover_view(spec, state, how, dry_run) %}
    {%- set job = dbt_mview._recovery(spec, state, how, dry_run) -%}
    {%- do dbt_mview._take_lock(spec, job) -%}
    {%- do dbt_mview._recover(spec, job) -%}
{% endmacro %}


{# Args: see _recover_view. Returns: a job that takes the lock whatever the lease says. #}
{% macro _recovery(spec, state, how, dry_run) %}
    {%- set job = dbt_mview._operation_job(spec, state, dry_run) -%}
    {%- do job.update(
        {
            "force": true,
            "release_after_recover": true,
            "unfinished_reason": how.unfinished_reason,
            "counts_as_failure": how.counts_as_failure,
        }
    ) -%}
    {{ return(job) }}
{% endmacro %}


{#
Ends what one dbt invocation holds. The logs come first, and last those views whose refresh group
had decided to publish: only they run the query of a user, which may fail, and an error ends the
rest.

Args: owner (invocation id), how (mapping unfinished_reason, counts_as_failure: see
    _job_record), dry_run (bool).
Errors: a lock could not be taken in 20 tries; the engine's own.
#}
{% macro _recover_owner(owner, how, dry_run) %}
    {%- set logs = dbt_mview._logs_held_by(owner, dry_run) -%}
    {%- for row in logs -%}
        {%- do dbt_mview._recover_log(row, owner, how, dry_run) -%}
    {%- endfor -%}
    {%- set early, late = {}, {} -%}
    {%- for id, state in dbt_mview._read_states(held_by=owner).items() -%}
        {%- if dbt_mview._is_held_for(state, owner) -%}
            {%- set decided = dbt_mview._predecessors(state) | selectattr(
                "intent.redo", "defined"
            ) -%}
            {%- do (late if decided | list else early).update({id: state}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for id, state in dict(early, **late).items() -%}
        {%- do dbt_mview._recover_held(id, state, owner, how, dry_run) -%}
    {%- endfor -%}
    {%- if not (logs or early or late) -%}
        {%- do print(owner ~ ": holds no lock, nothing to recover") -%}
    {%- endif -%}
{% endmacro %}


{#
Whether a lock is held by an invocation, or by an operation that took it over from there and did not
get to its end: then who asks again for the first finishes it.

Args: state (row), owner (invocation id). Returns: bool.
#}
{% macro _is_held_for(state, owner) %}
    {%- set newest = dbt_mview._holder(state) -%}
    {%- for holder in dbt_mview._predecessors(newest) | reverse -%}
        {%- if holder.owner == owner -%} {{ return(true) }}
        {%- elif not dbt_mview._is_operation(holder) -%} {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# A view, unless it changes hands. Args: id, state (row), others as _recover_owner. #}
{% macro _recover_held(id, state, owner, how, dry_run) %}
    {%- set now = {"state": state, "ended": false} -%}
    {%- for attempt in range(20) if not now.ended -%}
        {%- if attempt > 0 -%}
            {%- do now.update({"state": dbt_mview._read_state(id)}) -%}
        {%- endif -%}
        {%- if now.state is none or not dbt_mview._is_held_for(now.state, owner) -%}
            {%- do now.update({"ended": true}) -%}
        {%- else -%}
            {%- set relation = dbt_mview._relation_of_state(id, now.state) -%}
            {%- set spec = dbt_mview._spec_of_relation(relation) -%}
            {%- set job = dbt_mview._recovery(spec, now.state, how, dry_run) -%}
            {%- do now.update({"ended": dbt_mview._could_take_lock(spec, job)}) -%}
            {%- if now.ended -%} {%- do dbt_mview._recover(spec, job) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not now.ended -%}
        {%- do dbt_mview._raise(
            id, "its lock could not be taken in 20 tries.", "Run the recovery again."
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
A log that is being purged: history says how that ended before its lock goes.

Args: row (mapping mlog_id, lock_token), others as _recover_owner.
#}
{% macro _recover_log(row, owner, how, dry_run) %}
    {%- set job = dbt_mview._purge_record(
        {
            "id": invocation_id,
            "owner": owner,
            "dry_run": dry_run,
            "token": row.lock_token,
        }
    ) -%}
    {%- for sql in [
        dbt_mview._end_dead_purges_sql(row, how.unfinished_reason),
        dbt_mview._free_log_sql(row, job, whole=false, failed=how.counts_as_failure),
    ] -%}
        {%- do dbt_mview._run("close_purge", dbt_mview._retry_on_conflict_sql(sql), job) -%}
    {%- endfor -%}
    {%- if not dry_run -%}
        {%- do log("dbt_mview: " ~ row.mlog_id ~ ": ended the purge of run " ~ owner, info=true) -%}
    {%- endif -%}
{% endmacro %}
