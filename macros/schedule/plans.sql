{# Plans in state: read for the scheduler service, and written when it has worked out a time. #}
{#
All that state says of when views are refreshed and logs purged, due or not, whichever project they
are of. Times are microseconds since the epoch.

Args: ids (list, or none for all), dry_run (bool, see _ensure_state).
Returns: list of rows (mapping)
    kind, id   view or log
    version    of its table of state: the row is as of this one, or newer
    next_time, retry_time, ended (last_refresh_time), lease_until, paused_time, failures
    took       seconds of the last refresh, or none
    schedule   see _counted_from, or none
    result, reason (of the last refresh; the reason's first 300 characters)
#}
{% macro _plans(ids=none, dry_run=false) %}
    {%- if dbt_mview._memory().without_state or ids == [] -%} {{ return([]) }}{%- endif -%}
    {#- Versions first: a row that is written meanwhile is newer than it is said to be. -#}
    {%- set versions = {"view": dbt_mview._delta_history(dbt_mview._info_table(), 1)[0].version} -%}
    {%- set parts = [dbt_mview._view_plans_sql(ids)] -%}
    {%- if dbt_mview._has_log_state() -%}
        {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
        {%- set newest = dbt_mview._delta_history(dbt_mview._log_info_table(), 1)[0] -%}
        {%- do versions.update({"log": newest.version}) -%}
        {%- do parts.append(dbt_mview._log_plans_sql(ids)) -%}
    {%- endif -%}
    {%- set integers = [
        "next_time",
        "retry_time",
        "ended",
        "lease_until",
        "paused_time",
        "failures",
    ] -%}
    {%- set columns = ["kind", "id"] + integers + ["took", "schedule", "result", "reason"] -%}
    {%- set found = [] -%}
    {%- for values in dbt_mview._read("plans", parts | join("\nunion all\n")).rows -%}
        {%- set row = dbt_mview._state_row(values, columns, integers, []) -%}
        {%- do row.update(
            {
                "version": versions[row.kind],
                "took": none if row.took is none else row.took | float,
                "schedule": fromjson(row.schedule) if row.schedule else none,
            }
        ) -%}
        {%- do found.append(row) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: ids (see _plans). Returns: SQL text. #}
{% macro _view_plans_sql(ids) -%}
select
    'view' as kind,
    mview_id as id,
    unix_micros(next_time) as next_time,
    unix_micros(retry_time) as retry_time,
    unix_micros(last_refresh_time) as ended,
    unix_micros(lease_until) as lease_until,
    unix_micros(paused_time) as paused_time,
    coalesce(failures, 0) as failures,
    get_json_object(spec, '$.took.last[0][2]') as took,
    schedule,
    last_refresh_result as result,
    left(last_refresh_failed_reason, 300) as reason
from {{ dbt_mview._info_table() }}
{%- if ids is not none %}
where mview_id in ({{ dbt_mview._literals(ids) }})
{%- endif %}
{%- endmacro %}


{# Args: ids (see _plans). Returns: SQL text. #}
{% macro _log_plans_sql(ids) -%}
select
    'log', mlog_id, unix_micros(next_time), unix_micros(retry_time), cast(null as bigint),
    unix_micros(lease_until), unix_micros(paused_time), coalesce(failures, 0),
    cast(null as string), schedule, cast(null as string), cast(null as string)
from {{ dbt_mview._log_info_table() }}
{%- if ids is not none %}
where mlog_id in ({{ dbt_mview._literals(ids) }})
{%- endif %}
{%- endmacro %}


{#
Notes planned times. What has no plan, or was moved by a run meanwhile, stays as it is.

Args: times (mapping id -> microseconds), after (mapping id -> microseconds or none, from when each
    plan counts, see _counted_from; or none: that is not asked).
Returns: list of SQL texts, one for each state table.
#}
{% macro _plan_times_sql(times, after=none) %}
    {%- set tables = [[dbt_mview._info_table(), "mview_id"]] -%}
    {%- if dbt_mview._has_log_state() -%}
        {%- do tables.append([dbt_mview._log_info_table(), "mlog_id"]) -%}
    {%- endif -%}
    {%- set next, open = {}, {} -%}
    {%- for id, time in times.items() -%}
        {%- do next.update({id: dbt_mview._timestamp(time)}) -%}
        {%- do open.update({id: dbt_mview._bigint((after or {}).get(id))}) -%}
    {%- endfor -%}
    {%- set statements = [] -%}
    {%- for table, key in tables -%}
        {%- set sql = (
            "update "
            ~ table
            ~ "\nset next_time = "
            ~ dbt_mview._by_id_sql(key, next)
            ~ "\nwhere "
            ~ key
            ~ " in ("
            ~ dbt_mview._literals(times.keys() | list)
            ~ ")\n    and schedule is not null and next_time is null"
        ) -%}
        {%- set as_read = (
            "\n    and cast(get_json_object(schedule, '$.after') as bigint) <=> "
            ~ dbt_mview._by_id_sql(key, open)
        ) -%}
        {%- do statements.append(sql ~ (as_read if after is not none else "")) -%}
    {%- endfor -%}
    {{ return(statements) }}
{% endmacro %}


{# A value for each id. Args: key (column), values (mapping id -> SQL). Returns: SQL expression. #}
{% macro _by_id_sql(key, values) %}
    {%- set cases = [] -%}
    {%- for id, value in values.items() -%}
        {%- do cases.append("when " ~ dbt_mview._literal(id) ~ " then " ~ value) -%}
    {%- endfor -%}
    {{ return("case " ~ key ~ "\n    " ~ cases | join("\n    ") ~ "\nend") }}
{% endmacro %}
