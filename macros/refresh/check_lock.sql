{#
A lock that is held ends this run at once (NOWAIT), unless its lease is over or its holder has
published: the publishing commit frees the view, the recording of it may follow.
#}
{% macro _check_lock(spec, job) %}
    {%- set state = job.state -%}
    {%- if state is none or state.lock_owner is none -%} {{ return(none) }}{%- endif -%}
    {%- set published = dbt_mview._published(job.target, state.refresh_job_id) -%}
    {%- do job.update(
        {
            "holder": {
                "job_id": state.refresh_job_id,
                "owner": state.lock_owner,
                "intent": state.intent,
                "lock_time": state.lock_time,
                "lease_until": state.lease_until,
                "published": published,
            }
        }
    ) -%}
    {%- if published is none and not state.lease_over and not job.force -%}
        {%- do dbt_mview._raise_busy(
            "refreshing",
            spec.mview_id,
            state,
            "if that run is dead, free the view now with "
            ~ "`dbt run-operation mview_recover --args '{view: "
            ~ spec.mview_id
            ~ "}'`.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
The NOWAIT error.

Args: doing (what the other run does), id (of the view or log), row (mapping with its lock),
    advice (string).
#}
{% macro _raise_busy(doing, id, row, advice) %}
    {%- do exceptions.raise_compiler_error(
        "dbt_mview: another run ("
        ~ row.lock_owner
        ~ ", since "
        ~ dbt_mview._iso(row.lock_time)
        ~ ") is "
        ~ doing
        ~ " "
        ~ id
        ~ ". Its lease ends "
        ~ dbt_mview._iso(row.lease_until)
        ~ "; "
        ~ advice
    ) -%}
{% endmacro %}
