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
