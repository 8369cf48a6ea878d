{#
How the ends of refreshes come into mview_refresh_info. One view that was refreshed, and views that
were all skipped, take an UPDATE: it says the same as the MERGE that all else takes, in less than
half the time.

Args: outcomes (list of mappings, see _outcome). Returns: SQL text.
#}
{% macro _note_outcomes_sql(outcomes) %}
    {%- set skips = outcomes | selectattr("type", "equalto", "skip") | list | length -%}
    {%- set good = outcomes | selectattr("result", "equalto", "success") | list | length -%}
    {%- set differ = outcomes | selectattr("plan") | list + outcomes | selectattr("spec") | list -%}
    {%- if good < outcomes | length or (
        (skips < outcomes | length or differ) and outcomes | length > 1
    ) -%}
        {{ return(dbt_mview._merge_info_sql(outcomes)) }}
    {%- elif skips -%} 
        {{ return(dbt_mview._update_skipped_sql(outcomes, outcomes[0].plan, outcomes[0].spec)) }}
    {%- endif -%}
    {{ return(dbt_mview._update_refreshed_sql(outcomes[0])) }}
{% endmacro %}


{# Touches no row that is locked. Args: outcomes, plan, spec (of the only one, or none). #}
{% macro _update_skipped_sql(outcomes, plan, spec) -%}
update {{ dbt_mview._info_table() }}
set
    {%- if spec %}
    spec = {{ dbt_mview._json_literal(spec) }},
    {%- endif %}
    last_refresh_result = 'success',
    last_refresh_type = 'skip',
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = null,
    {{ dbt_mview._replan_sql(plan) }}
where mview_id in ({{ dbt_mview._literals(outcomes | map(attribute="mview_id") | list) }})
    and lock_owner is null
{%- endmacro %}


{# Only if the lock is still this refresh's. Args: o (outcome, a success). #}
{% macro _update_refreshed_sql(o) -%}
update {{ dbt_mview._info_table() }}
set
    definition = coalesce({{ dbt_mview._literal(o.definition) }}, definition),
    definition_hash = coalesce({{ dbt_mview._literal(o.definition_hash) }}, definition_hash),
    spec = coalesce({{ dbt_mview._json_literal(o.spec) }}, spec),
    sources = {{ dbt_mview._sources_of_json_sql(dbt_mview._json_literal(o.sources)) }},
    last_successful_refresh_read_time = {{ dbt_mview._timestamp(o.read_time) }},
    last_refresh_result = 'success',
    last_refresh_type = {{ dbt_mview._literal(o.type) }},
    last_refresh_time = current_timestamp(),
    last_refresh_failed_reason = {{ dbt_mview._literal(o.failed_reason) }},
    target_version = {{ dbt_mview._bigint(o.target_version) }},
    {{ dbt_mview._replan_sql(o.plan) }}
    {%- if o.release -%},
    intent = null,
    lock_owner = null,
    lock_time = null,
    lease_until = null
    {%- endif %}
where mview_id = {{ dbt_mview._literal(o.mview_id) }}
    and lock_token = {{ dbt_mview._bigint(o.token) }}
    and lock_owner = {{ dbt_mview._literal(o.owner) }}
{%- endmacro %}


{# What a success makes of the plan. Args: plan (see _reschedule). Returns: SQL text. #}
{% macro _replan_sql(plan) -%}
{%- if plan -%}
schedule = {{ dbt_mview._json_literal(plan.schedule) }},
    next_time = {{ dbt_mview._timestamp(plan.next_time) }},
    {% endif -%}
failures = null,
    retry_time = null
{%- endmacro %}
