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
