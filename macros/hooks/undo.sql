{#
Takes away what a failed refresh of this run left: its stage, its half rename chain.

Args: job. Returns: the commit, if it was published all the same, else none.
#}
{% macro _undo(job) %}
    {%- if not job.get("publish") -%} {{ return(none) }}{%- endif -%}
    {%- if job.get("staged") -%}
        {%- do dbt_mview._drop_stage("sweep", job.id, job, job.get("stage_is_whole")) -%}
    {%- endif -%}
    {%- if job.get("publish") == "swap" -%}
        {%- do dbt_mview._replay_swap(
            job.spec, dbt_mview._intent(job.spec, job).swap, job.id, job
        ) -%}
    {%- endif -%}
    {{ return(dbt_mview._published(dbt_mview._target(job.spec), job.id)) }}
{% endmacro %}
