{# Step plan_before_lock: only for `refresh: fast`, so that a refusal takes no lock. #}
{#
`refresh: fast` is refused before the lock is taken: the plan is made on what look has read. It
stays valid once the lock is taken, which succeeds only if state is still as it was read.

Args: spec, job. Sets job.preplanned, the job with its plan.
Errors: the refresh cannot be FAST, with the reason.
#}
{% macro _plan_before_lock(spec, job) %}
    {%- if spec.refresh != "fast" -%} {{ return(none) }}{%- endif -%}
    {%- if job.reason and job.reason.code == "TARGET_CHANGED" -%}
        {%- do dbt_mview._look_again(spec, job) -%}
    {%- endif -%}
    {%- if not job.holder and not job.skip -%}
        {%- set looked = dict(job) -%}
        {%- do dbt_mview._pin(spec, job) -%}
        {%- do dbt_mview._plan(spec, job) -%}
        {#- The plan waits for the lock: a run that does not get it has nothing to undo. -#}
        {%- do job.update(dict(looked, preplanned=dict(job))) -%}
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
