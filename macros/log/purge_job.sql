{#
A purge that begins.

Args: mlog_id, method (manual|automatic), batch_size (as given, or none for the var), dry_run,
    pass_over (bool: a log that is gone, or is being purged, is no error).
Returns: mapping that the steps fill in; plan: what state is to hold of the schedule afterwards, see
    _replan_sql.
#}
{% macro _purge_job(mlog_id, method, batch_size=none, dry_run=false, pass_over=false) %}
    {{
        return(
            {
                "id": local_md5(
                    invocation_id ~ mlog_id ~ "purge" ~ dbt_mview._time_in_run(mlog_id)
                ),
                "owner": invocation_id,
                "dry_run": dry_run,
                "method": method,
                "pass_over": pass_over,
                "row": none,
                "log": none,
                "plan": none,
                "batch_size": dbt_mview._purge_batch_size(batch_size),
                "token": none,
                "took_over": false,
                "rows": 0,
                "batches": 0,
                "upto": -1,
                "ended": false,
                "stopped": false,
                "closed": false,
            }
        )
    }}
{% endmacro %}
