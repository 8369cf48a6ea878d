{#
`refresh: fast` is refused before the lock is taken: the plan is made on what was looked at, and
made again once the lock is held.

Args: spec, job. Errors: the refresh cannot be FAST, with the reason.
#}
{% macro _refuse(spec, job) %}
    {%- if spec.refresh != "fast" -%} {{ return(none) }}{%- endif -%}
    {%- if job.reason.startswith("TARGET_CHANGED") -%}
        {%- do dbt_mview._look_again(spec, job) -%}
    {%- endif -%}
    {%- if not job.holder and not job.skip -%}
        {%- set reason = job.reason -%}
        {%- do dbt_mview._pin(spec, job) -%}
        {%- do dbt_mview._plan(spec, job) -%}
        {%- do job.update({"reason": reason, "fast": none, "staged": false}) -%}
    {%- endif -%}
{% endmacro %}


{#
What looks like somebody else's write may be the refresh of a run that published and recorded
between our reading of state and of the view's history.

Args: spec, job.
#}
{% macro _look_again(spec, job) %}
    {%- set state = dbt_mview._read_state(spec.mview_id) -%}
    {%- if state is none or state.lock_token != job.state.lock_token -%}
        {%- do job.update({"state": state}) -%} {%- do dbt_mview._look(spec, job) -%}
    {%- endif -%}
{% endmacro %}
