{#
One end of a refresh.

Args: mview_id, job_id, owner (invocation id), token (the lock's, or none if it never had one),
    result (success|failed), type (complete|fast|skip or none), plan (see _reschedule), release
    (bool: the lock goes), charge (bool: a failure counts; the same for all that are written at
    once), seen (last_refresh_time of the row that it went by, asked of skips and of failures
    without a lock), others as the columns of state.
Returns: mapping.
#}
{% macro _outcome(mview_id, job_id, owner, token, result, type) %}
    {%- set outcome = {
        "mview_id": mview_id, "job_id": job_id, "owner": owner, "token": token, "result": result,
        "type": type, "release": true, "method": type, "reason": none,
        "failed_reason": none, "started": none, "ended": none, "rows": none, "sources": none,
        "read_time": none, "target_version": none, "definition": none, "definition_hash": none,
        "spec": none, "invocation_id": owner, "refresh_group": none, "plan": none, "seen": none,
        "charge": true
    } -%}
    {%- do outcome.update(kwargs) -%}
    {{ return(outcome) }}
{% endmacro %}
