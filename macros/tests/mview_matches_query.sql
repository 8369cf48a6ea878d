{#
A generic test: the view equals its query at the versions that it says it read, as a multiset. Each
row that it returns is missing in the view or surplus there.

Args: model (the view), tolerance (the share by which floats may differ, 0 compares them exactly;
    none: the var dbt_mview:float_tolerance).
Errors: a view that was never refreshed, or that cannot be compared: its sources have no versions,
    its result changes by itself (current_timestamp), or a view below it changed since.
Example: data_tests: [{dbt_mview.mview_matches_query: {arguments: {tolerance: 0}}}]
#}
{% test mview_matches_query(model, tolerance=none) %}
    {%- if not dbt_mview._is_tested() -%} {{ return(dbt_mview._untested_sql()) }}{%- endif -%}
    {%- set state = dbt_mview._state_of_test(model) -%}
    {%- set mview_id = dbt_mview._mview_id(model) -%}
    {%- do dbt_mview._check_definition(model, state) -%}
    {%- if state.sources is none or state.sources | selectattr("version", "none") | list -%}
        {%- do dbt_mview._raise(
            mview_id,
            "a source has no version, so that what the view read cannot be read again.",
            "Leave the test out for this view.",
        ) -%}
    {%- endif -%}
    {%- set zones = dbt_mview._zone_change(state) -%}
    {%- if zones -%}
        {%- do dbt_mview._raise(
            mview_id,
            "it was built in another time zone: " ~ zones ~ ".",
            "Give all sessions one spark.sql.session.timeZone.",
        ) -%}
    {%- endif -%}
    {%- set spec = dbt_mview._spec_from_state(model, state) -%}
    {%- set reads = dbt_mview._reads(spec.definition) -%}
    {%- set bound = dbt_mview._bindings(spec.definition, reads, spec.namespace) -%}
    {%- set why = dbt_mview._why_not_comparable(state, reads, bound) -%}
    {%- if why -%}
        {%- set stale = why.code == "view_changed" -%}
        {%- do dbt_mview._raise(
            mview_id,
            "it cannot be compared with its query: " ~ dbt_mview._reason_text(why) ~ ".",
            (
                "Refresh it before it is tested."
                if stale
                else "Leave the test out for this view."
            ),
        ) -%}
    {%- endif -%}
    {%- set compared = dbt_mview._compared(spec, state, bound.bindings) -%}
    {%- set sides = dbt_mview._verify_sides(compared) -%}
    {%- set share = dbt_mview._float_tolerance(tolerance) -%}
    {%- if dbt_mview._has_floats(sides.present, share) -%}
        {{ dbt_mview._nearly_differences_sql(sides, share) }}
    {%- else -%} {{ dbt_mview._differences_sql(sides) }}
    {%- endif -%}
{% endtest %}


{#
The state of a view that is tested. Args: model (Relation). Returns: row mapping.
Errors: the test has a `where`, which dbt turns into a subquery; the view was never refreshed.
#}
{% macro _state_of_test(model) %}
    {%- if model is string -%}
        {%- do dbt_mview._raise(
            model, "a view is tested as a whole.", "Leave out the test's config `where`."
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._ensure_state() -%}
    {%- set mview_id = dbt_mview._mview_id(model) -%}
    {%- set state = dbt_mview._read_state(mview_id) or {} -%}
    {#- Within `dbt build` the view was just refreshed, and state is written at the end. -#}
    {%- for outcome in dbt_mview._memory().outcomes.values() -%}
        {%- if outcome.mview_id == mview_id and outcome.type != "skip" -%}
            {%- do state.update(
                {
                    "last_refresh_result": outcome.result,
                    "last_successful_refresh_read_time": outcome.read_time,
                    "sources": outcome.sources,
                    "target_version": outcome.target_version,
                    "definition": outcome.definition or state.get("definition"),
                    "definition_hash": outcome.definition_hash
                    or state.get("definition_hash"),
                    "spec": outcome.spec or state.get("spec"),
                }
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if state.get("last_successful_refresh_read_time") is none -%}
        {%- do dbt_mview._raise(
            mview_id,
            "no refresh of it is known.",
            "Build it with `dbt run`, as an mview, before it is tested.",
        ) -%}
    {%- endif -%}
    {{ return(state) }}
{% endmacro %}


{#
Whether the test is about to run. `dbt compile` and `dbt docs generate` render it as well, where the
view may not be there yet, and nothing is to be written.
#}
{% macro _is_tested() %} {{ return(execute and flags.WHICH in ["test", "build"]) }} {% endmacro %}


{# Returns: SQL text, instead of a test that is only rendered. #}
{% macro _untested_sql() -%}
    select 'what is tested is known when the test runs' as problem where false
{%- endmacro %}
