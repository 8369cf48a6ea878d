{#
The end of a refresh that was published. Its plan stays where something failed afterwards, which may
have been the plan's own expression: what is still due is looked at again.

Args: spec, job, commit (of the publish), failed_reason (string or none, what failed after it).
Returns: mapping, see _outcome.
#}
{% macro _published_outcome(spec, job, commit, failed_reason=none) %}
    {#- An operation knows neither grants nor comments of columns, which a new table needs. -#}
    {%- set bare = job.get("record_now") and job.publish in ["create", "replace", "swap"] -%}
    {%- set undone = failed_reason or bare -%}
    {%- set stored = dbt_mview._with_time(spec, job) -%}
    {{
        return(
            dbt_mview._outcome(
                spec.mview_id,
                job.id,
                job.owner,
                job.token,
                "success",
                none if job.deferred else job.method,
                method=job.method,
                reason=job.reason,
                started=job.started,
                ended=job.get("ended"),
                rows=commit.rows,
                sources=job.sources,
                read_time=none if job.deferred else job.read_time,
                target_version=commit.version,
                definition=spec.definition,
                definition_hash=job.definition_hash,
                spec=dbt_mview._unfinished(stored) if undone else stored,
                failed_reason=failed_reason,
                refresh_group=spec.refresh_group,
                plan=none if failed_reason else dbt_mview._reschedule(spec, job),
            )
        )
    }}
{% endmacro %}
