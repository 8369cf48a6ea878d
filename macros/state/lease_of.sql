{#
How long the lock of a refresh holds, by what the view's refreshes took, and its renewal between two
statements (docs/decisions/0036).
#}
{#
How long the lock of a refresh is taken for: three times the longest that is known of the method
that may come, at least five minutes, at most the var. The whole var where too little is known, for
a refresh group, whose members wait for each other, and after a refresh that failed or was taken
over: it may be slower than all before.

Args: spec (refresh_group, stored: took, see _with_durations), job (state, holder, preplanned).
Returns: int, seconds.
#}
{% macro _lease_of(spec, job) %}
    {%- set most = dbt_mview._lease_seconds() -%}
    {%- set calm = job.state and job.state.last_refresh_result == "success" and not job.holder -%}
    {%- set took = (spec.stored or {}).get("took") -%}
    {%- if spec.refresh_group or not calm or not took -%} {{ return(most) }}{%- endif -%}
    {#- A first build says nothing of what has grown since. -#}
    {%- set fast, complete = [], [took.get("complete")] -%}
    {%- for method, _, seconds in took.last -%}
        {%- do (fast if method in dbt_mview._fast_methods() else complete).append(seconds) -%}
    {%- endfor -%}
    {%- set complete = complete | reject("none") | list -%}
    {%- set surely_fast = job.preplanned and job.preplanned.method == "fast" -%}
    {%- if surely_fast and fast -%} {%- set known = fast -%}
    {%- elif complete -%} {%- set known = fast + complete -%}
    {%- else -%} {{ return(most) }}
    {%- endif -%}
    {{ return([[(known | max * 3) | round(0, "ceil") | int, 300] | max, most] | min) }}
{% endmacro %}


{#
The methods that are FAST, as durations name them: plain, over compared versions, at another time;
see _way_of. Returns: list.
#}
{% macro _fast_methods() %} {{ return(["fast", "compared", "dated"]) }} {% endmacro %}


{#
Renews the lock before a statement that may take long, once less than half of its lease is left.
Between statements, as nothing can be sent while one runs.

Args: spec, job (token, lease: mapping seconds, since, or none). Sets job.lease.
Errors: «lock lost».
#}
{% macro _renew_lease(spec, job) %}
    {%- set now = dbt_mview._now_micros() -%}
    {%- if job.dry_run or not job.lease or now - job.lease.since < job.lease.seconds * 500000 -%}
        {{ return(none) }}
    {%- endif -%}
    {%- do dbt_mview._run("renew", dbt_mview._renew_lease_sql(spec, job), job) -%}
    {%- do dbt_mview._check_lock_is_ours(spec, job) -%}
    {%- do job.update({"lease": dict(job.lease, since=now)}) -%}
{% endmacro %}


{# Changes nothing where the lock is another's. Args: spec, job. Returns: SQL text. #}
{% macro _renew_lease_sql(spec, job) %}
    {{
        return(
            dbt_mview._retry_on_conflict_sql(
                "update "
                ~ dbt_mview._info_table()
                ~ " set lease_until = current_timestamp() + "
                ~ dbt_mview._lease_sql(job.lease.seconds)
                ~ " where mview_id = "
                ~ dbt_mview._literal(spec.mview_id)
                ~ " and lock_token = "
                ~ job.token
                ~ " and refresh_job_id = "
                ~ dbt_mview._literal(job.id)
            )
        )
    }}
{% endmacro %}
