{#
A purge that begins.

Args: log_, method (manual|automatic), batch_size (as given, or none for the var), dry_run.
Returns: mapping that the steps fill in; plan: what state is to hold of the schedule afterwards, see
    _replan_sql.
#}
{% macro _purge_job(log_, method, batch_size=none, dry_run=false) %}
    {{
        return(
            {
                "id": local_md5(invocation_id ~ log_.mlog_id ~ "purge"),
                "owner": invocation_id,
                "dry_run": dry_run,
                "method": method,
                "plan": none,
                "batch_size": dbt_mview._purge_batch_size(batch_size),
                "token": none,
                "took_over": false,
                "rows": 0,
                "batches": 0,
                "upto": -1,
                "ended": false,
                "stopped": false,
            }
        )
    }}
{% endmacro %}
