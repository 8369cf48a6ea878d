{#
The end of somebody else's refresh, as its own commit tells it. The lock stays ours.

Args: spec, job (excuse: why it did not finish, or none), holder, published (its commit, or none).
Returns: mapping, see _outcome.
#}
{% macro _recovered_outcome(spec, job, holder, published) %}
    {%- set intent = holder.intent or {} -%}
    {%- set outcome = dbt_mview._outcome(
        spec.mview_id,
        holder.job_id,
        job.owner,
        job.token,
        "success" if published else "failed",
        published.meta.method if published else none,
        invocation_id=holder.owner,
        started=holder.lock_time,
        refresh_group=(intent.get("spec") or {}).get("refresh_group"),
    ) -%}
    {%- if published -%}
        {%- set meta = published.meta -%}
        {%- do outcome.update(
            {
                "reason": meta.reason,
                "started": meta.started,
                "rows": published.rows,
                "sources": meta.sources,
                "read_time": meta.read_time,
                "target_version": published.version,
                "definition": intent.get("definition"),
                "definition_hash": meta.definition_hash,
                "spec": dbt_mview._unfinished(intent.get("spec")),
            }
        ) -%}
    {%- else -%}
        {%- do outcome.update(
            {
                "method": "complete",
                "sources": dbt_mview._named_sources(intent.get("reads")),
                "failed_reason": dbt_mview._not_finished(
                    job.get("excuse"), "; its lock was taken over by " ~ job.owner
                ),
                "charge": job.get("charge", true)
                and not dbt_mview._is_operation(holder),
            }
        ) -%}
    {%- endif -%}
    {{ return(outcome) }}
{% endmacro %}


{#
What a refresh says whose run died, always in the same first words.

Args: excuse (string, why, or none), otherwise (string, what is said where there is none).
Returns: string.
#}
{% macro _not_finished(excuse=none, otherwise="") %}
    {{ return("the run did not finish" ~ (": " ~ excuse if excuse else otherwise)) }}
{% endmacro %}


{# Whether a lock is held by what refreshes nothing, such as a recovery: it cannot fail a view. #}
{% macro _is_operation(holder) %}
    {{ return(holder.intent is not none and not holder.intent.get("definition")) }}
{% endmacro %}
