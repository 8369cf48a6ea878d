{#
Step stage: builds aside what is published, where it can be looked at before any reader does: the
whole result where it is audited, the changes for FAST. Without audits the publishing commit of
COMPLETE builds the result itself.

Changes that cannot be read after all (their files are gone) make the refresh COMPLETE, unless the
model insists on FAST: then the engine's own error is the user's.

Args: spec, job. Sets job.stage_is_whole; may turn job.method to complete.
#}
{% macro _stage(spec, job) %}
    {%- if not job.staged -%} {{ return(none) }}{%- endif -%}
    {%- if job.fast is none or spec.refresh == "fast" -%}
        {%- do dbt_mview._run("stage", dbt_mview._stage_sql(spec, job), job) -%}
    {%- else -%}
        {%- set outcome = dbt_mview._run(
            "stage", dbt_mview._try_sql(dbt_mview._stage_sql(spec, job)), job
        ) -%}
        {%- if not job.dry_run and outcome[0][0] != "done" -%}
            {%- do dbt_mview._drop_stage("sweep", job.id, job, whole=false) -%}
            {%- do dbt_mview._turn_to_complete(spec, job, "CHANGE_DATA_UNAVAILABLE") -%}
        {%- endif -%}
    {%- endif -%}
    {%- do job.update({"stage_is_whole": job.staged}) -%}
    {%- if job.fast -%}
        {%- do dbt_mview._look_at_stage(spec, job) -%}
        {%- if job.get("not_kept") -%}
            {%- do dbt_mview._turn_to_complete(
                spec, job, "PARTITION_VALUE_NOT_KEPT: " ~ job.not_kept
            ) -%}
        {%- elif dbt_mview._keys_may_clash(spec, job) -%}
            {%- do dbt_mview._turn_to_complete(spec, job, "UNIQUE_KEY_OVER_ALL_ROWS") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
