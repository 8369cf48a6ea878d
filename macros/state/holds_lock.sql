{#
The lock of a view: who holds it, whether it is ours, the condition by which a statement asserts it,
giving it back, and the predecessors that a holder has yet to recover. refresh/ takes it.
#}
{# Args: mview_id, job (id, token). Returns: bool, whether the lock is still its own. #}
{% macro _holds_lock(mview_id, job) %}
    {%- set state = dbt_mview._read_state(mview_id) -%}
    {{
        return(
            state is not none
            and state.lock_owner is not none
            and state.lock_token == job.token
            and state.refresh_job_id == job.id
        )
    }}
{% endmacro %}


{#
Whether the lock that a statement did not get is ours anyway: dbt-spark sends a statement again if
its connection broke, and the first one may have succeeded. Another run may have taken it over
since, and given it back (see _give_back_sql): then its token is another one.

Args: state (row, read after the statement), job, token (that was asked for). Returns: bool.
#}
{% macro _is_ours(state, job, token) %}
    {%- set held = state is not none and state.lock_owner and state.refresh_job_id == job.id -%}
    {{ return(held and state.lock_token == token) }}
{% endmacro %}


{#
Asks for the lock where a statement could not assert it in its own text: before a rename, and
after a publish that left no commit.

Args: spec, job. Errors: «lock lost».
#}
{% macro _check_lock_is_ours(spec, job) %}
    {%- if not job.dry_run and not dbt_mview._holds_lock(spec.mview_id, job) -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "lock lost: another run took over the refresh, nothing was published by this one.",
            "The view holds the other run's result.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
False while the lock is held, else an error: what every publish asserts in its own text.

Args: spec, job (asserted_job_id, asserted_token: of the lock, where it publishes another's
    refresh).
Returns: SQL condition.
#}
{% macro _guard_sql(spec, job) -%}
case
    when (
        select count(*) = 1
        from {{ dbt_mview._info_table() }}
        where mview_id = {{ dbt_mview._literal(spec.mview_id) }}
            and lock_token = {{ job.asserted_token or job.token }}
            and lock_owner is not null
            and refresh_job_id = {{ dbt_mview._literal(job.asserted_job_id or job.id) }}
    ) then false
    else raise_error({{ dbt_mview._literal(
        "dbt_mview: lock lost: another run took over the refresh of " ~ spec.mview_id
        ~ ", nothing was published by this one"
    ) }})
end
{%- endmacro %}


{#
How long a lock holds without being renewed.

Args: seconds (int; none: the var). Returns: SQL text, an interval.
#}
{% macro _lease_sql(seconds=none) %}
    {%- set seconds = seconds or dbt_mview._lease_seconds() -%}
    {{ return("make_interval(0, 0, 0, 0, 0, 0, " ~ seconds ~ ")") }}
{% endmacro %}


{# Whether a lock may be taken: the lease is over, or nobody holds it. Returns: SQL condition. #}
{% macro _lease_over_sql() %}
    {{ return("coalesce(lease_until < current_timestamp(), true)") }}
{% endmacro %}


{# Gives the lock back, if it is still this job's. Args: mview_id, job (token, owner). #}
{% macro _release(mview_id, job) %}
    {%- do dbt_mview._run(
        "release",
        dbt_mview._retry_on_conflict_sql(
            "update "
            ~ dbt_mview._info_table()
            ~ " set lock_owner = null, lock_time = null, lease_until = null, intent = null"
            ~ " where mview_id = "
            ~ dbt_mview._literal(mview_id)
            ~ " and lock_token = "
            ~ job.token
            ~ " and lock_owner = "
            ~ dbt_mview._literal(job.owner)
        ),
        job,
    ) -%}
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


{#
Who holds the lock of a view. An intent keeps it, without `published`.

Args: state (row of the view), published (the commit of its refresh, or none).
Returns: mapping job_id, owner (invocation id), intent (see _intent, or none), lock_time,
    lease_until (microseconds), published.
#}
{% macro _holder(state, published=none) %}
    {{
        return(
            {
                "job_id": state.refresh_job_id,
                "owner": state.lock_owner,
                "intent": state.intent,
                "lock_time": state.lock_time,
                "lease_until": state.lease_until,
                "published": published,
            }
        )
    }}
{% endmacro %}


{#
A holder and those that it had yet to recover itself, oldest first.

Args: holder (mapping: job_id, owner, lock_time, intent). Returns: list of holders.
#}
{% macro _predecessors(holder) %}
    {%- set found = [holder] -%}
    {#- It grows as it is read: a view that cannot be recovered has as many as runs that tried. -#}
    {%- for one in found if (one.intent or {}).get("holder") -%}
        {%- do found.append(one.intent.holder) -%}
    {%- endfor -%}
    {{ return(found | reverse | list) }}
{% endmacro %}


{# Whether a lock is held by what refreshes nothing, such as a recovery: it cannot fail a view. #}
{% macro _is_operation(holder) %}
    {{ return(holder.intent is not none and not holder.intent.get("definition")) }}
{% endmacro %}
