{#
Step record: sees that the publish is in the view's own history, because a fenced one is dropped
without an error, and notes the success. Within `dbt run` the notes of all views are written
together by on-run-end; until then the publishing commit itself is the record, from which any
other run rolls forward. A run-operation writes its note at once.

Args: spec, job. Sets job.commit. Errors: «lock lost».
#}
{% macro _record(spec, job) %}
    {%- if job.dry_run -%}
        {%- do dbt_mview._note(
            job, dbt_mview._published_outcome(spec, job, {"version": none, "rows": none})
        ) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set commit = dbt_mview._published(
        {"history": dbt_mview._delta_history(spec.name, 10)}, job.id
    ) -%}
    {%- if commit is none -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "lock lost: another run took over the refresh, nothing was published by this one.",
            "The view holds the other run's result.",
        ) -%}
    {%- endif -%}
    {%- do job.update({"commit": commit}) -%}
    {%- do dbt_mview._note(job, dbt_mview._published_outcome(spec, job, commit)) -%}
{% endmacro %}


{# Args: spec, job, commit (of the publish), failed_reason. Returns: mapping, see _outcome. #}
{% macro _published_outcome(spec, job, commit, failed_reason=none) %}
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
                rows=commit.rows,
                sources=job.sources,
                read_time=none if job.deferred else job.read_time,
                target_version=commit.version,
                definition=spec.definition,
                definition_hash=job.definition_hash,
                spec=spec.stored,
                failed_reason=failed_reason,
            )
        )
    }}
{% endmacro %}


{# Keeps an outcome for on-run-end, or writes it now. Args: job, outcome (mapping). #}
{% macro _note(job, outcome) %}
    {%- if job.record_now -%} {%- do dbt_mview._write_outcomes([outcome], job) -%}
    {%- else -%} {%- do dbt_mview._memory().outcomes.update({job.unique_id: outcome}) -%}
    {%- endif -%}
{% endmacro %}


{# Notes that there was nothing to do. Args: spec, job. #}
{% macro _record_skip(spec, job) %}
    {%- if not job.dry_run -%}
        {%- do dbt_mview._note(
            job,
            dbt_mview._outcome(
                spec.mview_id,
                job.id,
                job.owner,
                none,
                "success",
                "skip",
                reason=job.skip,
            ),
        ) -%}
    {%- endif -%}
{% endmacro %}
