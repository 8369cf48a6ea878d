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
