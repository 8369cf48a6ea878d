{#
Step stage: builds in a table of its own what must be inspected before readers see it. FAST falls
back to COMPLETE here if its changes turn out to be unusable.
#}
{#
Step stage: builds what will be published in a table of its own, to be inspected before any reader
sees it: of COMPLETE the whole result, where audits, a unique_key or a refresh group ask for that
(see _must_stage); the changes of FAST, and of a COMPLETE that publishes the difference. Else the
publishing commit computes the result, or reads the changes, itself.

If changes turn out to be unreadable (their files are gone), the refresh is COMPLETE, unless the
model insists on FAST: then the user sees the engine's own error.

Args: spec, job. Sets job.stage_is_complete, and what _inspect_stage and _fall_back_to_complete set.
#}
{% macro _stage(spec, job) %}
    {%- if not job.staged -%} {{ return(none) }}{%- endif -%}
    {%- if job.fast is none or spec.refresh == "fast" or job.method == "complete" -%}
        {%- do dbt_mview._run("stage", dbt_mview._stage_sql(spec, job), job) -%}
    {%- else -%}
        {%- set outcome = dbt_mview._run(
            "stage", dbt_mview._try_sql(dbt_mview._stage_sql(spec, job)), job
        ) -%}
        {%- if not job.dry_run and outcome[0][0] != "done" -%}
            {%- do dbt_mview._drop_stage("sweep", job.id, job, whole=false) -%}
            {%- do dbt_mview._fall_back_to_complete(
                spec, job, dbt_mview._reason("CHANGE_DATA_UNAVAILABLE")
            ) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do job.update({"stage_is_complete": job.staged}) -%}
    {%- if job.fast -%}
        {%- do dbt_mview._inspect_stage(spec, job) -%}
        {#- Rows of a value that is not kept are not found: that would break an invariant, too. -#}
        {%- if job.lossy_partition_column -%}
            {%- do dbt_mview._fall_back_to_complete(
                spec, job, dbt_mview._reason("PARTITION_VALUE_NOT_KEPT", job.lossy_partition_column)
            ) -%}
        {%- elif job.broken -%}
            {%- do dbt_mview._fall_back_to_complete(spec, job, job.broken) -%}
        {%- elif job.missing_rows -%}
            {%- set of = job.missing_rows ~ " of " ~ job.fast.first_rows.count -%}
            {%- do dbt_mview._fall_back_to_complete(
                spec, job, dbt_mview._reason("ROWS_BEYOND_LIMIT", of)
            ) -%}
        {%- elif dbt_mview._keys_may_clash(spec, job) -%}
            {%- do dbt_mview._fall_back_to_complete(
                spec, job, dbt_mview._reason("UNIQUE_KEY_OVER_ALL_ROWS")
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{#
Falls back to COMPLETE after FAST failed; what FAST staged goes where COMPLETE stages nothing.

Args: spec, job, reason (see _reason). Sets job.method, job.publish, job.fast, job.asserted,
    job.invariants, job.staged, job.not_fast, job.lease, job.stage_is_complete.
Errors: refresh is 'fast'; «lock lost».
#}
{% macro _fall_back_to_complete(spec, job, reason) %}
    {%- if spec.refresh == "fast" -%}
        {%- do dbt_mview._raise_not_fast(spec, job, reason) -%}
    {%- endif -%}
    {%- set staged = dbt_mview._must_stage(spec, job, ask=false) -%}
    {%- if job.stage_is_complete and not staged -%}
        {%- do dbt_mview._drop_stage("sweep", job.id, job) -%}
        {%- do job.update({"stage_is_complete": false}) -%}
    {%- endif -%}
    {%- do job.update(
        {
            "fast": none,
            "asserted": [],
            "invariants": false,
            "staged": staged,
            "method": "complete",
            "publish": "insert",
            "not_fast": reason,
        }
    ) -%}
    {%- do dbt_mview._renew_lease(spec, job) -%}
    {%- do dbt_mview._stage(spec, job) -%}
{% endmacro %}


{#
The stage: the changes for FAST and for the difference of COMPLETE, else the whole result. Of a
refresh group's view this has the constraints, as nothing may fail once the publish is decided.

Args: spec, job (columns, query, id, fast). Returns: SQL text.
#}
{% macro _stage_sql(spec, job) -%}
    {%- set checked = spec.layout.constraints if job.waits and not job.fast else {} -%}
    {#- Names that Parquet does not take. -#}
    {%- set mode = spec.layout.get("tblproperties", {}).get("delta.columnMapping.mode") -%}
    {%- set mapping = {"delta.columnMapping.mode": mode} if mode else {} -%}
create or replace table {{ dbt_mview._stage_name(job.id) }}
using delta
{%- if checked or mapping %}
tblproperties ({{ dbt_mview._properties_sql(dbt_mview._properties(
    {"tblproperties": mapping, "constraints": checked}
)) }})
{%- endif %}
as
{%- if job.fast %}
{{ dbt_mview._stage_changes_sql(spec, job) }}
{%- else %}
select {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }}
from (
{{ job.query }}
)
{%- endif %}
{%- endmacro %}
