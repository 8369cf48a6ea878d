{# What mview_pause, mview_resume and mview_reset have in common. #}
{#
What mview_pause, mview_resume and mview_reset have in common.

Args: how (pause, resume, reset), view, log (names, 'all', or none), dry_run.
Prints: each of them, and when it is due next.
Errors: neither is given; no such view or log; a view that was never built.
#}
{% macro _hold_plans(how, view, log, dry_run) %}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- if view is none and log is none -%}
        {%- do dbt_mview._raise(
            "mview_" ~ how,
            "neither a view nor a log is given.",
            "Name one, or say 'all', as in --args '{view: all}'.",
        ) -%}
    {%- endif -%}
    {%- set views = dbt_mview._views_to_hold(view) -%}
    {%- set logs = [] -%}
    {%- if log is not none and dbt_mview._has_log_state() -%}
        {%- do dbt_mview._ensure_state(dry_run, logs=true) -%}
        {%- do logs.extend(dbt_mview._logs_to_purge(none if log == "all" else log, none)) -%}
    {%- elif log not in [none, "all"] -%} {%- do dbt_mview._raise_no_log(log) -%}
    {%- endif -%}
    {%- for ids, table, key in [
        [views, dbt_mview._info_table(), "mview_id"],
        [logs, dbt_mview._log_info_table(), "mlog_id"],
    ] if ids -%}
        {%- set sql = dbt_mview._hold_plans_sql(how, table, key, ids) -%}
        {%- do dbt_mview._run(
            "schedule",
            dbt_mview._retry_on_conflict_sql(sql),
            dbt_mview._bare_job(dry_run),
        ) -%}
    {%- endfor -%}
    {%- if not dry_run -%} {%- do dbt_mview._print_plans(views, logs) -%} {%- endif -%}
{% endmacro %}


{#
A member of a refresh group means all of it, as all of it is refreshed together.

Args: view (name, 'all', or none). Returns: list of mview_ids. Errors: see _hold_plans.
#}
{% macro _views_to_hold(view) %}
    {%- if view is none -%} {{ return([]) }}{%- endif -%}
    {%- set id = none if view == "all" else dbt_mview._mview_id(dbt_mview._resolve(view)) -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- if id is none -%} {{ return(states.keys() | list) }}{%- endif -%}
    {%- if dbt_mview._memory().without_state -%} {{ return([id]) }}{%- endif -%}
    {%- if id not in states -%}
        {%- do dbt_mview._raise(
            id,
            "state has no row of it, it was never built.",
            "Build it once with dbt run.",
        ) -%}
    {%- endif -%}
    {%- set group = (states[id].spec or {}).get("refresh_group") -%}
    {%- set found = [id] -%}
    {%- for other, row in states.items() if group and other != id -%}
        {%- if (row.spec or {}).get("refresh_group") == group -%}
            {%- do found.append(other) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# When each is due next, as mview_info shows it. Args: views, logs (lists of ids). #}
{% macro _print_plans(views, logs) %}
    {%- set lines = [] -%}
    {%- for id, row in (dbt_mview._read_states(views) if views else {}).items() -%}
        {%- do lines.append([dbt_mview._short_name(id), dbt_mview._next_of(row)]) -%}
    {%- endfor -%}
    {%- for id in logs -%}
        {%- set row = dbt_mview._read_log_row(id) -%}
        {%- do lines.append([dbt_mview._short_name(id), dbt_mview._next_of(row)]) -%}
    {%- endfor -%}
    {%- do dbt_mview._print_table(
        ["what", "next"], lines, "state knows none of them: nothing was built yet"
    ) -%}
{% endmacro %}


{#
Pauses, resumes or resets what has rows in state. Rows that are so already stay as they are.

Args: how (pause, resume, reset), table (quoted name), key (its column of ids), ids (list).
Returns: SQL text.
#}
{% macro _hold_plans_sql(how, table, key, ids) %}
    {%- set values = {
        "pause": ["paused_time = current_timestamp()", "paused_time is null"],
        "resume": ["paused_time = null", "paused_time is not null"],
        "reset": ["failures = null, retry_time = null", "failures is not null"],
    }[how] -%}
update {{ table }}
set {{ values[0] }}
where {{ key }} in ({{ dbt_mview._literals(ids) }}) and {{ values[1] }}
{%- endmacro %}
