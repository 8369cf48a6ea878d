{#
Step record: notes the success. Within `dbt run` the notes of all views are written together by
on-run-end; until then the publishing commit itself is the record, from which any other run rolls
forward. A run-operation writes its note at once. The last step, because it frees the lock and
forgets the intent: whatever fails before can still be made good from them.

Args: spec, job.
#}
{% macro _record(spec, job) %}
    {%- do dbt_mview._note(job, dbt_mview._published_outcome(spec, job, job.commit)) -%}
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
                spec=spec.stored if dbt_mview._settings_changed(spec, job) else none,
                plan=dbt_mview._reschedule(spec, job),
            ),
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether a view that holds what it should was given other settings than state knows, which its rows
do not depend on: comments, grants, how it is refreshed. A layout that is left alone stays in state.

Args: spec, job (state). Returns: bool.
#}
{% macro _settings_changed(spec, job) %}
    {%- set was = job.state.spec if job.state else none -%}
    {%- if not was or not spec.stored or was.layout != spec.layout -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return(dbt_mview._changed_keys(was, spec.stored) | length > 0) }}
{% endmacro %}
