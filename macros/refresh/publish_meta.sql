{#
What the commit says of itself: enough to record the refresh if its run dies right after.

Args: spec, job. Returns: mapping.
#}
{% macro _publish_meta(spec, job) %}
    {{
        return(
            {
                "dbt_mview": {
                    "mview_id": spec.mview_id,
                    "refresh_job_id": job.id,
                    "lock_token": job.token,
                    "method": job.method,
                    "reason": job.reason,
                    "started": job.started,
                    "read_time": none if job.deferred else job.read_time,
                    "sources": job.sources,
                    "definition_hash": job.definition_hash,
                    "invocation_id": job.owner,
                }
            }
        )
    }}
{% endmacro %}
