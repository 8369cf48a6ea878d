{#
Why a view needs a refresh, as a reason; also whether a success is still valid.
#}
{#
Why a view needs a refresh, or none if its last success still holds.

Args: spec, job (state; after _look has filled in reads, sources, target, definition_hash, holder,
    date_change, sources_behind, unbound, at_two_times).
Returns: see _reason, or none.
#}
{% macro _why_refresh(spec, job) %}
    {%- set state = job.state -%}
    {%- if spec.full_refresh -%} {{ return(dbt_mview._reason("full_refresh")) }}{%- endif -%}
    {%- if job.target.kind == "missing" -%}
        {{ return(dbt_mview._reason("first_build")) }}
    {%- endif -%}
    {%- if state is none or state.target_version is none -%}
        {{ return(dbt_mview._reason("first_build_in_place", job.target.kind)) }}
    {%- endif -%}
    {#- What a dead run left is recovered first. -#}
    {%- if dbt_mview._held_at(spec, state) and not job.holder -%} {{ return(none) }}{%- endif -%}
    {%- set changed = dbt_mview._target_change(spec, job) -%}
    {%- if changed -%} {{ return(dbt_mview._reason("TARGET_CHANGED", changed)) }}{%- endif -%}
    {%- if spec.asked -%} {{ return(dbt_mview._reason("complete_asked")) }}{%- endif -%}
    {%- if state.last_successful_refresh_read_time is none -%}
        {{ return(dbt_mview._reason("first_of_deferred")) }}
    {%- endif -%}
    {%- set zones = dbt_mview._zone_change(state) -%}
    {%- set keys = dbt_mview._changed_configs(state.spec, spec) -%}
    {%- set is_other = state.definition_hash != job.definition_hash -%}
    {%- if is_other and job.date_change and not (zones or keys) -%}
        {%- set days = job.date_change.then ~ " -> " ~ job.date_change.now -%}
        {{ return(dbt_mview._reason("DATE_CHANGED", days)) }}
    {%- elif is_other and not job.date_change -%}
        {%- set each_run = invocation_id in (spec.definition or "") -%}
        {%- set detail = "it holds the run's invocation_id" if each_run else none -%}
        {{ return(dbt_mview._reason("DEFINITION_CHANGED", detail)) }}
    {%- endif -%}
    {%- if zones -%} {{ return(dbt_mview._reason("TIME_ZONE_CHANGED", zones)) }}{%- endif -%}
    {%- if keys -%}
        {%- set also = ["by_alter"] if dbt_mview._are_altered(keys) else [] -%}
        {{ return(dbt_mview._reason("configuration_changed", keys | join(", "), also)) }}
    {%- endif -%}
    {%- if job.holder -%} {{ return(dbt_mview._reason("refresh_unfinished")) }}{%- endif -%}
    {%- if state.last_refresh_result != "success" -%}
        {{ return(dbt_mview._reason("refresh_failed")) }}
    {%- endif -%}
    {%- if job.reads.nondeterministic -%}
        {%- set which = job.reads.nondeterministic | join(", ") -%}
        {{ return(dbt_mview._reason("EXPRESSION_NOT_DETERMINISTIC", which)) }}
    {%- endif -%}
    {%- if job.at_two_times -%}
        {{ return(dbt_mview._reason("SOURCE_AT_TWO_TIMES", dbt_mview._twice_read(job))) }}
    {%- endif -%}
    {%- set ahead = job.sources_behind | map(attribute="relation") | list -%}
    {%- set news = dbt_mview._describe_source_changes(
        state.sources, job.sources, job.unbound, ahead
    ) -%}
    {#- mview_recover writes a row without one in place of a lost row. -#}
    {%- set lost = none if state.definition else dbt_mview._reason("definition_lost") -%}
    {{ return(news or lost) }}
{% endmacro %}


{# Args: job (at_two_times). Returns: string, the tables that are read at two times. #}
{% macro _twice_read(job) %}
    {%- set names = [] -%}
    {%- for name in job.at_two_times -%}
        {%- do names.append(dbt_mview._short_name(name)) -%}
    {%- endfor -%}
    {{ return(names | join(", ")) }}
{% endmacro %}


{#
What somebody else did to the view since the last recorded refresh, or none.

Args: spec, job (state with target_version, target). Returns: string or none.
#}
{% macro _target_change(spec, job) %}
    {%- set target_table = job.target -%}
    {%- set last = job.state.target_version -%}
    {%- if target_table.kind != "delta" -%}
        {{ return("it is now a " ~ target_table.kind) }}
    {%- endif -%}
    {%- set at = namespace(ours=false) -%}
    {%- for commit in target_table.history -%}
        {%- if commit.version == last and commit.meta and commit.meta.get(
            "mview_id"
        ) == spec.mview_id -%}
            {%- set at.ours = true -%}
        {%- elif commit.version > last and dbt_mview._is_data_commit(commit) -%}
            {%- if not (
                commit.meta
                and job.holder
                and commit.meta.get("refresh_job_id") == job.holder.job_id
            ) -%}
                {{ return(commit.operation ~ " by somebody else in version " ~ commit.version) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set cleaned = dbt_mview._was_seen_before_cleaning(job, target_table.history[-1]) -%}
    {%- set ours = at.ours or cleaned -%}
    {{ return(none if ours else "it was dropped or recreated by somebody else") }}
{% endmacro %}


{#
Whether Delta has cleaned its log of the last refresh's own commit, as it does after 30 days where
the view had others since (VACUUM, OPTIMIZE); a later look has seen all that was cleaned.

Args: job (state), oldest (commit that its history still has). Returns: bool.
#}
{% macro _was_seen_before_cleaning(job, oldest) %}
    {%- set state = job.state -%}
    {%- if oldest.version <= state.target_version or state.last_refresh_result != "success" -%}
        {{ return(false) }}
    {%- endif -%}
    {{ return((state.last_refresh_time or 0) | int >= oldest.commit_time) }}
{% endmacro %}


{#
The session's time zone, if it is not the one that the view was built in: a query means another day
by date(at) there. Rows of two meanings must not meet (docs/decisions/0018).

Args: state (row of the view). Returns: string, `UTC -> Europe/Berlin`, or none.
#}
{% macro _zone_change(state) %}
    {%- set was = (state.spec or {}).get("time_zone") -%}
    {%- set now = dbt_mview._time_zone() -%}
    {{ return(was ~ " -> " ~ now if was and was != now else none) }}
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
    {%- set mode = spec.on_schema_change -%}
    {%- set shows = was.get("on_schema_change") == "ignore" and mode != "ignore" -%}
    {%- set keys = keys + (["on_schema_change"] if shows else []) -%}
    {{ return(keys + dbt_mview._changed_keys(was, checks)) }}
{% endmacro %}


{# Args: old, new (mappings). Returns: list of the keys whose values differ. #}
{% macro _changed_keys(old, new) %}
    {%- set keys = [] -%}
    {%- for key in new if old.get(key) != new[key] -%} {%- do keys.append(key) -%} {%- endfor -%}
    {{ return(keys) }}
{% endmacro %}
