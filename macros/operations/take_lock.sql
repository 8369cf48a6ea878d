{# The lock for an operation that refreshes nothing. #}
{#
The lock of a view for an operation that refreshes nothing: taken from the row as it was read, in
one try. What a dead holder left is still to be recovered then.

Args: spec, job (see _operation_job). Sets job.token, job.holder.
Errors: another run is refreshing the view; the lock changed hands meanwhile.
#}
{% macro _take_lock(spec, job) %}
    {%- if not dbt_mview._could_take_lock(spec, job) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "its lock changed hands at this moment.",
            "Run again.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
As _take_lock, where the lock may have changed hands meanwhile. Returns: bool, whether it is ours.
#}
{% macro _could_take_lock(spec, job) %}
    {%- do dbt_mview._check_lock(spec, job) -%}
    {%- set token = dbt_mview._next_token(job) -%}
    {%- set outcome = dbt_mview._run("acquire", dbt_mview._acquire_sql(spec, job, token), job) -%}
    {%- set taken = job.dry_run or outcome[0][0] == "acquired" -%}
    {%- set row = none if taken else dbt_mview._read_state(spec.mview_id) -%}
    {%- if taken or dbt_mview._is_ours(row, job, token) -%}
        {%- do job.update({"token": token}) -%} {{ return(true) }}
    {%- endif -%}
    {{ return(false) }}
{% endmacro %}


{#
Args: spec, state (row of the view), dry_run (bool).
Returns: a job of an operation that has no definition to publish.
#}
{% macro _operation_job(spec, state, dry_run) %}
    {%- do spec.update({"definition": none, "stored": none, "schedule": none}) -%}
    {%- do dbt_mview._memory().states.update({spec.mview_id: state}) -%}
    {%- set job = dbt_mview._job(spec, spec.mview_id, dry_run=dry_run) -%}
    {%- do job.update({"state": state, "target": dbt_mview._target(spec, state)}) -%}
    {{ return(job) }}
{% endmacro %}
