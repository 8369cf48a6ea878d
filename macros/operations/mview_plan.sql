{#
Writes the next due time of something that has a plan, if it is computed outside of dbt:
`dbt-mview due` does so for cron expressions.

Args: times (mapping id -> microseconds since the epoch), after (mapping id -> the `after` of the
    schedule that `mview_due` showed: nothing is written if a run has moved the plan, or another
    schedule has replaced it, since; without it only what has a time already is left alone),
    dry_run (bool: print the statements).
Errors: times is missing; a time that is no whole number.
Example: dbt run-operation mview_plan --args '{times: {spark_catalog.shop.daily: 1767225600000000}}'
#}
{% macro mview_plan(times, after=none, dry_run=false) %}
    {%- if not execute -%} {{ return("") }}{%- endif -%}
    {%- set example = "{times: {spark_catalog.shop.daily: 1767225600000000}}" -%}
    {%- do dbt_mview._check_given("times", times, example) -%}
    {%- do dbt_mview._ensure_state(dry_run) -%}
    {%- set given = times.items() | list + (after or {}).items() | list -%}
    {%- for id, time in given if time is not none and time is not integer -%}
        {%- do dbt_mview._raise(
            id,
            "'" ~ time ~ "' is not a time.",
            "Give whole microseconds since the epoch.",
        ) -%}
    {%- endfor -%}
    {%- if times -%}
        {%- set job = dbt_mview._bare_job(dry_run) -%}
        {%- for sql in dbt_mview._plan_times_sql(times, after) -%}
            {%- do dbt_mview._run("schedule", dbt_mview._retry_on_conflict_sql(sql), job) -%}
        {%- endfor -%}
    {%- endif -%}
{% endmacro %}
