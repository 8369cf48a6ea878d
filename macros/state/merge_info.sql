{#
The MERGE that records any mixture of outcomes, what it does with the lock of a failure, and how
failures are counted.
#}
{#
A success replaces what is known of the view; a failure leaves the sources of the last success
alone. A lock is freed only if it is still this refresh's; an outcome that never held the lock (a
skip, an early failure) is written only if nobody holds it and the row is unchanged. A failed
refresh knows its lock by the job id: if the connection broke while the lock was being taken, it
never got the token. One that is not charged leaves failures, retry and time as they were.
#}
{% macro _merge_info_sql(outcomes) %}
    {%- set charge = outcomes | map(attribute="charge") | unique | list == [true] -%}
    {%- set ids = outcomes | map(attribute="mview_id") | list -%}
    {%- set as_seen = "t.lock_owner is null and t.last_refresh_time <=> s.seen" -%}
    {%- set plan = "schedule = if(s.planned, s.schedule, t.schedule),\n    "
        ~ "next_time = if(s.planned, s.next_time, t.next_time),\n    "
        ~ "failures = null,\n    retry_time = null" -%}
merge into {{ dbt_mview._info_table() }} as t
using (
{{ dbt_mview._outcomes_sql(outcomes) }}
) as s
on t.mview_id = s.mview_id and t.mview_id in ({{ dbt_mview._literals(ids) }})
when matched and s.type <=> 'skip' and {{ as_seen }} then update set
    spec = coalesce(s.spec, t.spec),
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    {{ plan }}
when matched and s.result = 'success' and not (s.type <=> 'skip') and t.lock_token = s.token
    and t.lock_owner = s.owner then update set
    definition = coalesce(s.definition, t.definition),
    definition_hash = coalesce(s.definition_hash, t.definition_hash),
    spec = coalesce(s.spec, t.spec),
    sources = s.sources,
    last_successful_refresh_read_time = s.read_time,
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = s.failed_reason,
    target_version = s.target_version,
    {{ plan }},
    intent = if(s.release, null, t.intent),
    lock_owner = if(s.release, null, t.lock_owner),
    lock_time = if(s.release, null, t.lock_time),
    lease_until = if(s.release, null, t.lease_until)
when matched and s.result = 'failed' and (
    (s.token is null and {{ as_seen }})
    or (t.lock_owner = s.owner and (t.lock_token = s.token or t.refresh_job_id = s.job_id))
) then update set
    sources = coalesce(t.sources, s.sources),
    {%- if charge %}
    {{ dbt_mview._count_failure_sql("t.") }},
    {%- endif %}
    last_refresh_result = s.result,
    last_refresh_type = s.type,
    {%- if charge %}
    last_refresh_time = current_timestamp(),
    {%- endif %}
    last_refresh_failed_reason = s.failed_reason,
    {{- dbt_mview._give_back_sql() }}
when not matched and s.result = 'failed' and s.token is null then insert
    (mview_id, last_refresh_result, last_refresh_time, last_refresh_failed_reason, lock_token)
    values (s.mview_id, s.result, current_timestamp(), s.failed_reason, 0)
{%- endmacro %}


{#
What a failure does with its lock: it goes. One that took it over from a dead holder and could not
recover what that left gives it back as it was, with a lease that is over and the newer token, which
keeps the dead one out: else the row would hold one holder more after each try.
#}
{% macro _give_back_sql() -%}
    {%- set left = "get_json_object(t.intent, '$.holder." -%}
    {%- set values = {
        "refresh_job_id": left ~ "job_id')",
        "lock_owner": left ~ "owner')",
        "lock_time": "timestamp_micros(cast(" ~ left ~ "lock_time') as bigint))",
        "intent": left ~ "intent')",
    } -%}
    {%- set taken = "t.refresh_job_id = s.job_id" -%}
    {%- set back = taken ~ " and " ~ left ~ "job_id') is not null" -%}
    {%- for column, value in values.items() %}
    {{ column }} = if(
        s.release,
        {{ "t.refresh_job_id" if column == "refresh_job_id" else "null" }},
        if({{ back }}, {{ value }}, t.{{ column }})
    ),
    {%- endfor %}
    lease_until = if(s.release, null, if({{ taken }}, current_timestamp(), t.lease_until))
{%- endmacro %}


{#
What a failure leaves for the next try of what was due: the pause begins at 5 seconds and doubles
up to 5 minutes (the retry of TiDB's service, recorded instead of slept). After so many failures as
the var dbt_mview:broken_after says there is none: it is broken until a success or mview_reset.

Args: of (string, the row's alias and a dot, or nothing). Returns: SQL text, assignments.
#}
{% macro _count_failure_sql(of="") -%}
failures = coalesce({{ of }}failures, 0) + 1,
    retry_time = case
        when coalesce({{ of }}failures, 0) + 1 >= {{ dbt_mview._broken_after() }} then null
        when {{ of }}next_time <= current_timestamp() then
            current_timestamp() + make_interval(
                0, 0, 0, 0, 0, 0,
                least(300, shiftleft(5, cast(least(coalesce({{ of }}failures, 0), 9) as int)))
            )
        else {{ of }}retry_time
    end
{%- endmacro %}
