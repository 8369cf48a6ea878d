{#
A purge as the protocol reads, the job that goes through it, and the purge that a schedule asks for.
#}
{#
Deletes from a log what no view needs any more, as the protocol reads (docs/log.md). Batches, each
a commit of its own with the lock taken again; whatever ends it, the log still holds all changes
after the start that it names.

Args: mlog_id, job (see _purge_job). Sets job.log (see _find_log, or none: the log is gone, and
    passed over), job.rows, job.batches, job.stopped.
Errors: another run is purging the log; the log is gone; a row of state is missing; the engine's
    own.
#}
{% macro _purge(mlog_id, job) %}
    {%- if not job.row -%}
        {%- do job.update({"row": dbt_mview._read_log_row(mlog_id)}) -%}
    {%- endif -%}
    {%- do dbt_mview._inspect_purge(mlog_id, job) -%}
    {%- do dbt_mview._acquire_log(mlog_id, job) -%}
    {%- if job.token is none -%}
        {%- if job.log -%} {%- do dbt_mview._record_nothing(job.log, job) -%} {%- endif -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do dbt_mview._open_purge(job.log, job) -%}
    {%- do dbt_mview._note_purge(job.log, job) -%}
    {%- for _ in range(100000) if not job.ended -%}
        {%- do dbt_mview._purge_batch(job.log, job) -%}
    {%- endfor -%}
    {%- do dbt_mview._close_purge(job.log, job) -%}
    {%- if job.stopped -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ mlog_id
            ~ ": purge stopped before deleting all eligible rows due to lock conflict; "
            ~ "retry later"
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
A purge that begins.

Args: mlog_id, method (manual|automatic), batch_size (as given, or none for the var), dry_run,
    pass_over (bool: a log that is gone, or is being purged, is no error).
Returns: see _purge_record.
#}
{% macro _purge_job(mlog_id, method, batch_size=none, dry_run=false, pass_over=false) %}
    {{
        return(
            dbt_mview._purge_record(
                {
                    "id": local_md5(
                        invocation_id ~ mlog_id ~ "purge" ~ dbt_mview._time_in_run(mlog_id)
                    ),
                    "owner": invocation_id,
                    "dry_run": dry_run,
                    "method": method,
                    "pass_over": pass_over,
                    "batch_size": dbt_mview._purge_batch_size(batch_size),
                }
            )
        )
    }}
{% endmacro %}


{#
One purge of one log.

    begun by _purge_job
      id, dry_run, unique_id, run_text  see _bare_job
      owner                    invocation id
      method                   manual or automatic
      pass_over                a log that is gone, or is being purged, is no error
      batch_size               see _purge_batch_size
      plan                     what state is to hold of the schedule then, see _replan_sql
    found by _inspect_purge
      row                      of the log in state, as it was looked at
      log                      see _find_log; none: it is gone, and passed over
      safe                     see _safe_version
      needless                 nothing is to be purged
    taken by _acquire_log
      token                    of the lock
      refused                  another purge has the lock, and writes how it ends
      took_over                the lock was that of a dead purge
    noted by _purge_batch
      rows, batches            how many were deleted, in how many commits
      upto                     version where the last batch ended
      ended                    there is no further batch
      stopped                  the lock was lost
    noted by _purge_when_due and _fail_purge
      closed                   its end is in history

Args: values (mapping, some of these). Returns: mapping with all of them.
Errors: a key that is none of them.
#}
{% macro _purge_record(values) %}
    {%- set own = {
        "owner": none,
        "method": none,
        "pass_over": false,
        "batch_size": none,
        "plan": none,
        "row": none,
        "log": none,
        "safe": none,
        "needless": false,
        "token": none,
        "refused": false,
        "took_over": false,
        "rows": 0,
        "batches": 0,
        "upto": -1,
        "ended": false,
        "stopped": false,
        "closed": false,
    } -%}
    {%- set all = dict(dbt_mview._bare_job(), **own) -%}
    {{ return(dbt_mview._new_record("purge", all, values)) }}
{% endmacro %}


{#
The most data files that one batch of a purge removes.

Args: given (of the run-operation, or none for the var dbt_mview:purge_batch_size).
Returns: int, 1 to 1000000; the default of 100000 with a warning for anything else.
#}
{% macro _purge_batch_size(given=none) %}
    {%- set value = given -%}
    {%- if value is none -%}
        {%- set value = var("dbt_mview:purge_batch_size", 100000) -%}
    {%- endif -%}
    {%- set text = value | string | trim -%}
    {%- if dbt_mview._is_batch_size(text) -%} {{ return(text | int) }}{%- endif -%}
    {%- do exceptions.warn(
        "dbt_mview: the batch size '"
        ~ text
        ~ "' of a purge is no whole number from 1 to 1000000; 100000 is used."
    ) -%}
    {{ return(100000) }}
{% endmacro %}


{# Args: value (as given). Returns: bool, whether it is a whole number from 1 to 1000000. #}
{% macro _is_batch_size(value) %}
    {%- set text = value | string | trim -%}
    {%- set counts = modules.re.compile("[0-9]{1,7}").fullmatch(text) -%}
    {{ return(counts is not none and 1 <= text | int <= 1000000) }}
{% endmacro %}


{#
The purge that a log's config plans: writes a new plan down, and purges when its time has come.
Where another run is purging the log at this moment, that run does it.

Args: spec (mlog_id, schedule), row (of state). Errors: as _purge.
#}
{% macro _purge_when_due(spec, row) %}
    {%- set began = dbt_mview._now_micros() -%}
    {%- if row.schedule != spec.schedule -%}
        {%- set next = dbt_mview._first_time(spec.schedule) -%}
        {%- set plan = dbt_mview._next_plan(spec.schedule, next, began) -%}
        {%- do dbt_mview._replan_log(spec.mlog_id, dbt_mview._purge_record({"plan": plan})) -%}
    {%- elif dbt_mview._time_has_come(row) and not dbt_mview._is_held_back(row) -%}
        {%- if row.lock_owner and not row.lease_over -%}
            {%- do exceptions.warn(
                "dbt_mview: "
                ~ spec.mlog_id
                ~ ": another run is purging it, this one does not"
            ) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- set job = dbt_mview._purge_job(spec.mlog_id, "automatic") -%}
        {#- Where it fails, on-run-end finds it here, see _failed_purge. -#}
        {%- set purges = dbt_mview._memory().purges -%}
        {%- do purges.update({model.unique_id: {"log_": {"mlog_id": spec.mlog_id}, "job": job}}) -%}
        {%- set next = dbt_mview._following_time(spec.mlog_id, row.schedule, row.next_time) -%}
        {%- set plan = dbt_mview._next_plan(row.schedule, next, began) -%}
        {%- do job.update({"row": row, "plan": plan}) -%}
        {%- do dbt_mview._purge(spec.mlog_id, job) -%}
        {%- do job.update({"closed": true}) -%}
    {%- endif -%}
{% endmacro %}


{# Step schedule: the plan of a log. Args: mlog_id, job (plan, see _replan_sql). #}
{% macro _replan_log(mlog_id, job) %}
    {%- set sql = (
        "update "
        ~ dbt_mview._log_info_table()
        ~ "\nset\n    "
        ~ dbt_mview._replan_sql(job.plan)
        ~ "\nwhere mlog_id = "
        ~ dbt_mview._literal(mlog_id)
    ) -%}
    {%- do dbt_mview._run("schedule", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}
