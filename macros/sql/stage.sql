{#
The stage: the whole result where it is audited, the changes for FAST. For a refresh group it has
the view's constraints, as nothing may fail once the group's publish is decided.

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


{#
A statement whose failure is an answer. SQLEXCEPTION leaves out what Spark calls internal (SQLSTATE
XX...), as is a query of which two stages fail at one moment; two handlers in one block catch less
than each alone (Spark 4.1). Spark 4.0 refuses a handler for what it does not know, unless that is
declared. What is no error of Spark's own nothing can catch.

Args: sql. Returns: SQL text, a script.
#}
{% macro _try_sql(sql) -%}
begin
    declare exit handler for sqlexception select 'failed' as outcome;
    begin
        declare STAGE_MATERIALIZATION_MULTIPLE_FAILURES condition;
        declare exit handler for STAGE_MATERIALIZATION_MULTIPLE_FAILURES
            select 'failed' as outcome;
{{ sql }}
;
        select 'done' as outcome;
    end;
end
{%- endmacro %}
