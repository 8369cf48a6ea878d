{# What is due now, and why. #}
{#
What of the planned is due now, and why, oldest first. What waits for its sources is due only if
one of them has changed, or its last refresh failed.

Args: rows (see _due_rows). Returns: mapping due (list of rows, with since and why) and unplanned
    (those whose cron expression has yet to be worked out).
#}
{% macro _what_is_due(rows) %}
    {%- set due = [] -%}
    {%- set unplanned = [] -%}
    {%- set pins = {} -%}
    {%- for row in rows -%}
        {%- set at = dbt_mview._due_at(row) -%}
        {%- if at is none -%}
            {%- if "cron" in row.schedule -%} {%- do unplanned.append(row) -%} {%- endif -%}
        {%- elif at <= dbt_mview._clock().now and row.lease_over -%}
            {%- set why = dbt_mview._why_due(row, pins) -%}
            {%- if why -%} {%- do due.append(dict(row, since=at, why=why)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set due = due | sort(attribute="id") | sort(attribute="since") -%}
    {{ return({"due": due, "unplanned": unplanned}) }}
{% endmacro %}


{# When one is due, a retry counts. Args: row (of state). Returns: microseconds, or none. #}
{% macro _due_at(row) %}
    {{ return(row.next_time if row.retry_time is none else row.retry_time) }}
{% endmacro %}


{#
Why one is due. A missing source counts as a change: the run that it makes due says more.

Args: row, pins (mapping that is filled: name -> version now, or none if it is gone).
Returns: string or none.
#}
{% macro _why_due(row, pins) %}
    {%- if row.retry_time is not none -%} {{ return("retry after failure " ~ row.failures) }}
    {%- elif not dbt_mview._waits_for_sources(row.schedule) -%} {{ return("schedule") }}
    {%- elif row.result != "success" -%} {{ return("the last refresh failed") }}
    {%- elif not row.is_built -%} {{ return("first refresh of a deferred view") }}
    {%- endif -%}
    {%- set now = [] -%}
    {%- for source in row.sources or [] -%}
        {%- set name = source.relation -%}
        {%- if name not in pins -%}
            {%- set gone = dbt_mview._kind_at(name) == "missing" -%}
            {%- do pins.update({name: none if gone else dbt_mview._pin_table(name, none)}) -%}
        {%- endif -%}
        {%- if pins[name] is none -%}
            {{ return("SOURCE_MISSING: " ~ dbt_mview._short_name(name) ~ " is gone") }}
        {%- endif -%}
        {%- do now.append(pins[name]) -%}
    {%- endfor -%}
    {%- set news = dbt_mview._describe_source_changes(row.sources, now, []) -%}
    {{ return(dbt_mview._reason_text(news) if news else none) }}
{% endmacro %}


{#
What has a plan and may be due: its time has come, or was never worked out (cron), and it is neither
paused nor broken. The statistics of the state tables' files spare the reading of all the rest.

Args: dry_run (bool, see _ensure_state).
Returns: list of rows (mapping what, id, schedule, next_time, retry_time, failures, sources,
    result, is_built, lease_over).
#}
{% macro _due_rows(dry_run=false) %}
    {%- set parts = [dbt_mview._due_views_sql()] -%}
    {%- if dbt_mview._has_log_state() -%}
        {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
        {%- do parts.append(dbt_mview._due_logs_sql()) -%}
    {%- endif -%}
    {%- set columns = [
        "what",
        "id",
        "schedule",
        "next_time",
        "retry_time",
        "failures",
        "sources",
        "result",
        "is_built",
        "lease_over",
    ] -%}
    {%- set found = [] -%}
    {%- for values in dbt_mview._read("due", parts | join("\nunion all\n")).rows -%}
        {%- set row = dbt_mview._state_row(
            values,
            columns,
            ["next_time", "retry_time", "failures"],
            ["is_built", "lease_over"],
        ) -%}
        {%- for column in ["schedule", "sources"] -%}
            {%- do row.update({column: fromjson(row[column]) if row[column] else none}) -%}
        {%- endfor -%}
        {%- do found.append(row) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Returns: SQL text. #}
{% macro _due_views_sql() -%}
select
    'view' as what,
    mview_id as id,
    schedule,
    unix_micros(next_time) as next_time,
    unix_micros(retry_time) as retry_time,
    failures,
    {{ dbt_mview._sources_to_json_sql("sources") }} as sources,
    last_refresh_result as result,
    last_successful_refresh_read_time is not null as is_built,
    {{ dbt_mview._lease_over_sql() }} as lease_over
from {{ dbt_mview._info_table() }}
where {{ dbt_mview._may_be_due_sql() }}
{%- endmacro %}


{# Returns: SQL text. #}
{% macro _due_logs_sql() -%}
select
    'log', mlog_id, schedule, unix_micros(next_time), unix_micros(retry_time),
    failures, cast(null as string), cast(null as string), true,
    {{ dbt_mview._lease_over_sql() }}
from {{ dbt_mview._log_info_table() }}
where {{ dbt_mview._may_be_due_sql() }}
{%- endmacro %}


{# Returns: SQL condition. #}
{% macro _may_be_due_sql() -%}
schedule is not null
    and paused_time is null
    and (failures is null or failures < {{ dbt_mview._broken_after() }})
    and (
        next_time is null
        or next_time <= current_timestamp()
        or retry_time <= current_timestamp()
    )
{%- endmacro %}
