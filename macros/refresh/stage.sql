{#
Step stage: builds aside what is published, where it can be looked at before any reader does: the
whole result where it is audited, the changes for FAST. Without audits the publishing commit of
COMPLETE builds the result itself.

Changes that cannot be read after all (their files are gone) make the refresh COMPLETE, unless the
model insists on FAST: then the engine's own error is the user's.

Args: spec, job. May turn job.method to complete.
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
            {%- do dbt_mview._turn_to_complete(spec, job, "CHANGE_DATA_UNAVAILABLE") -%}
        {%- endif -%}
    {%- endif -%}
    {%- if job.fast -%}
        {%- do dbt_mview._look_at_stage(spec, job) -%}
        {%- if dbt_mview._keys_may_clash(spec, job) -%}
            {%- do dbt_mview._turn_to_complete(spec, job, "UNIQUE_KEY_OVER_ALL_ROWS") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{#
What FAST cannot do after all is done anew.

Args: spec, job, reason (named). Errors: refresh is 'fast'.
#}
{% macro _turn_to_complete(spec, job, reason) %}
    {%- if spec.refresh == "fast" -%}
        {%- do dbt_mview._raise_not_fast(spec, reason) -%}
    {%- endif -%}
    {%- do job.update(
        {
            "fast": none,
            "staged": spec.unique_key | length > 0,
            "method": "complete",
            "publish": "insert",
            "reason": job.reason ~ "; not FAST: " ~ reason,
        }
    ) -%}
    {%- do dbt_mview._stage(spec, job) -%}
{% endmacro %}


{# Args: spec, job (columns, query, id, fast). Returns: SQL text. #}
{% macro _stage_sql(spec, job) %}
create or replace table {{ dbt_mview._stage_name(job.id) }}
using delta
as
    {%- if job.fast %} {{ dbt_mview._stage_changes_sql(spec, job) }}
    {%- else %}
select {{ dbt_mview._select_list(job.columns) }}
from (
        {{ job.query }}
)
    {%- endif %}
{%- endmacro %}


{# A statement whose failure is an answer. Args: sql. Returns: SQL text, a script. #}
{% macro _try_sql(sql) %}
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    {{ sql }}
    ;
    select 'done' as outcome
    ;
    end
{%- endmacro %}


{# Args: columns (list of name, expression). Returns: SQL text. #}
{% macro _select_list(columns) %}
    {%- set items = [] -%}
    {%- for column in columns -%}
        {%- set quoted = dbt_mview._quote(column.name) -%}
        {%- do items.append(
            quoted
            if column.expression == quoted
            else column.expression ~ " as " ~ quoted
        ) -%}
    {%- endfor -%}
    {{ return(items | join(", ")) }}
{% endmacro %}
