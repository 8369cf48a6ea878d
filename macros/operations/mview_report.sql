{#
What `dbt-mview report` makes a page of, as one line `report: {...}` of JSON. Only reads.

    clock, project, target, limit  clock: the engine's, microseconds since the epoch
    views      what mview_explain says of each view of the project (see _explained_view), and what
               state does: result, type, refreshed, as_of, next (microseconds), version, failed
               (why the last refresh failed), failures, paused (bool), owner (of the lock); none
               where it says nothing
    history    the last refreshes of these views, newest first: id, started, ended (microseconds),
               method, status, rows, reason, failed

Args: limit (int: how many refreshes of each view), dry_run (bool: print what would create state
    where there is none; else the same, as this operation only reads).
Errors: a limit that is no whole number above 0.
Example: dbt run-operation mview_report
#}
{% macro mview_report(limit=40, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- if limit is not integer or limit < 1 -%}
        {%- do dbt_mview._raise(
            "mview_report", "limit is '" ~ limit ~ "'.", "Give a whole number above 0."
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- set views = [] -%}
    {%- for view in dbt_mview._worst_first(dbt_mview._explained_views(states)) -%}
        {%- set state = states.get(view.id) or dbt_mview._no_state() -%}
        {%- do views.append(
            dict(
                view,
                result=state.last_refresh_result,
                type=state.last_refresh_type,
                refreshed=state.last_refresh_time,
                as_of=dbt_mview._int_or_none(state.last_successful_refresh_read_time),
                next=state.next_time,
                version=state.target_version,
                failed=state.last_refresh_failed_reason,
                failures=state.failures,
                paused=state.paused_time is not none,
                owner=state.lock_owner,
            )
        ) -%}
    {%- endfor -%}
    {%- set history = [] -%}
    {%- if views and not dbt_mview._memory().without_state -%}
        {%- set ids = views | map(attribute="id") | list -%}
        {%- for row in dbt_mview._read_last_of_each(ids, limit).rows -%}
            {%- do history.append(
                {
                    "id": row[0],
                    "started": row[1] | int,
                    "ended": row[2] | int,
                    "method": row[3],
                    "status": row[4],
                    "rows": dbt_mview._int_or_none(row[5]),
                    "reason": row[6],
                    "failed": row[7],
                }
            ) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set found = {
        "clock": dbt_mview._engine_time(dbt_mview._now_micros()),
        "project": project_name,
        "target": target.name,
        "limit": limit,
        "views": views,
        "history": history,
    } -%}
    {%- do print("report: " ~ tojson(found)) -%}
{% endmacro %}


{# A whole number, whatever the connection makes of it. Args: value. Returns: int, or none. #}
{% macro _int_or_none(value) %} {{ return(none if value is none else value | int) }} {% endmacro %}
