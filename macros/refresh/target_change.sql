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
    {%- set newest = target_table.history[0].version -%}
    {%- if target_table.history[-1].version > last -%}
        {%- do target_table.update(
            {"history": dbt_mview._delta_history(target_table.name, newest - last + 1)}
        ) -%}
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
    {{ return(none if at.ours else "it was dropped or recreated by somebody else") }}
{% endmacro %}
