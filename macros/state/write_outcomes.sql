{#
Records outcomes: history first, then the rows of the views and their locks, in two commits however
many views there are.
#}
{#
Records the ends of refreshes, many views in two commits: the history rows first, each at
most once by its refresh_job_id, then the info rows and their locks. A crash between the two
is repaired when the same job is recorded again.

Args: outcomes (list of mappings, see _outcome), job (mapping: id, dry_run, unique_id, run_text; see
    _bare_job).
#}
{% macro _write_outcomes(outcomes, job) %}
    {%- set outcomes = outcomes | selectattr("noted") | list -%}
    {%- set ended = outcomes | rejectattr("type", "equalto", "skip") | list -%}
    {%- if ended -%}
        {%- do dbt_mview._run(
            "record",
            dbt_mview._retry_on_conflict_sql(dbt_mview._insert_history_sql(ended)),
            job,
        ) -%}
    {%- endif -%}
    {%- if outcomes -%}
        {%- do dbt_mview._run(
            "record",
            dbt_mview._retry_on_conflict_sql(dbt_mview._note_outcomes_sql(outcomes)),
            job,
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
How the ends of refreshes come into mview_refresh_info. One success, and skips that all say the same
(no plan, spec or failure, and seen at one time) take an UPDATE: it says the same as the MERGE that
all else takes, in less than half the time. Its condition names the id alone, by which the table is
partitioned: then Delta need not read any rows to find the files that it rewrites. The lock is
checked in each assigned value, not in WHERE.

Args: outcomes (list of mappings, see _outcome). Returns: SQL text.
#}
{% macro _note_outcomes_sql(outcomes) %}
    {%- set skips = outcomes | selectattr("type", "equalto", "skip") | list | length -%}
    {%- set good = outcomes | selectattr("result", "equalto", "success") | list | length -%}
    {%- set more = [] -%}
    {%- for key in ["plan", "spec", "failed_reason"] -%}
        {%- do more.extend(outcomes | selectattr(key)) -%}
    {%- endfor -%}
    {%- set looks = outcomes | map(attribute="seen") | unique | list -%}
    {%- set alike = skips == outcomes | length and not more and looks | length == 1 -%}
    {%- if good < outcomes | length or not (alike or outcomes | length == 1) -%}
        {{ return(dbt_mview._merge_info_sql(outcomes)) }}
    {%- elif skips -%} {{ return(dbt_mview._update_skipped_sql(outcomes)) }}
    {%- endif -%}
    {{ return(dbt_mview._update_refreshed_sql(outcomes[0])) }}
{% endmacro %}


{#
Changes no row that is locked, or that is not the one that was read.

Args: outcomes (skips that say the same, see _note_outcomes_sql).
#}
{% macro _update_skipped_sql(outcomes) %}
    {%- set o = outcomes[0] -%}
    {%- set values = dbt_mview._planned_values(o.plan) -%}
    {%- if o.spec -%}
        {%- do values.update({"spec": dbt_mview._json_literal(o.spec)}) -%}
    {%- endif -%}
    {%- do values.update(
        {
            "last_refresh_result": "'success'",
            "last_refresh_type": "'skip'",
            "last_refresh_time": "current_timestamp()",
            "last_refresh_failed_reason": dbt_mview._literal(o.failed_reason),
        }
    ) -%}
    {%- set ids = outcomes | map(attribute="mview_id") | list -%}
    {%- set seen = "last_refresh_time <=> " ~ dbt_mview._timestamp(o.seen) -%}
    {{ return(dbt_mview._update_where_sql(ids, "lock_owner is null and " ~ seen, values)) }}
{% endmacro %}


{# Only if the lock is still this refresh's. Args: o (outcome, a success). #}
{% macro _update_refreshed_sql(o) %}
    {%- set values = dbt_mview._planned_values(o.plan) -%}
    {%- for key, text in {
        "definition": dbt_mview._literal(o.definition),
        "definition_hash": dbt_mview._literal(o.definition_hash),
        "spec": dbt_mview._json_literal(o.spec),
    }.items() -%}
        {%- do values.update({key: "coalesce(" ~ text ~ ", " ~ key ~ ")"}) -%}
    {%- endfor -%}
    {%- do values.update(
        {
            "sources": dbt_mview._sources_of_json_sql(
                dbt_mview._json_literal(o.sources)
            ),
            "last_successful_refresh_read_time": dbt_mview._timestamp(o.read_time),
            "last_refresh_result": "'success'",
            "last_refresh_type": dbt_mview._literal(o.type),
            "last_refresh_time": "current_timestamp()",
            "last_refresh_failed_reason": dbt_mview._literal(o.failed_reason),
            "target_version": dbt_mview._bigint(o.target_version),
        }
    ) -%}
    {%- if o.release -%}
        {%- for key in ["intent", "lock_owner", "lock_time", "lease_until"] -%}
            {%- do values.update({key: "null"}) -%}
        {%- endfor -%}
    {%- endif -%}
    {%- set token = "lock_token = " ~ dbt_mview._bigint(o.token) -%}
    {%- set owner = "lock_owner = " ~ dbt_mview._literal(o.owner) -%}
    {{ return(dbt_mview._update_where_sql([o.mview_id], token ~ " and " ~ owner, values)) }}
{% endmacro %}


{#
Args: ids (of views), condition (SQL text over a row), values (mapping column -> SQL text).
Returns: SQL text; a row of which the condition is not true is written as it was.
#}
{% macro _update_where_sql(ids, condition, values) %}
    {%- set assigned = [] -%}
    {%- for column, value in values.items() -%}
        {%- do assigned.append(
            "    " ~ column ~ " = if(" ~ condition ~ ", " ~ value ~ ", " ~ column ~ ")"
        ) -%}
    {%- endfor -%}
update {{ dbt_mview._info_table() }}
set
{{ assigned | join(",\n") }}
where mview_id in ({{ dbt_mview._literals(ids) }})
{%- endmacro %}


{# What a success makes of the plan. Args: plan (see _reschedule). Returns: mapping of SQL texts. #}
{% macro _planned_values(plan) %}
    {%- set values = {} -%}
    {%- if plan -%}
        {%- do values.update(
            {
                "schedule": dbt_mview._json_literal(plan.schedule),
                "next_time": dbt_mview._timestamp(plan.next_time),
            }
        ) -%}
    {%- endif -%}
    {%- do values.update({"failures": "null", "retry_time": "null"}) -%}
    {{ return(values) }}
{% endmacro %}


{# The same for the rows of logs. Args: plan (see _reschedule). Returns: SQL text, assignments. #}
{% macro _replan_sql(plan) %}
    {%- set assigned = [] -%}
    {%- for column, value in dbt_mview._planned_values(plan).items() -%}
        {%- do assigned.append(column ~ " = " ~ value) -%}
    {%- endfor -%}
    {{ return(assigned | join(",\n    ")) }}
{% endmacro %}
