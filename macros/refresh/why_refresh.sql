{#
Why a view needs a refresh, in one line, or none if its last success still holds.

Args: spec, job (after _look has filled in reads, sources, target, definition_hash).
Returns: string or none.
#}
{% macro _why_refresh(spec, job) %}
    {%- set state = job.state -%}
    {%- if spec.full_refresh -%} {{ return("full refresh asked for") }}{%- endif -%}
    {%- if job.target.kind == "missing" -%} {{ return("first build") }}{%- endif -%}
    {%- if state is none or state.target_version is none -%}
        {{ return("first build in place of a " ~ job.target.kind) }}
    {%- endif -%}
    {%- set changed = dbt_mview._target_change(spec, job) -%}
    {%- if changed -%} {{ return("TARGET_CHANGED: " ~ changed) }}{%- endif -%}
    {%- if spec.asked -%} {{ return("complete refresh asked for") }}{%- endif -%}
    {%- if state.last_successful_refresh_read_time is none -%}
        {{ return("first refresh of a deferred view") }}
    {%- endif -%}
    {%- if state.definition_hash != job.definition_hash -%}
        {%- set each_run = invocation_id in (spec.get("definition") or "") -%}
        {{
            return(
                "DEFINITION_CHANGED" ~ (": it holds the run's invocation_id" if each_run else "")
            )
        }}
    {%- endif -%}
    {%- set zones = dbt_mview._zone_change(state) -%}
    {%- if zones -%} {{ return("TIME_ZONE_CHANGED: " ~ zones) }}{%- endif -%}
    {%- set keys = dbt_mview._changed_configs(state.spec, spec) -%}
    {%- if keys -%} {{ return("configuration changed: " ~ keys | join(", ")) }}{%- endif -%}
    {%- if job.holder -%} {{ return("a refresh before did not finish") }}{%- endif -%}
    {%- if state.last_refresh_result != "success" -%}
        {{ return("the last refresh failed") }}
    {%- endif -%}
    {%- if job.reads.unstable -%}
        {{ return("EXPRESSION_NOT_DETERMINISTIC: " ~ job.reads.unstable | join(", ")) }}
    {%- endif -%}
    {%- set ahead = job.ahead | map(attribute="relation") | list -%}
    {%- set news = dbt_mview._what_is_new(state.sources, job.sources, job.unbound, ahead) -%}
    {#- mview_recover writes a row without one in place of a lost row. -#}
    {{ return(news or (none if state.definition else "state has no definition of it")) }}
{% endmacro %}


{#
What all rows of the view depend on, or have to satisfy, and were not asked for when it was built.

Args: was (the spec in state, or none), spec. Returns: list of names.
#}
{% macro _changed_configs(was, spec) %}
    {%- if not was -%} {{ return([]) }}{%- endif -%}
    {%- set keys = dbt_mview._changed_keys(was.layout, spec.layout) -%}
    {%- set checks = {"audit": spec.audit, "unique_key": spec.unique_key} -%}
    {#- Columns that were left out come with a refresh. -#}
    {%- set mode = spec.get("on_schema_change") -%}
    {%- set shows = was.get("on_schema_change") == "ignore" and mode != "ignore" -%}
    {%- set keys = keys + (["on_schema_change"] if shows else []) -%}
    {{ return(keys + dbt_mview._changed_keys(was, checks)) }}
{% endmacro %}
