{#
Step start_log: an empty log from the base's present version; the properties that say what a log
holds; step alter_log.
#}
{#
Step start_log: an empty log that starts at the base's present version, in one commit. It replaces
an older one, which is of no use any more: it ends before the gap.

Args: spec, job (gap, now). Errors: the engine's own.
#}
{% macro _start_log(spec, job) %}
    {%- set at = {"version": job.now.version, "commit_time": job.now.commit_time} -%}
    {%- set coverage = dbt_mview._coverage_record(
        {"base": spec.base, "began": at, "start": at, "captured": at, "gap": job.gap}
    ) -%}
    {%- do dbt_mview._run("start_log", dbt_mview._create_log_sql(spec, job, coverage), job) -%}
    {%- if job.coverage -%}
        {%- do exceptions.warn(
            "dbt_mview: "
            ~ spec.mlog_id
            ~ " was rebuilt, and begins at v"
            ~ at.version
            ~ " of its base: "
            ~ job.gap
            ~ ". Views that had not read up to there refresh COMPLETE."
        ) -%}
    {%- endif -%}
    {#- The statement has said it. -#}
    {%- do job.update(
        {"coverage": coverage, "rows": 0, "comment": spec.description}
    ) -%}
{% endmacro %}


{#
An empty log. Partitioned by the version of the change, so that purging touches no rows that stay.

Args: spec, job (columns), coverage (see _coverage). Returns: SQL text.
#}
{% macro _create_log_sql(spec, job, coverage) -%}
{%- set layout = spec.layout -%}
{%- set properties = dict(layout.tblproperties) -%}
{%- do properties.update({"dbt_mview.kind": "materialized_view_log"}) -%}
create or replace table {{ spec.name }}
using delta
partitioned by (_commit_version)
{%- if layout.location %}
location {{ dbt_mview._literal(layout.location) }}
{%- endif %}
{%- if spec.description %}
comment {{ dbt_mview._literal(spec.description) }}
{%- endif %}
tblproperties (
    {{ dbt_mview._properties_sql(properties) }},
    {{ dbt_mview._coverage_property(coverage) }}
)
options ('userMetadata' = {{ dbt_mview._capture_meta(spec, job, coverage) }})
as
select
    {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }},
    cast(null as string) as _change_type,
    cast(null as bigint) as _commit_version,
    cast(null as timestamp) as _commit_timestamp
from {{ job.base }}
where false
{%- endmacro %}


{#
What a commit of a log says of itself.

Args: spec, job, coverage (began, captured, see _coverage). Returns: SQL text.
#}
{% macro _capture_meta(spec, job, coverage) -%}
{%- set meta = {"mlog_id": spec.mlog_id, "capture_job_id": job.id} -%}
{%- do meta.update({"began": coverage.began, "captured": coverage.captured}) -%}
{{ dbt_mview._json_literal({"dbt_mview": meta}) }}
{%- endmacro %}


{# The property that says what a log is of. Args: coverage (see _coverage). Returns: SQL text. #}
{% macro _coverage_property(coverage) %}
    {%- set kept = {} -%}
    {%- for key in ["base", "start", "gap"] -%}
        {%- do kept.update({key: coverage[key]}) -%}
    {%- endfor -%}
    {{ return("'dbt_mview.mlog' = " ~ dbt_mview._json_literal(kept)) }}
{% endmacro %}


{#
The property that says how far a log goes where no row came.

Args: coverage (see _coverage). Returns: SQL text.
#}
{% macro _captured_property(coverage) %}
    {%- set note = {
        "base": coverage.base,
        "began": coverage.began,
        "captured": coverage.captured,
        "log_version": coverage.version,
    } -%}
    {{ return("'dbt_mview.captured' = " ~ dbt_mview._json_literal(note)) }}
{% endmacro %}


{#
Step alter_log: brings the table properties that the model sets up to date. What it no longer sets
stays: state does not keep what a log was built with.

Args: spec, job (gap, coverage).
#}
{% macro _alter_log(spec, job) %}
    {%- if job.gap -%} {{ return(none) }}{%- endif -%}
    {%- set present = {"delta.enableChangeDataFeed": "false"} -%}
    {%- do present.update(job.coverage.properties) -%}
    {%- set wanted = dbt_mview._differing(present, spec.layout.tblproperties) -%}
    {%- if wanted -%}
        {%- set clause = " set tblproperties (" ~ dbt_mview._properties_sql(wanted) ~ ")" -%}
        {%- do dbt_mview._run("alter_log", "alter table " ~ spec.name ~ clause, job) -%}
    {%- endif -%}
{% endmacro %}
