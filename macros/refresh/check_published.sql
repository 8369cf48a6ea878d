{#
Sees that the publish is in the view's own history, because a fenced one is dropped without an
error.

Args: spec, job. Sets job.commit. Errors: «lock lost».
#}
{% macro _check_published(spec, job) %}
    {%- if job.dry_run -%}
        {%- do job.update({"commit": {"version": none, "rows": none}}) -%} {{ return(none) }}
    {%- endif -%}
    {%- set history = dbt_mview._delta_history(spec.name, 10) -%}
    {%- do job.update({"commit": dbt_mview._published({"history": history}, job.id)}) -%}
    {%- if job.commit is none -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "lock lost: another run took over the refresh, nothing was published by this one.",
            "The view holds the other run's result.",
        ) -%}
    {%- endif -%}
{% endmacro %}
